import Libc
import MediaStore
import TweetCore
import TweetNet
import TwitterText

/// Addresses as people write them: operands, and the lines of a list.
enum PlainAddress {
  /// Longer ones are no addresses: servers refuse them (RFC 9110 §4.1 recommends 8000 bytes).
  private static let limit = 8192

  /// The URL that an operand means; `nil` if it is the name of a file. What has `://` in it is always a URL; of
  /// everything else a file of that name comes first.
  static func url(ofOperand text: String) -> String? {
    if text.contains("://") { return text }
    guard let url = url(text), access(text, F_OK) != 0 else { return nil }
    return url
  }

  /// The address that a line of a list means; `nil` if the line is none. A line in which nothing is of JSON is an
  /// address all the same, one that cannot be used: who reads the answers sees which.
  static func address(ofLine line: ByteView) -> String? {
    guard let first = line.firstIndex(where: { $0 > 0x20 }), let last = line.lastIndex(where: { $0 > 0x20 }) else {
      return nil
    }
    let bytes = line.extracting(first...last)
    if isWhole(bytes) { return String(decoding: bytes, as: UTF8.self) }
    guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
    let words = text.split(whereSeparator: \.isWhitespace)
    let bare = withoutWrapping(words.joined(separator: " "))
    if words.count == 1, let url = url(bare) { return url }
    let mayBeMeant = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && !"\"{}[]".utf8.contains($0) }
    // An address among other words is not put together with them to another one.
    return mayBeMeant && !bare.isEmpty && bare.utf8.count <= limit && !bare.contains("://") ? bare : nil
  }

  /// Whether a text is an address as it stands, as most lines are: one word of ASCII with a scheme, which ends with
  /// nothing of what people paste with an address.
  private static func isWhole(_ text: ByteView) -> Bool {
    guard text.count <= limit, text.count > 8, text.starts(with: "http://".utf8) || text.starts(with: "https://".utf8),
      let last = text.last, last != UInt8(ascii: ","), last != UInt8(ascii: ";")
    else { return false }
    return text.allSatisfy { $0 > 0x20 && $0 < 0x7F }
  }

  /// An address without what people paste with it: a comma or semicolon at the end, and quotes or angle brackets around
  /// it (RFC 3986, appendix C).
  static func withoutWrapping(_ text: String) -> String {
    guard let first = text.utf8.first, let last = text.utf8.last else { return text }
    // Most addresses have nothing of it.
    if first != 0x22, first != 0x27, first != 0x3C, first < 0x80, last != 0x2C, last != 0x3B { return text }
    var rest = text[...]
    if rest.last == "," || rest.last == ";" { rest.removeLast() }
    let pairs: [Character: Character] = ["<": ">", "\"": "\"", "'": "'", "\u{201C}": "\u{201D}", "\u{AB}": "\u{BB}"]
    if rest.count > 2, let open = rest.first, pairs[open] == rest.last { rest = rest.dropFirst().dropLast() }
    if rest.last == "," || rest.last == ";" { rest.removeLast() }
    return String(rest)
  }

  /// The URL that a text means: itself if it has a scheme that is checked, with `http` if it begins with a host. `nil`
  /// for everything else.
  static func url(_ text: String) -> String? {
    guard !text.isEmpty, text.utf8.count <= limit, text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
    // Most addresses are such.
    if text.utf8.starts(with: "https://".utf8) || text.utf8.starts(with: "http://".utf8) { return text }
    if let scheme = LinkKind.scheme(of: text) {
      if text.contains("://") || MusicServices.schemes.contains(scheme) || isWebAddress(text, scheme) { return text }
    }
    return startsWithHost(text) ? "http://" + text : nil
  }

  /// Whether it is one that browsers read although it has one slash: a password in it is not to be printed as the name
  /// of a file.
  private static func isWebAddress(_ text: String, _ scheme: String) -> Bool {
    (scheme == "http" || scheme == "https") && text.utf8.dropFirst(scheme.utf8.count).starts(with: ":/".utf8)
  }

  /// Whether a text without a scheme begins with the name of a host. A name alone, as `example.com`, must end in a
  /// top-level domain, since file names have dots too; before a port or a path every name with a dot is a host's.
  private static func startsWithHost(_ text: String) -> Bool {
    let authority = text.prefix { !"/?#".contains($0) }
    guard WebAddress("http://" + text) != nil, !authority.contains("@") else { return false }
    if authority.hasPrefix("[") { return true }
    let parts = authority.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 1 || parts.count == 2 && UInt16(parts[1]) != nil else { return false }
    let hasMore = parts.count == 2 || authority.endIndex < text.endIndex
    let labels = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard labels.allSatisfy(isLabel), let last = labels.last else { return false }
    if last.allSatisfy(\.isNumber) { return labels.count == 4 && labels.allSatisfy { UInt8($0) != nil } }
    if labels.count == 1 { return parts[0] == "localhost" && hasMore }
    return hasMore || TopLevelDomain.isKnown(String(last))
  }

  private static func isLabel(_ label: Substring) -> Bool {
    !label.isEmpty && label.utf8.count <= 63
      && label.unicodeScalars.allSatisfy { scalar in
        scalar.value >= 0x80 || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
          || scalar == "-" || scalar == "_"
      }
  }
}
