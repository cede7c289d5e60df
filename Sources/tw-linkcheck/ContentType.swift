/// A `Content-Type` header's value.
struct ContentType: Equatable {
  /// Type and subtype, lower case.
  let essence: String
  /// Lower case.
  let charset: String?

  /// `nil` when `header` is not a media type.
  init?(_ header: String?) {
    guard let header else { return nil }
    let parts = header.utf8.split(separator: UInt8(ascii: ";")).map { part in
      String(decoding: part.filter { $0 > 0x20 }, as: UTF8.self).lowercased()
    }
    // A media type's name is a token of at most 127 characters on each side (RFC 6838 §4.2).
    guard let essence = parts.first, essence.utf8.count <= 255,
      essence.utf8.split(separator: UInt8(ascii: "/")).count == 2,
      essence.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    else { return nil }
    self.essence = essence
    charset = parts.dropFirst().first { $0.hasPrefix("charset=") }.map {
      $0.dropFirst("charset=".count).filter { $0 != "\"" && $0 != "'" }
    }
  }

  var isPage: Bool { Self.isPage(essence) }

  /// Whether it is the type, in lower case and without parameters, of a page.
  static func isPage(_ essence: String?) -> Bool { essence == "text/html" || essence == "application/xhtml+xml" }
}
