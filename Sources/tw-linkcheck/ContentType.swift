/// A `Content-Type` header's value.
struct ContentType: Equatable {
  /// Type and subtype, lower case.
  let essence: String
  /// What stands after them.
  private let parameters: Substring

  /// `nil` when `header` is not a media type.
  init?(_ header: String?) {
    guard let header else { return nil }
    let end = header.utf8.firstIndex(of: UInt8(ascii: ";")) ?? header.endIndex
    let essence = Self.tidy(header[..<end])
    // A media type's name is a token of at most 127 characters on each side (RFC 6838 §4.2).
    guard essence.utf8.count <= 255, essence.utf8.split(separator: UInt8(ascii: "/")).count == 2,
      essence.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    else { return nil }
    self.essence = essence
    parameters = header[end...].dropFirst()
  }

  /// Lower case.
  var charset: String? {
    parameters.split(separator: ";").lazy.map(Self.tidy).first { $0.hasPrefix("charset=") }.map {
      $0.dropFirst("charset=".count).filter { $0 != "\"" && $0 != "'" }
    }
  }

  /// Without spaces and control characters, in lower case.
  private static func tidy(_ text: Substring) -> String {
    let isTidy = text.utf8.allSatisfy { (0x21..<0x80).contains($0) && !(0x41...0x5A).contains($0) }
    return isTidy ? String(text) : String(decoding: text.utf8.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
  }

  var isPage: Bool { Self.isPage(essence) }

  /// Whether it is the type, in lower case and without parameters, of a page.
  static func isPage(_ essence: String?) -> Bool { essence == "text/html" || essence == "application/xhtml+xml" }
}
