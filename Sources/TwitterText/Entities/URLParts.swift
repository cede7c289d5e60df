import TweetCore

/// The parts of a URL after its domain, and its limits.
enum URLParts {
  /// The longest URL in UTF-16 units, with its protocol, its domain in punycode.
  private static let longestURL = 4096
  /// The longest name after `t.co/`.
  private static let longestShortName = 40

  /// The end of a path whose slash is before `start`. Balanced parentheses are a part of it, two deep at most; full
  /// stops, commas and the like at its end are not.
  static func pathEnd(in text: ByteView, from start: Int) -> Int {
    var offset = start
    var end = start
    while offset < text.count {
      let scalar = decodeScalar(text, at: offset)
      if scalar.value == 0x28 {
        guard let close = parenthesesEnd(in: text, from: offset + 1) else { break }
        // They end a path, unless what is directly before them cannot.
        if end == offset { end = close }
        offset = close
        continue
      }
      guard ScalarSets.isPathCharacter(scalar.value) else { break }
      offset += scalar.length
      if ScalarSets.isPathEnd(scalar.value) { end = offset }
    }
    return end
  }

  /// The end of a query that starts at `start`; `start` if none does.
  static func queryEnd(in text: ByteView, from start: Int) -> Int {
    guard start < text.count, text[start] == UInt8(ascii: "?") else { return start }
    var end = start
    var offset = start + 1
    while offset < text.count, ScalarSets.isQueryCharacter(text[offset]) {
      offset += 1
      if ScalarSets.isQueryEnd(text[offset - 1]) { end = offset }
    }
    return end
  }

  /// The end of parentheses that open before `start` and hold path characters, and at most one more pair; `nil` if they
  /// do not.
  private static func parenthesesEnd(in text: ByteView, from start: Int) -> Int? {
    let inner = pathCharactersEnd(in: text, from: start)
    guard inner < text.count else { return nil }
    if text[inner] == UInt8(ascii: ")") { return inner > start ? inner + 1 : nil }
    guard text[inner] == UInt8(ascii: "(") else { return nil }
    let deepest = pathCharactersEnd(in: text, from: inner + 1)
    guard deepest > inner + 1, deepest < text.count, text[deepest] == UInt8(ascii: ")") else { return nil }
    let rest = pathCharactersEnd(in: text, from: deepest + 1)
    guard rest < text.count, text[rest] == UInt8(ascii: ")") else { return nil }
    return rest + 1
  }

  private static func pathCharactersEnd(in text: ByteView, from start: Int) -> Int {
    var end = start
    while end < text.count {
      let scalar = decodeScalar(text, at: end)
      guard ScalarSets.isPathCharacter(scalar.value) else { break }
      end += scalar.length
    }
    return end
  }

  /// Where a URL with a protocol ends. If it is one of X's short links, that is after its name and query; `nil` if the
  /// name is too long. Any other URL ends where `url` does.
  static func shortLinkEnd(in text: ByteView, url: Range<Int>) -> Int? {
    let rest = text.extracting(url)
    let start: Int
    if rest.matches("https://t.co/", at: 0) {
      start = 13
    } else if rest.matches("http://t.co/", at: 0) {
      start = 12
    } else {
      return url.upperBound
    }
    var end = start
    while end < rest.count, ScalarSets.isAlphanumeric(UInt32(rest[end])) { end += 1 }
    if end == start { return url.upperBound }
    guard end - start <= longestShortName else { return nil }
    return url.lowerBound + queryEnd(in: rest, from: end)
  }

  /// Whether a URL and its domain are short enough, and the domain can be encoded.
  static func isWithinLimits(_ text: ByteView, url: Range<Int>, domain: Range<Int>) -> Bool {
    guard let host = HostName.encodedLength(text[domain]) else { return false }
    // A URL without a protocol gets "https://".
    let added = host + (url.lowerBound == domain.lowerBound ? 8 : 0)
    // No text has more UTF-16 units than bytes, so most URLs need no counting.
    if url.count + added <= longestURL { return true }
    return utf16Length(text[url]) - utf16Length(text[domain]) + added <= longestURL
  }

  private static func utf16Length(_ bytes: Slice<ByteView>) -> Int {
    bytes.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + ($1 >= 0xF0 ? 2 : 1) }
  }
}
