import TweetCore

/// Files that people give by mistake where records or JSON are read. The first bytes say what one is; its name does not
/// count.
enum ForeignKind: CaseIterable {
  case png, jpeg, gif, riff, pdf, database

  /// The bytes that such a file starts with.
  private var magic: [UInt8] {
    switch self {
    case .png: [0x89, 0x50, 0x4E, 0x47]
    case .jpeg: [0xFF, 0xD8, 0xFF]
    case .gif: Array("GIF8".utf8)
    case .riff: Array("RIFF".utf8)
    case .pdf: Array("%PDF".utf8)
    case .database: Array("SQLite".utf8)
    }
  }

  private var name: String {
    switch self {
    case .png: "a PNG picture"
    case .jpeg: "a JPEG picture"
    case .gif: "a GIF picture"
    case .riff: "a WebP picture, a sound or a video"
    case .pdf: "a PDF document"
    case .database: "a database; 'tw-cache --db FILE' reads one of tweets"
    }
  }

  /// The longest first line of a table that is recognised.
  static let longestHeading = 4096

  /// What an input is that cannot hold records, with what to do; `nil` for one that may.
  /// - Parameter head: its first bytes, up to ``longestHeading`` where they are known.
  static func description(of head: [UInt8]) -> String? {
    if let kind = allCases.first(where: { head.starts(with: $0.magic) }) {
      return "it is \(kind.name)" + (kind == .database ? "" : ", not JSON with tweets")
    }
    return isTable(head) ? "it is a table (CSV), not JSON with tweets; give the JSON that it was made of" : nil
  }

  /// Whether the first line is a heading of a table: at least two names with commas, semicolons or tabs between them.
  private static func isTable(_ head: [UInt8]) -> Bool {
    let line = head.prefix { $0 != 0x0A && $0 != 0x0D }
    guard line.count < head.count,
      let separator = [UInt8(ascii: ","), UInt8(ascii: ";"), 0x09].first(where: line.contains)
    else { return false }
    return line.split(separator: separator, omittingEmptySubsequences: false).allSatisfy { field in
      let isQuoted = field.count > 2 && field.first == UInt8(ascii: "\"") && field.last == UInt8(ascii: "\"")
      let name = isQuoted ? field.dropFirst().dropLast() : field
      guard let first = name.first, first.isNameLetter else { return false }
      return name.allSatisfy {
        $0.isNameLetter || $0.isASCIIDigit || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: " ")
      }
    }
  }
}

extension UInt8 {
  fileprivate var isNameLetter: Bool { (0x61...0x7A).contains(self | 0x20) || self == UInt8(ascii: "_") }
}
