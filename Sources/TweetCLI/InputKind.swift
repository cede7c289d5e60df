/// The kinds of input that are not plain UTF-8. The first bytes of an input say which one it is; its name does not
/// count.
enum InputKind: CaseIterable {
  // The mark of UTF-32 begins with that of UTF-16.
  case gzip, bzip2, xz, zstd, utf32LittleEndian, utf32BigEndian, utf16LittleEndian, utf16BigEndian, zip, emptyZip

  /// The bytes that such an input starts with, by RFC 1952, the formats of bzip2 and xz, RFC 8878, U+FEFF, and PKWARE's
  /// APPNOTE.TXT, 4.3.
  var magic: [UInt8] {
    switch self {
    case .gzip: [0x1F, 0x8B]
    case .bzip2: [0x42, 0x5A, 0x68]
    case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
    case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
    case .utf32LittleEndian: [0xFF, 0xFE, 0x00, 0x00]
    case .utf32BigEndian: [0x00, 0x00, 0xFE, 0xFF]
    case .utf16LittleEndian: [0xFF, 0xFE]
    case .utf16BigEndian: [0xFE, 0xFF]
    case .zip: [0x50, 0x4B, 0x03, 0x04]
    case .emptyZip: [0x50, 0x4B, 0x05, 0x06]
    }
  }

  /// The command that decodes standard input to standard output; `nil` for an archive.
  var command: [String]? {
    switch self {
    case .gzip: ["gzip", "-dc"]
    case .bzip2: ["bzip2", "-dc"]
    case .xz: ["xz", "-dc"]
    // Without the last, windows of more than 128 MiB are refused.
    case .zstd: ["zstd", "-dcq", "--long=31"]
    case .utf32LittleEndian, .utf32BigEndian: ["iconv", "-f", "UTF-32", "-t", "UTF-8"]
    case .utf16LittleEndian, .utf16BigEndian: ["iconv", "-f", "UTF-16", "-t", "UTF-8"]
    case .zip, .emptyZip: nil
    }
  }

  /// What exit statuses of that command mean.
  /// - Parameter head: the first bytes of the input.
  func faults(_ head: [UInt8]) -> [Int32: String] {
    guard self == .zstd, let window = Self.zstdWindow(head), window > 128 << 20 else { return [:] }
    let size = "a window of \(window >> 20) MiB"
    return [
      1: window > 2 << 30
        ? "it needs \(size), and 'zstd' reads up to 2048"
        : "it needs \(size): 'zstd' says that memory is short, or that the file is damaged or cut off"
    ]
  }

  /// The window of the first frame, RFC 8878, 3.1.1.1: how far back in the plain bytes it may refer.
  private static func zstdWindow(_ head: [UInt8]) -> Int? {
    guard head.count > 5 else { return nil }
    let flags = head[4]
    if flags & 0x20 == 0 {
      let base = 1 << (10 + Int(head[5] >> 3))
      return base + base / 8 * Int(head[5] & 7)
    }
    // It is the whole content then.
    let length = [1, 2, 4, 8][Int(flags >> 6)]
    let field = head.dropFirst(5 + [0, 1, 2, 4][Int(flags & 3)]).prefix(length)
    return Int(exactly: field.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  /// This many bytes are enough to recognise every kind, and to find the window of zstd.
  static let magicLength = 17

  /// The kind of an input whose first bytes are `head`; `nil` for plain input.
  static func kind(of head: [UInt8]) -> InputKind? {
    allCases.first { head.starts(with: $0.magic) }
  }

  /// Whether an input that starts with `bytes`, perhaps only the first of `magicLength`, is plain.
  static func isPlain(_ bytes: [UInt8]) -> Bool {
    !allCases.contains { kind in Swift.zip(kind.magic, bytes).allSatisfy { $0 == $1 } }
  }

  /// Where a tar archive has the word `ustar`: POSIX.1-1988 and all that came after it.
  private static let tarMagicOffset = 257
  private static let tarMagic = Array("ustar".utf8)
  /// This many bytes are enough to recognise a tar archive.
  static let tarMagicLength = tarMagicOffset + tarMagic.count

  static func isTar(_ head: [UInt8]) -> Bool { head.dropFirst(tarMagicOffset).starts(with: tarMagic) }

  /// Whether a tar archive may start with this byte, which is the first of a file's name. Documents start with others.
  static func mayStartTar(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte != UInt8(ascii: "{") && byte != UInt8(ascii: "[") && byte != UInt8(ascii: "\"")
      && byte != UInt8(ascii: ":")
  }
}
