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
    case .zstd: ["zstd", "-dcq"]
    case .utf32LittleEndian, .utf32BigEndian: ["iconv", "-f", "UTF-32", "-t", "UTF-8"]
    case .utf16LittleEndian, .utf16BigEndian: ["iconv", "-f", "UTF-16", "-t", "UTF-8"]
    case .zip, .emptyZip: nil
    }
  }

  /// This many bytes are enough to recognise every kind.
  static let magicLength = 6

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
