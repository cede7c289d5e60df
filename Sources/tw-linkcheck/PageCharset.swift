import Libc
import TweetCore

/// The character encoding of a page, found as the HTML standard says: by its first bytes, by the header, by a `meta`
/// element, else by what its bytes can be.
enum PageCharset {
  /// A `meta` element is looked for in this many bytes. The HTML standard's first look takes 1024 ("prescan a byte
  /// stream"), but a browser that meets a `meta` element later reads the page anew.
  private static let prescanned = 64 << 10

  /// The text of a page as UTF-8. What is no text in its encoding becomes U+FFFD.
  /// - Parameter charset: of the `Content-Type` header, in lower case.
  static func decode(_ body: [UInt8], charset: String?) -> [UInt8] {
    if body.starts(with: [0xEF, 0xBB, 0xBF]) { return utf8(body.dropFirst(3)) }
    if body.starts(with: [0xFF, 0xFE]) { return TextDecoder("UTF-16LE")?.decode(body.dropFirst(2)) ?? [] }
    if body.starts(with: [0xFE, 0xFF]) { return TextDecoder("UTF-16BE")?.decode(body.dropFirst(2)) ?? [] }
    let named = charset.flatMap(name(of:)) ?? declared(in: body)
    if let named, named != "UTF-8" { return TextDecoder(named)?.decode(body[...]) ?? utf8(body[...]) }
    // Nobody says so, but text that can be UTF-8 is.
    if named != nil || isUTF8(body) { return utf8(body[...]) }
    return TextDecoder("WINDOWS-1252")?.decode(body[...]) ?? utf8(body[...])
  }

  private static func utf8(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Array(String(decoding: bytes, as: UTF8.self).utf8) }

  /// Whether the beginning of a text is UTF-8. It may end inside a character.
  private static func isUTF8(_ body: [UInt8]) -> Bool {
    (0...3).contains { body.count >= $0 && String(validating: body.dropLast($0), as: UTF8.self) != nil }
  }

  /// The encoding that a `meta` element names. The page is read by ASCII, which all such encodings contain.
  private static func declared(in body: [UInt8]) -> String? {
    body.prefix(prescanned).withBytes { bytes in
      var tokens = HTMLTokens(bytes)
      while let token = tokens.next() {
        guard case .start(let tag) = token, tag.element == .metadata else { continue }
        if let value = tag.value("charset") { return label(String(decoding: value, as: UTF8.self)) }
        guard tag.value("http-equiv")?.spells("content-type") == true, let content = tag.value("content") else {
          continue
        }
        let text = String(decoding: content, as: UTF8.self)
        if let charset = ContentType(text)?.charset { return label(charset) }
      }
      return nil
    }
  }

  /// A page whose `meta` element could be read is not in UTF-16, whatever it says.
  private static func label(_ text: String) -> String? {
    name(of: text).map { $0.hasPrefix("UTF-16") ? "UTF-8" : $0 }
  }

  /// iconv's name of an encoding of the web; `nil` for all others. A stranger's text never goes to iconv as a name.
  private static func name(of label: String) -> String? {
    let text = label.lowercased().filter { !$0.isWhitespace && $0 != "\"" && $0 != "'" }
    return CharsetTable.names[text]
  }
}

/// Decodes text by the C library's iconv.
struct TextDecoder: ~Copyable {
  private let descriptor: iconv_t

  /// - Parameter name: iconv's name of the encoding.
  /// - Returns: `nil` if this system does not know it.
  init?(_ name: String) {
    guard let descriptor = iconv_open("UTF-8", name), descriptor != iconv_t(bitPattern: -1) else { return nil }
    self.descriptor = descriptor
  }

  deinit { iconv_close(descriptor) }

  /// The text as UTF-8, with U+FFFD in the place of bytes that are none. A character that is cut off at the end is left
  /// out.
  func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var input = bytes.map { CChar(bitPattern: $0) }
    var output = ByteBuffer(capacity: bytes.count * 2)
    var piece = [CChar](repeating: 0, count: 4096)
    input.withUnsafeMutableBufferPointer { input in
      var (start, left) = (input.baseAddress, input.count)
      var isFlushed = false
      while !isFlushed {
        // Without input iconv writes what it holds back: a letter, say, that an accent may follow.
        isFlushed = left == 0
        let failure: Int32 = piece.withUnsafeMutableBufferPointer { piece in
          var (end, room) = (piece.baseAddress, piece.count)
          let result =
            isFlushed ? iconv(descriptor, nil, nil, &end, &room) : iconv(descriptor, &start, &left, &end, &room)
          let failure = result == -1 ? errno : 0
          UnsafeRawBufferPointer(piece).prefix(piece.count - room).withMemoryRebound(to: UInt8.self) {
            output.append(ByteView($0))
          }
          return failure
        }
        switch failure {
        case EILSEQ where left > 0:
          output.append(scalar: 0xFFFD)
          start = start.map { $0 + 1 }
          left -= 1
        // The last bytes are a part of a character.
        case EINVAL: left = 0
        case 0, E2BIG: break
        default: return
        }
      }
    }
    return output.array
  }
}
