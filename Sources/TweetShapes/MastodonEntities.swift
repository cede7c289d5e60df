import Libc
import TweetCore

/// What one link in a post's HTML is.
enum MastodonLinkKind {
  /// A mention; `user` is its number in the status's list of mentions, where it is in it.
  case mention(user: Int?)
  case hashtag
  case url
}

/// One of the people a status addresses, its members looked up once.
struct MastodonMention {
  let id: JSONValue?
  let url: JSONValue?
  let acct: JSONValue?
  let username: JSONValue?

  init(_ mention: JSONValue) {
    (id, url, acct, username) = (mention["id"], mention["url"], mention["acct"], mention["username"])
  }
}

/// The links of a status's HTML as entities: mentions and hashtags with what the status's own lists know of them.
extension TweetMapper {
  /// More mentions than this are not looked up by their links: no post has them, and hostile ones shall not cost the
  /// square of their length.
  private static let mostMentions = 256

  /// Appends `,"entities":{…}` for the text that was read last, or nothing where there are none.
  func appendMastodonEntities(
    of status: JSONValue, reblog: JSONValue?, prefix: Int, to out: inout ByteBuffer
  ) {
    let mentions = status["mentions"]?.elements.prefix(Self.mostMentions).map { MastodonMention($0) } ?? []
    let kinds = html.links.indices.map { kind(of: $0, mentions: mentions) }
    let keyStart = out.count
    out.append(",\"entities\":")
    let start = out.count
    appendHashtags(kinds, tags: status["tags"], prefix: prefix, to: &out)
    appendMentions(kinds, mentions, reblog: reblog, prefix: prefix, to: &out)
    appendLinks(of: html, kinds: kinds, prefix: prefix, to: &out)
    out.closeObject(from: start, keyStart: keyStart)
  }

  private func kind(of number: Int, mentions: [MastodonMention]) -> MastodonLinkKind {
    let link = html.links[number]
    return html.text.withBytes { text in
      let words = UnsafeBufferPointer(rebasing: text[link.textRange])
      switch words.first {
      case UInt8(ascii: "#"):
        return words.count > 1 && (link.isHashtag || link.isMention) ? .hashtag : .url
      case UInt8(ascii: "@"):
        let name = UnsafeBufferPointer(rebasing: words.dropFirst())
        let user = html.addresses.withBytes { addresses in
          let address = UnsafeBufferPointer(rebasing: addresses[link.addressRange])
          return mentions.firstIndex { $0.url?.equals(address) ?? false }
            ?? mentions.firstIndex {
              ($0.acct?.equals(name) ?? false) || ($0.username?.equals(name) ?? false)
            }
        }
        return user != nil || (link.isMention && !name.isEmpty) ? .mention(user: user) : .url
      default: return .url
      }
    }
  }

  /// The hashtags of the text; then those that the status is only filed under.
  private func appendHashtags(
    _ kinds: [MastodonLinkKind], tags: JSONValue?, prefix: Int, to out: inout ByteBuffer
  ) {
    let keyStart = out.count
    out.append(",\"hashtags\":")
    let start = out.count
    var seen: Set<String> = []
    for (link, kind) in zip(html.links, kinds) {
      guard case .hashtag = kind else { continue }
      out.append(",")
      let first = out.count
      out.appendOffsets(of: link, prefix: prefix)
      html.text.withBytes { text in
        let name = UnsafeBufferPointer(rebasing: text[link.textRange].dropFirst())
        seen.insert(String(decoding: name, as: UTF8.self).lowercased())
        out.append(",\"tag\":\"")
        out.appendJSONEscaped(name)
        out.append("\"")
      }
      out.closeObject(from: first, keyStart: first)
    }
    // Servers fold accents in the list, so a name that the text does not have is new only when there are more of them.
    if let tags, tags.isArray, tags.count > seen.count {
      for tag in tags.elements {
        guard let name = tag["name"]?.string, !name.isEmpty, !seen.contains(name.lowercased())
        else { continue }
        out.append(",{\"tag\":", tag["name"])
        out.append("}")
      }
    }
    out.closeArray(from: start, keyStart: keyStart)
  }

