import Libc
import TweetCore

/// The kinds of links in a post's HTML.
enum MastodonLinkKind {
  /// A mention; `user` is its index in the status's list of mentions, if it is there.
  case mention(user: Int?)
  case hashtag
  case url
}

/// An element of a status's list of mentions; its members are looked up once.
struct MastodonMention {
  let id: JSONValue?
  let url: JSONValue?
  let acct: JSONValue?
  let username: JSONValue?

  init(_ mention: JSONValue) {
    (id, url, acct, username) = (mention["id"], mention["url"], mention["acct"], mention["username"])
  }
}

/// The links of a status's HTML as entities. Mentions and hashtags get the members that the status's own lists have.
extension TweetMapper {
  /// At most this many mentions are looked up by their links. No real post has more, and the look-ups of a hostile one
  /// would take time in the square of its length.
  private static let maximumMentions = 256

  /// Appends `,"entities":{…}` for the text that ``html`` read last; nothing when there are none.
  func appendMastodonEntities(
    of status: JSONValue, reblog: JSONValue?, prefix: Int, to out: inout ByteBuffer
  ) {
    let mentions = status["mentions"]?.elements.prefix(Self.maximumMentions).map { MastodonMention($0) } ?? []
    let kinds = html.links.indices.map { kind(of: $0, mentions: mentions) }
    out.object("entities") { out in
      appendHashtags(kinds, tags: status["tags"], prefix: prefix, to: &out)
      appendMentions(kinds, mentions, reblog: reblog, prefix: prefix, to: &out)
      appendLinks(of: html, kinds: kinds, prefix: prefix, to: &out)
    }
  }

  private func kind(of number: Int, mentions: [MastodonMention]) -> MastodonLinkKind {
    let link = html.links[number]
    return html.text.withBytes { text in
      let words = text.extracting(link.textRange)
      switch words.first {
      case UInt8(ascii: "#"):
        return words.count > 1 && (link.isHashtag || link.isMention) ? .hashtag : .url
      case UInt8(ascii: "@"):
        let name = ByteView(rebasing: words.dropFirst())
        let user = html.addresses.withBytes { addresses in
          let address = addresses.extracting(link.addressRange)
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

  /// Appends `,"hashtags":[…]`: those of the text, then those that only the status's list of tags has.
  private func appendHashtags(
    _ kinds: [MastodonLinkKind], tags: JSONValue?, prefix: Int, to out: inout ByteBuffer
  ) {
    out.array("hashtags") { out in
      var seen: Set<String> = []
      for (link, kind) in zip(html.links, kinds) {
        guard case .hashtag = kind else { continue }
        out.element { out in
          out.appendOffsets(of: link, prefix: prefix)
          html.text.withBytes { text in
            let name = ByteView(rebasing: text[link.textRange].dropFirst())
            seen.insert(String(decoding: name, as: UTF8.self).lowercased())
            out.member("tag", text: name)
          }
        }
      }
      // Servers remove accents from names in the list. So a name that the text does not have is another tag only when
      // the list is longer.
      if let tags, tags.isArray, tags.count > seen.count {
        for tag in tags.elements {
          guard let name = tag["name"]?.string, !name.isEmpty, !seen.contains(name.lowercased())
          else { continue }
          out.element { $0.member("tag", tag["name"]) }
        }
      }
    }
  }

  /// Appends `,"mentions":[…]`: a reblog's author after `RT `, the mentions of the text, then those that only the
  /// status's list has.
  private func appendMentions(
    _ kinds: [MastodonLinkKind], _ mentions: [MastodonMention], reblog: JSONValue?, prefix: Int,
    to out: inout ByteBuffer
  ) {
    out.array("mentions") { out in
      if prefix > 0, let account = reblog?["account"],
        let name = account["acct"] ?? account["username"]
      {
        out.element { out in
          out.member("start", 3)
          out.member("end", prefix - 2)
          out.member("username", name)
          out.member("id", asString: account["id"])
          out.member("name", account["display_name"])
        }
      }
      var isInText = Array(repeating: false, count: mentions.count)
      for (link, kind) in zip(html.links, kinds) {
        guard case .mention(let user) = kind else { continue }
        out.element { out in
          out.appendOffsets(of: link, prefix: prefix)
          if let user {
            isInText[user] = true
            out.appendUser(mentions[user])
          } else {
            html.text.withBytes {
              out.member("username", text: ByteView(rebasing: $0[link.textRange].dropFirst()))
            }
            html.addresses.withBytes {
              out.member("url", text: $0.extracting(link.addressRange))
            }
          }
        }
      }
      for (user, isKnown) in zip(mentions, isInText) where !isKnown {
        out.element { $0.appendUser(user) }
      }
    }
  }

  /// Appends `,"urls":[…]`: of each link the address, and the text that a page shows.
  func appendLinks(
    of html: borrowing HTMLText, kinds: [MastodonLinkKind], prefix: Int, to out: inout ByteBuffer
  ) {
    out.array("urls") { out in
      for (link, kind) in zip(html.links, kinds) {
        guard case .url = kind else { continue }
        html.addresses.withBytes { addresses in
          let address = addresses.extracting(link.addressRange)
          guard address.isWebAddress else { return }
          out.element { out in
            out.appendOffsets(of: link, prefix: prefix)
            out.member("url", text: address)
            out.member("expanded_url", text: address)
            if !link.shownRange.isEmpty {
              html.shown.withBytes {
                out.member("display_url", text: $0.extracting(link.shownRange))
              }
            }
          }
        }
      }
    }
  }
}

extension ByteBuffer {
  /// Appends `,"start":…,"end":…`; nothing for a link without text.
  fileprivate mutating func appendOffsets(of link: HTMLText.Link, prefix: Int) {
    guard link.start >= 0, link.end > link.start else { return }
    key("start")
    append(decimal: link.start + prefix)
    key("end")
    append(decimal: link.end + prefix)
  }

  fileprivate mutating func appendUser(_ user: MastodonMention) {
    member("username", user.acct ?? user.username)
    member("id", asString: user.id)
    member("url", user.url)
  }
}

extension ByteView {
  /// Whether it is an address of the web. Others (`javascript:`) are not allowed in records.
  fileprivate var isWebAddress: Bool {
    let head = prefix(8).map { $0.asASCIILowercase }
    return head.starts(with: "http://".utf8) || head.starts(with: "https://".utf8)
  }
}

extension JSONValue {
  /// Whether it is a string whose decoded bytes are these.
  func equals(_ bytes: ByteView) -> Bool {
    guard isString else { return false }
    let raw = rawString
    if raw.count == bytes.count { return raw == bytes }
    guard raw.count > bytes.count, raw.contains(UInt8(ascii: "\\")) else { return false }
    var plain = ByteBuffer(capacity: raw.count)
    plain.append(unescaping: raw)
    return plain.withBytes { $0.elementsEqual(bytes) }
  }
}
