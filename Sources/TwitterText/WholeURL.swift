import TweetCore

/// Checks texts that should be a URL and nothing else, by twitter-text's reading of RFC 3986.
package enum WholeURL {
  /// Whether a text is a URL as a whole: `http` or `https` unless `requiresProtocol` is false, a host that is a domain
  /// (in any script) or an IP address, and a path, query and fragment of allowed characters.
  package static func isValid(_ text: String, requiresProtocol: Bool = true) -> Bool {
    var text = text
    return text.withUTF8 { bytes in
      guard !bytes.isEmpty else { return false }
      let parts = Parts(bytes)
      guard !requiresProtocol || parts.isWeb else { return false }
      return isAuthority(parts.authority) && parts.path.allAllowed { $0 == UInt8(ascii: "/") }
        && [parts.query, parts.fragment].allSatisfy {
          $0.allAllowed { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") }
        }
    }
  }

  /// A URL cut at its separators (RFC 3986, appendix B).
  private struct Parts {
    let isWeb: Bool
    let authority, path, query, fragment: Slice<UnsafeBufferPointer<UInt8>>

    init(_ text: UnsafeBufferPointer<UInt8>) {
      var start = 0
      if let colon = text.firstIndex(where: { ":/?#".utf8.contains($0) }), text.matches("://", at: colon), colon > 0 {
        start = colon + 3
      }
      isWeb = start == 7 && text.matches("http", at: 0) || start == 8 && text.matches("https", at: 0)
      let authorityEnd = text[start...].firstIndex { "/?#".utf8.contains($0) } ?? text.count
      let pathEnd = text[authorityEnd...].firstIndex { "?#".utf8.contains($0) } ?? text.count
      let queryEnd = text[pathEnd...].firstIndex(of: UInt8(ascii: "#")) ?? text.count
      authority = text[start..<authorityEnd]
      path = text[authorityEnd..<pathEnd]
      query = text[min(pathEnd + 1, queryEnd)..<queryEnd]
      fragment = text[min(queryEnd + 1, text.count)...]
    }
  }

  private static func isAuthority(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    var host = text
    if let at = text.firstIndex(of: UInt8(ascii: "@")) {
      guard text[..<at].allSatisfy({ $0 != UInt8(ascii: "|") }), text[..<at].allAllowed({ _ in false }) else {
        return false
      }
      host = text[(at + 1)...]
    }
    let bracket = host.lastIndex(of: UInt8(ascii: "]")) ?? host.startIndex
    if let colon = host[bracket...].lastIndex(of: UInt8(ascii: ":")) {
      let port = host[(colon + 1)...]
      guard (1...5).contains(port.count), port.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
      host = host[..<colon]
    }
    return isAddress(host) || isDomain(host)
  }

  /// Four numbers, or anything that looks like IPv6 in brackets.
  private static func isAddress(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]"), host.count > 2 {
      return host.dropFirst().dropLast().allSatisfy {
        (0x30...0x39).contains($0) || (0x61...0x66).contains($0 | 0x20) || $0 == 0x3A || $0 == 0x2E
      }
    }
    let numbers = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return numbers.count == 4
      && numbers.allSatisfy { number in
        guard let value = Int(ascii: UnsafeBufferPointer(rebasing: number)) else { return false }
        return (0...255).contains(value) && String(value).utf8.count == number.count
      }
  }

  /// Labels of letters, digits and anything beyond ASCII, with hyphens inside; underscores inside all but the last two.
  private static func isDomain(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count >= 2, let top = labels.last?.first, ScalarSets.isLetter(top) || top >= 0x80 else { return false }
    return labels.enumerated().allSatisfy { index, label in
      guard let first = label.first, let last = label.last, isLetterOrDigit(first), isLetterOrDigit(last) else {
        return false
      }
      let mayHoldUnderscores = index < labels.count - 2
      return label.allSatisfy {
        isLetterOrDigit($0) || $0 == UInt8(ascii: "-") || mayHoldUnderscores && $0 == UInt8(ascii: "_")
      }
    }
  }

  private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    byte >= 0x80 || ScalarSets.isAlphanumeric(UInt32(byte))
  }
}

extension Slice<UnsafeBufferPointer<UInt8>> {
  /// Whether it is made of what paths may hold (`pchar` and Cyrillic) and of what `isMore` says.
  fileprivate func allAllowed(_ isMore: (UInt8) -> Bool) -> Bool {
    var place = startIndex
    while place < endIndex {
      switch self[place] {
      case UInt8(ascii: "%"):
        guard endIndex - place > 2, Self.isHex(self[place + 1]), Self.isHex(self[place + 2]) else { return false }
        place += 2
      // U+0400 to U+04FF are D0 80 to D3 BF.
      case 0xD0...0xD3: place += 1
      case let byte: guard Self.isPathCharacter(byte) || isMore(byte) else { return false }
      }
      place += 1
    }
    return true
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte | 0x20)
  }

  private static func isPathCharacter(_ byte: UInt8) -> Bool {
    ScalarSets.isAlphanumeric(UInt32(byte)) || "-._~!$&'()*+,;=:|@".utf8.contains(byte)
  }
}