  /// A reblog's author behind `RT `, the mentions of the text, then those of people who are only addressed.
  private func appendMentions(
    _ kinds: [MastodonLinkKind], _ mentions: [MastodonMention], reblog: JSONValue?, prefix: Int,
    to out: inout ByteBuffer
  ) {
    let keyStart = out.count
    out.append(",\"mentions\":")
    let start = out.count
    if prefix > 0, let account = reblog?["account"],
      let name = account["acct"] ?? account["username"]
    {
      out.append(",{\"start\":3,\"end\":")
      out.append(decimal: prefix - 2)
      out.append(",\"username\":", name)
      out.append(",\"id\":", asString: account["id"])
      out.append(",\"name\":", account["display_name"])
      out.append("}")
    }
    var isInText = Array(repeating: false, count: mentions.count)
    for (link, kind) in zip(html.links, kinds) {
      guard case .mention(let user) = kind else { continue }
      out.append(",")
      let first = out.count
      out.appendOffsets(of: link, prefix: prefix)
      if let user {
        isInText[user] = true
        out.appendUser(mentions[user])
      } else {
        out.append(",\"username\":\"")
        html.text.withBytes {
          out.appendJSONEscaped(UnsafeBufferPointer(rebasing: $0[link.textRange].dropFirst()))
        }
        out.append("\",\"url\":\"")
        html.addresses.withBytes {
          out.appendJSONEscaped(UnsafeBufferPointer(rebasing: $0[link.addressRange]))
        }
        out.append("\"")
      }
      out.closeObject(from: first, keyStart: first)
    }
    for (user, isKnown) in zip(mentions, isInText) where !isKnown {
      out.append(",")
      let first = out.count
      out.appendUser(user)
      out.closeObject(from: first, keyStart: first - 1)
    }
    out.closeArray(from: start, keyStart: keyStart)
  }

  /// Appends `,"urls":[…]`: the real address, and the text that a page shows for it.
  func appendLinks(
    of html: borrowing HTMLText, kinds: [MastodonLinkKind], prefix: Int, to out: inout ByteBuffer
  ) {
    let keyStart = out.count
    out.append(",\"urls\":")
    let start = out.count
    for (link, kind) in zip(html.links, kinds) {
      guard case .url = kind else { continue }
      html.addresses.withBytes { addresses in
        let address = UnsafeBufferPointer(rebasing: addresses[link.addressRange])
        guard address.isWebAddress else { return }
        out.append(",")
        let first = out.count
        out.appendOffsets(of: link, prefix: prefix)
        out.append(",\"url\":\"")
        out.appendJSONEscaped(address)
        out.append("\",\"expanded_url\":\"")
        out.appendJSONEscaped(address)
        out.append("\"")
        if !link.shownRange.isEmpty {
          out.append(",\"display_url\":\"")
          html.shown.withBytes {
            out.appendJSONEscaped(UnsafeBufferPointer(rebasing: $0[link.shownRange]))
          }
          out.append("\"")
        }
        out.closeObject(from: first, keyStart: first)
      }
    }
    out.closeArray(from: start, keyStart: keyStart)
  }
}

extension ByteBuffer {
  /// Appends `,"start":…,"end":…`; nothing for a link without text.
  fileprivate mutating func appendOffsets(of link: HTMLText.Link, prefix: Int) {
    guard link.start >= 0, link.end > link.start else { return }
    append(",\"start\":")
    append(decimal: link.start + prefix)
    append(",\"end\":")
    append(decimal: link.end + prefix)
  }

  fileprivate mutating func appendUser(_ user: MastodonMention) {
    append(",\"username\":", user.acct ?? user.username)
    append(",\"id\":", asString: user.id)
    append(",\"url\":", user.url)
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// Whether it is a link to the web; others (`javascript:`) are none that a post may lead to.
  fileprivate var isWebAddress: Bool {
    let head = prefix(8).map { $0.asASCIILowercase }
    return head.starts(with: "http://".utf8) || head.starts(with: "https://".utf8)
  }
}

extension JSONValue {
  /// Whether it is a string that stands for these bytes.
  func equals(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    guard isString else { return false }
    let raw = rawString
    if raw.count == bytes.count, let one = raw.baseAddress, let other = bytes.baseAddress {
      return memcmp(one, other, raw.count) == 0
    }
    guard raw.count > bytes.count, raw.contains(UInt8(ascii: "\\")) else { return false }
    var plain = ByteBuffer(capacity: raw.count)
    plain.append(unescaping: raw)
    return plain.withBytes { $0.elementsEqual(bytes) }
  }
}
