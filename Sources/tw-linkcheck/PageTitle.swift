import TweetCore

/// The title of an HTML page, found in the first part of its bytes.
///
/// What a stranger's page says is bounded, put on one line, and kept free of control characters.
enum PageTitle {
  /// In Unicode scalars; longer titles are cut.
  static let limit = 300

  /// - Parameters:
  ///   - body: the beginning of the page.
  ///   - charset: of the `Content-Type` header. Titles are read as UTF-8, or as Latin-1 and its Windows variant when
  ///     the header names it.
  /// - Returns: `nil` when there is no title, it is cut off, or it is in another encoding.
  static func find(in body: [UInt8], charset: String?) -> String? {
    guard let bytes = content(in: body), let text = decode(bytes, charset: charset) else { return nil }
    return tidy(resolveReferences(in: text))
  }

  /// What is in the first `title` element. One in a comment, a script or a picture (`svg`) is none.
  private static func content(in body: [UInt8]) -> ArraySlice<UInt8>? {
    body.withUnsafeBufferPointer { bytes in
      var tokens = HTMLTokens(bytes)
      while let token = tokens.next() {
        if case .title(let range) = token { return body[range] }
      }
      return nil
    }
  }

  private static func decode(_ bytes: ArraySlice<UInt8>, charset: String?) -> String? {
    if let text = String(validating: bytes, as: UTF8.self) { return text }
    guard let charset, ["iso-8859-1", "latin1", "windows-1252", "cp1252"].contains(charset) else { return nil }
    var text = ByteBuffer(capacity: bytes.count)
    for byte in bytes { text.append(scalar: HTMLReference.windows1252(byte)) }
    return text.string
  }

  private static func resolveReferences(in text: String) -> String {
    guard text.utf8.contains(UInt8(ascii: "&")) else { return text }
    var text = text
    return text.withUTF8 { bytes in
      var result = ByteBuffer(capacity: bytes.count)
      var at = 0
      while at < bytes.count {
        let length = bytes[at] == UInt8(ascii: "&") ? HTMLReference.append(bytes, at: at, to: &result) : 0
        if length == 0 { result.append(bytes[at]) }
        at += max(length, 1)
      }
      return result.string
    }
  }

  private static func tidy(_ text: String) -> String? {
    var result = String.UnicodeScalarView()
    var count = 0
    var isGap = false
    for scalar in text.unicodeScalars where count < limit {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: isGap = count > 0
      case .surrogate, .privateUse, .unassigned: continue
      default:
        if isGap, count + 2 > limit { return String(result) }
        if isGap { result.append(" ") }
        count += isGap ? 2 : 1
        isGap = false
        result.append(scalar)
      }
    }
    return result.isEmpty ? nil : String(result)
  }
}
