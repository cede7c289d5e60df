import TweetCore

/// What follows a URL's domain, and how long a URL may be.
enum URLParts {
  /// The longest URL, with its protocol and its domain in punycode, in UTF-16 units.
  private static let longestURL = 4096
  /// The longest name behind `t.co/`.
  private static let longestShortName = 40

  /// The end of a path behind its slash. Parentheses belong to it where they are balanced, two deep at most; stops,
  /// commas and the like at its end do not.
  static func pathEnd(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var place = start
    var end = start
    while place < text.count {
      let scalar = decodeScalar(text, at: place)
      if scalar.value == 0x28 {
        guard let close = parenthesesEnd(in: text, from: place + 1) else { break }
        // They may end a path, but not directly behind what may not.
        if end == place { end = close }
        place = close
        continue
      }
      guard ScalarSets.isPathCharacter(scalar.value) else { break }
      place += scalar.length
      if ScalarSets.isPathEnd(scalar.value) { end = place }
    }
    return end
  }

  /// The end of a query that starts at `start`, or `start` when there is none.
  static func queryEnd(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    guard start < text.count, text[start] == UInt8(ascii: "?") else { return start }
    var end = start
    var place = start + 1
    while place < text.count, ScalarSets.isQueryCharacter(text[place]) {
      place += 1
      if ScalarSets.isQueryEnd(text[place - 1]) { end = place }
    }
    return end
  }

  /// The end of parentheses that open before `start`, with path characters and at most one more pair in them.
  private static func parenthesesEnd(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
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

  private static func pathCharactersEnd(in text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var end = start
    while end < text.count {
      let scalar = decodeScalar(text, at: end)
      guard ScalarSets.isPathCharacter(scalar.value) else { break }
      end += scalar.length
    }
    return end
  }

  /// Where a URL with a protocol ends if it is one of X's short links: behind the name and a query. `nil` when the name
  /// is too long; any other URL ends where it did.
  static func shortLinkEnd(in text: UnsafeBufferPointer<UInt8>, url: Range<Int>) -> Int? {
    let rest = UnsafeBufferPointer(rebasing: text[url])
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

  static func isWithinLimits(_ text: UnsafeBufferPointer<UInt8>, url: Range<Int>, domain: Range<Int>) -> Bool {
    guard let host = HostName.encodedLength(text[domain]) else { return false }
    // No byte is more than one UTF-16 unit: most URLs need no counting.
    let added = host + (url.lowerBound == domain.lowerBound ? 8 : 0)
    if url.count + added <= longestURL { return true }
    return utf16Length(text[url]) - utf16Length(text[domain]) + added <= longestURL
  }

  private static func utf16Length(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
    bytes.reduce(0) { $1 & 0xC0 == 0x80 ? $0 : $0 + ($1 >= 0xF0 ? 2 : 1) }
  }
}
