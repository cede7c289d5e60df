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
    out.member("unwound_url", unwound)
    if canonicalURL != unwound { out.member("canonical_url", canonicalURL) }
    out.append(members)
    if showsChain { chain.withBytes { out.member("chain", json: $0) } }
    if showsText, let pageText, !pageText.isEmpty { out.member("page_text", pageText) }
    return Array(out.array.dropFirst())
  }

  /// In the order that tweet(5) gives; each begins with its comma.
  private static func members(of result: LinkResult, _ finding: LinkKind.Finding?) -> [UInt8] {
    var out = ByteBuffer(capacity: 512)
    out.member("status", result.status)
    out.member("content_type", result.contentType)
    out.member("title", result.title)
    out.object("card") { out in
      let card = result.card
      out.member("type", card.type)
      out.member("site", card.site)
      out.member("title", card.title)
      out.member("description", card.description)
      out.member("image", card.image(of: result.unwoundURL))
    }
    out.member("verdict", result.verdict.rawValue)
    out.member("link_kind", finding?.kind.rawValue)
    out.member("link_kind_by", finding?.evidence.rawValue)
    out.member("music_id", result.musicID(finding))
    out.member("redirects", result.redirects)
    out.member("redirect_kind", result.redirectKind?.rawValue)
    out.member("stored_redirects", result.storedRedirects == 0 ? nil : result.storedRedirects)
    if result.isDowngraded { out.member("downgraded", true) }
    out.member("soft_404", result.softNotFound?.rawValue)
    out.member("rel_canonical", result.relCanonical)
    out.member("failures", result.failures == 0 ? nil : result.failures)
    out.member("failing_since", result.failingSince)
    if let was = result.was {
      out.object("was") {
        $0.member("verdict", was.verdict)
        $0.member("status", was.status)
        $0.member("checked_at", was.checkedAt)
      }
    }
    if let copy = result.archived {
      out.object("archived") {
        $0.member("url", copy.url)
        $0.member("at", copy.madeAt)
      }
    }
    out.member("checked_at", result.checkedAt)
    out.member("retry_at", result.retryAt)
    out.member("error", result.error)
    return out.array
  }
}

/// The chain of a check as JSON: `[{"url":"…","status":301},…]`, in records and in the store.
enum LinkChain {
  static func encode(_ chain: [LinkHop]) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 256)
    buffer.array { buffer in
      for hop in chain {
        buffer.element {
          $0.member("url", hop.url)
          $0.member("status", hop.status)
        }
      }
    }
    return buffer.array
  }

  /// - Returns: `nil` for what `encode` did not make.
  static func decode(_ text: String) -> [LinkHop]? {
    guard let document = try? JSONDocument(text) else { return nil }
    var chain: [LinkHop] = []
    for element in document.elements {
      guard let url = element["url"]?.string, let status = element["status"]?.integer else { return nil }
      chain.append(LinkHop(url: url, status: status))
    }
    return chain
  }
}
