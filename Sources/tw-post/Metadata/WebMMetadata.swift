import TweetCore

/// A WebM is elements in elements (EBML, RFC 8794; Matroska, RFC 9559). What is removed keeps its room, as in an MP4.
enum WebMMetadata {
  /// Most elements that are looked at.
  private static let mostElements = 1_000_000

  private static let (segment, cluster) = (0x1853_8067, 0x1F43_B675)
  /// Tags, attached files, and room that nobody wrote anew.
  private static let removed: Set = [0x1254_C367, 0x1941_A469, 0xEC]

  /// - Returns: what to fill; `nil` for a file that is not whole.
  static func patches(of file: borrowing MediaFile) throws(ToolError) -> [MediaContent.Patch]? {
    var patches: [MediaContent.Patch] = []
    var (at, count, hasSegment) = (0, 0, false)
    while at < file.size {
      count += 1
      let head = try file.piece(at: at, length: 12)
      guard count <= mostElements, let id = number(head, keepsMark: true), id.length <= 4,
        let size = number(Array(head[id.length...]), keepsMark: false)
      else { return nil }
      let content = at + id.length + size.length
      let isUnknown = size.value == 1 << (7 * size.length) - 1
      hasSegment = hasSegment || id.value == segment
      // A live stream does not say how long these are. A segment is looked into anyway.
      if id.value == segment || isUnknown && id.value == cluster {
        at = content
        continue
      }
      guard !isUnknown, content <= file.size, size.value <= file.size - content else { return nil }
      let end = content + size.value
      if removed.contains(id.value) { patches.append(contentsOf: void(at..<end)) }
      at = end
    }
    return hasSegment ? patches : nil
  }

  /// An element of nothing in the place of another.
  private static func void(_ range: Range<Int>) -> [MediaContent.Patch] {
    // The size as one byte, or as eight, so that elements of all sizes can be filled.
    let head: [UInt8]
    if range.count < 9 {
      head = [0xEC, 0x80 | UInt8(range.count - 2)]
    } else {
      let size = range.count - 9
      head = [0xEC, 0x01] + (0..<7).map { UInt8(truncatingIfNeeded: size >> (48 - 8 * $0)) }
    }
    let content = range.lowerBound + head.count
    return [.init(range: range.lowerBound..<content, bytes: head), .init(range: content..<range.upperBound, bytes: [])]
  }

  /// A number whose first bit that is set says how many bytes it has (RFC 8794 §4).
  private static func number(_ bytes: [UInt8], keepsMark: Bool) -> (value: Int, length: Int)? {
    guard let first = bytes.first, first > 0 else { return nil }
    let length = first.leadingZeroBitCount + 1
    guard length <= bytes.count else { return nil }
    let value = bytes[..<length].reduce(0) { $0 << 8 | Int($1) }
    return (keepsMark ? value : value & (1 << (7 * length) - 1), length)
  }
}
