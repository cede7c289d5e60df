/// Whether a post of the account is what came of a draft.
package enum Likeness: Comparable, Sendable {
  case different
  /// Services change texts in more ways than are known: nobody can say.
  case unclear
  case same
}

/// The text of a post as a service gives it back, with links in the places of those that its author wrote.
package struct ReturnedText: Sendable, Equatable {
  package struct Link: Sendable, Equatable {
    /// Addresses that the author may have written; none where the service does not say what a short link stands for.
    package let addresses: [String]
    /// The service added it for a picture or video.
    package let showsMedia: Bool
  }

  /// The text with a ``mark`` in the place of each link.
  package private(set) var marked = ""
  package private(set) var links: [Link] = []
  /// The host of the service's short links, which stand for what their authors wrote.
  fileprivate let shortHost: String?

  /// A character that no post has.
  fileprivate static let mark: Character = "\u{FFFE}"

  /// - Parameters:
  ///   - text: as the service has it, with HTML entities.
  ///   - known: what its short links stand for.
  ///   - shortHost: the host of its short links, if it has any.
  ///   - isMedia: whether a link is of a picture or video of the post.
  package init(
    _ text: String, known: [(short: String, long: String)], shortHost: String? = nil,
    isMedia: (String) -> Bool = { _ in false }
  ) {
    self.shortHost = shortHost
    var rest = text[...]
    while let range = Self.nextLink(in: rest, known.map(\.short), shortHost) {
      marked += rest[..<range.lowerBound]
      let addresses = known.filter { $0.short == rest[range] }.map(\.long)
      let link = Link(
        addresses: addresses.isEmpty ? [] : addresses + [String(rest[range])],
        showsMedia: addresses.contains(where: isMedia))
      if !link.showsMedia {
        marked.append(Self.mark)
        links.append(link)
      }
      rest = rest[range.upperBound...]
    }
    marked += rest
    marked = marked.replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&amp;", with: "&")
  }

  /// The first link of those that are known, or a short link.
  private static func nextLink(
    in text: Substring, _ known: [String], _ shortHost: String?
  ) -> Range<Substring.Index>? {
    var found = known.compactMap { text.firstRange(of: $0) }
    for start in shortHost.map({ ["https://\($0)/", "http://\($0)/"] }) ?? [] {
      for range in text.ranges(of: start) {
        let name = text[range.upperBound...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard !name.isEmpty else { continue }
        found.append(range.lowerBound..<name.endIndex)
        break
      }
    }
    return found.min {
      $0.lowerBound == $1.lowerBound ? $0.upperBound > $1.upperBound : $0.lowerBound < $1.lowerBound
    }
  }

  /// The text with the addresses that its links stand for.
  fileprivate var expanded: String {
    var links = links[...]
    return marked.map { $0 == Self.mark ? links.popFirst()?.addresses.first ?? "" : String($0) }.joined()
  }
}

extension OwnPosts.Post {
  /// Compares it with a draft. Services change texts: white space at the ends and in rows, links, the names before an
  /// answer, and the form in which accents are written (which Swift compares as equal).
  package func likeness(to draft: PostDraft) -> Likeness {
    guard !isRetweet, replyTo == draft.replyTo, draft.quoteOf == nil || quoteOf == draft.quoteOf else {
      return .different
    }
    let isReply = draft.replyTo != nil
    let wanted = Self.words(of: draft.text, isReply)
    var found = Self.words(of: text.marked, isReply)
    var links = text.links
    // The address of the quoted post, which the service has added.
    if draft.quoteOf != nil, let last = links.last, isQuote(last),
      found.last?.elementsEqual([ReturnedText.mark]) == true
    {
      found.removeLast()
      links.removeLast()
    }
    let likeness = likeness(of: found, with: links, to: wanted)
    if likeness == .different { return isNear(draft) ? .unclear : .different }
    let uploads = draft.media.compactMap(\.upload?.key)
    let hasOtherMedia = !uploads.isEmpty && !mediaKeys.isEmpty && Set(uploads) != Set(mediaKeys)
    return hasOtherMedia ? .unclear : likeness
  }

  private func isQuote(_ link: ReturnedText.Link) -> Bool {
    guard let quoteOf else { return false }
    return link.addresses.contains { postAt($0) == quoteOf }
  }

  private static func words(of text: String, _ isReply: Bool) -> [Substring] {
    let words = text.split(whereSeparator: \.isWhitespace)
    return isReply ? Array(words.drop { $0.hasPrefix("@") }) : words
  }

  /// Links have no white space, so a word is compared with a word.
  private func likeness(
    of found: [Substring], with links: [ReturnedText.Link], to wanted: [Substring]
  ) -> Likeness {
    guard found.count == wanted.count else { return .different }
    var (result, links) = (Likeness.same, links[...])
    for (word, other) in zip(found, wanted) {
      let parts = word.split(separator: ReturnedText.mark, omittingEmptySubsequences: false)
      let own = links.prefix(parts.count - 1)
      links = links.dropFirst(parts.count - 1)
      result = min(result, likeness(of: parts[...], with: own, to: other))
      if result == .different { break }
    }
    return result
  }

  /// More links in a word are not tried in all ways in which they may fit.
  private static let mostLinks = 6

  /// Compares a word: its parts must stand in the other one, in order, with what may be the links between them.
  private func likeness(
    of parts: ArraySlice<Substring>, with links: ArraySlice<ReturnedText.Link>, to word: Substring
  ) -> Likeness {
    guard let part = parts.first, word.hasPrefix(part) else { return .different }
    guard let link = links.first else { return word == part ? .same : .different }
    if links.count > Self.mostLinks { return .unclear }
    let rest = word.dropFirst(part.count)
    var best = Likeness.different
    var end = rest.startIndex
    while end < rest.endIndex, best < .same {
      rest.formIndex(after: &end)
      let one = likeness(of: link, to: rest[..<end])
      guard one > best else { continue }
      let others = likeness(of: parts.dropFirst(), with: links.dropFirst(), to: rest[end...])
      best = max(best, min(one, others))
    }
    return best
  }

  private func likeness(of link: ReturnedText.Link, to written: Substring) -> Likeness {
    guard written.contains(".") else { return .different }
    if isQuote(link), postAt(String(written)) == quoteOf { return .same }
    let written = LinkForm(written)
    let forms = link.addresses.map { LinkForm($0[...]) }
    if forms.contains(written) { return .same }
    // Services rename hosts, and write characters in other ways.
    let meant = forms.filter { $0.host != text.shortHost }
    let isOther =
      !meant.isEmpty && written.isPlain && written.host != text.shortHost
      && meant.allSatisfy { $0.isPlain && $0.path != written.path }
    return isOther ? .different : .unclear
  }

  /// Whether it has the same letters and digits, or is the beginning of the same.
  private func isNear(_ draft: PostDraft) -> Bool {
    let (found, wanted) = (Self.letters(of: text.expanded), Self.letters(of: draft.text))
    let isCut = text.marked.contains("…") && found.count >= 40 && wanted.hasPrefix(found)
    return !wanted.isEmpty && (found == wanted || isCut)
  }

  private static func letters(of text: String) -> String {
    let plain = text.lowercased().replacing("https://", with: "").replacing("http://", with: "")
    return String(plain.filter { $0.isLetter || $0.isNumber })
  }
}

/// What two spellings of a link have in common.
private struct LinkForm: Equatable {
  let host: String
  let path: String

  init(_ text: Substring) {
    var text = text
    for scheme in ["https://", "http://"] where text.lowercased().hasPrefix(scheme) {
      text = text.dropFirst(scheme.count)
      break
    }
    let end = text.firstIndex { "/?#".contains($0) } ?? text.endIndex
    host = text[..<end].lowercased()
    path = String(text[end...] == "/" ? "" : text[end...].hasSuffix("/") ? text[end...].dropLast() : text[end...])
  }

  /// Whether it has one spelling only.
  var isPlain: Bool {
    !host.contains("xn--") && (host + path).utf8.allSatisfy { $0 < 0x80 && $0 != UInt8(ascii: "%") }
  }
}
