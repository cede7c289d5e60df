import MediaStore
import TweetCore
import TweetNet

/// What records say about one checked link, as it is written and stored.
final class LinkAnswer: Sendable {
  let verdict: LinkVerdict
  let kind: LinkKind?
  /// Whether there is a verdict. If not, the tool ends with status 1.
  var isSettled: Bool { verdict != .unknown }
  /// Where the link leads, with the fragment of a redirect that had one. The link's own is added when it is written.
  let unwoundURL: String
  let canonicalURL: String?
  /// Whether there is a page, which may have a title.
  let isPage: Bool
  /// Whether nobody was asked, and nothing is known: what an earlier check wrote is better.
  let isUnasked: Bool
  /// Whether this run has found another verdict than the check before.
  let hasChanged: Bool
  /// The text of the page; `nil` if nobody asked for it, or the page is not saved.
  let pageText: String?
  /// Whether there is a title. X writes that member too.
  let hasTitle: Bool
  /// The other members, but for the chain, each with a comma before it.
  let members: [UInt8]
  /// A JSON array; empty if nobody asked for it.
  let chain: [UInt8]

  init(_ result: LinkResult, _ finding: LinkKind.Finding?) {
    verdict = result.verdict
    kind = finding?.kind
    unwoundURL = result.unwoundURL
    let end = result.unwoundAddress ?? WebAddress(result.unwoundURL)
    canonicalURL = end.map(CanonicalURL.make)
    isPage = ContentType.isPage(result.contentType)
    hasTitle = result.title != nil
    isUnasked = result.error == LinkFailure.offline
    hasChanged = result.hasChanged
    pageText = result.pageText
    members = Self.members(of: result, finding)
    chain = LinkChain.encode(result.chain)
  }

  /// - Returns: `nil` if this version does not know the verdict.
  init?(_ stored: StoredAnswer) {
    guard let verdict = LinkVerdict(rawValue: stored.verdict) else { return nil }
    self.verdict = verdict
    kind = stored.linkKind.flatMap(LinkKind.init)
    unwoundURL = stored.unwoundURL
    canonicalURL = stored.canonicalURL
    isPage = ContentType.isPage(stored.contentType)
    hasTitle = stored.hasTitle
    isUnasked = false
    hasChanged = false
    pageText = stored.pageText
    members = stored.members
    chain = stored.chain
  }

  /// The members for a link with this URL, without a comma before the first.
  func members(forLink url: String, showsChain: Bool, showsText: Bool) -> [UInt8] {
    let unwound = LinkAddress.inheritingFragment(unwoundURL, from: url)
    var out = ByteBuffer(capacity: unwound.utf8.count + members.count + (showsChain ? chain.count : 0) + 160)
    out.append("\"unwound_url\":")
    out.appendJSONString(unwound)
    if let canonicalURL, canonicalURL != unwound {
      out.append(",\"canonical_url\":")
      out.appendJSONString(canonicalURL)
    }
    out.append(members)
    if showsChain {
      out.append(",\"chain\":")
      out.append(chain)
    }
    if showsText, let pageText, !pageText.isEmpty { out.append(",\"page_text\":", pageText) }
    return out.array
  }

  /// In the order that tweet(5) gives.
  private static func members(of result: LinkResult, _ finding: LinkKind.Finding?) -> [UInt8] {
    var out = ByteBuffer(capacity: 512)
    out.append(",\"status\":", result.status)
    out.append(",\"content_type\":", result.contentType)
    out.append(",\"title\":", result.title)
    append(result.card, of: result, to: &out)
    out.append(",\"verdict\":", result.verdict.rawValue)
    out.append(",\"link_kind\":", finding?.kind.rawValue)
    out.append(",\"link_kind_by\":", finding?.evidence.rawValue)
    out.append(",\"music_id\":", result.musicID(finding))
    out.append(",\"redirects\":", result.redirects)
    out.append(",\"redirect_kind\":", result.redirectKind?.rawValue)
    out.append(",\"stored_redirects\":", result.storedRedirects == 0 ? nil : result.storedRedirects)
    if result.isDowngraded { out.append(",\"downgraded\":true") }
    out.append(",\"soft_404\":", result.softNotFound?.rawValue)
    out.append(",\"rel_canonical\":", result.relCanonical)
    out.append(",\"failures\":", result.failures == 0 ? nil : result.failures)
    out.append(",\"failing_since\":", result.failingSince?.rfc3339)
    if let was = result.was {
      out.append(",\"was\":{\"verdict\":")
      out.appendJSONString(was.verdict)
      out.append(",\"status\":", was.status)
      out.append(",\"checked_at\":", was.checkedAt.rfc3339)
      out.append("}")
    }
    if let copy = result.archived {
      out.append(",\"archived\":{\"url\":")
      out.appendJSONString(copy.url)
      out.append(",\"at\":", copy.madeAt.rfc3339)
      out.append("}")
    }
    out.append(",\"checked_at\":", result.checkedAt.rfc3339)
    out.append(",\"retry_at\":", result.retryAt?.rfc3339)
    out.append(",\"error\":", result.error)
    return out.array
  }

  private static func append(_ card: PageCard, of result: LinkResult, to out: inout ByteBuffer) {
    let members: [(String, String?)] = [
      ("type", card.type), ("site", card.site), ("title", card.title), ("description", card.description),
      ("image", card.image(of: result.unwoundURL)),
    ]
    var isFirst = true
    for case (let name, let value?) in members {
      out.append(isFirst ? ",\"card\":{\"" : ",\"")
      out.append(name)
      out.append("\":")
      out.appendJSONString(value)
      isFirst = false
    }
    if !isFirst { out.append("}") }
  }
}

extension ByteBuffer {
  /// Appends a member, unless its value is missing.
  /// - Parameter name: what comes before the value.
  fileprivate mutating func append(_ name: StaticString, _ text: String?) {
    guard let text else { return }
    append(name)
    appendJSONString(text)
  }

  fileprivate mutating func append(_ name: StaticString, _ number: Int?) {
    guard let number else { return }
    append(name)
    append(decimal: number)
  }
}

/// The chain of a check as JSON: `[{"url":"…","status":301},…]`, in records and in the store.
enum LinkChain {
  static func encode(_ chain: [LinkHop]) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 256)
    buffer.append("[")
    for (index, hop) in chain.enumerated() {
      buffer.append(index == 0 ? "{\"url\":" : ",{\"url\":")
      buffer.appendJSONString(hop.url)
      buffer.append(",\"status\":")
      buffer.append(decimal: hop.status)
      buffer.append("}")
    }
    buffer.append("]")
    return buffer.array
  }

  /// - Returns: `nil` for what `encode` did not make.
  static func decode(_ text: String) -> [LinkHop]? {
    guard let document = try? JSONDocument(text) else { return nil }
    var chain: [LinkHop] = []
    for element in document.root.elements {
      guard let url = element["url"]?.string, let status = element["status"]?.integer else { return nil }
      chain.append(LinkHop(url: url, status: status))
    }
    return chain
  }
}
