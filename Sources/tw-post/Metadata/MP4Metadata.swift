import TweetCore

/// MP4 and QuickTime files are boxes in boxes (ISO/IEC 14496-12 §4.2, "QuickTime File Format", atoms). What is removed
/// keeps its room, since tables hold the positions of what comes after it.
struct MP4Metadata {
  private var patches: [MediaContent.Patch] = []
  private var boxes = 0
  private var isFragmented = false

  /// Most boxes that are looked at, and most bytes of a table; far more than a video of hours has.
  private static let mostBoxes = 100_000
  private static let longestTable = 4 << 20

  /// - Returns: what to fill; `nil` for a file that is not whole, or whose other data cannot be told from the video.
  static func patches(of file: borrowing MediaFile) throws(ToolError) -> [MediaContent.Patch]? {
    var metadata = MP4Metadata()
    guard let boxes = try metadata.list(file, 0..<file.size), boxes.contains(where: { $0.kind == "moov" }) else {
      return nil
    }
    metadata.isFragmented = boxes.contains { $0.kind == "moof" }
    guard try metadata.blank(boxes, file) else { return nil }
    return metadata.patches
  }

  /// How the first video track is shown (§8.3.2): its size, which its matrix may turn.
  ///
  /// - Returns: `nil` for a file without such a track, or one that is not whole.
  static func size(of file: borrowing MediaFile) throws(ToolError) -> (width: Int, height: Int)? {
    var metadata = MP4Metadata()
    guard let film = try metadata.list(file, 0..<file.size)?.first(where: { $0.kind == "moov" }),
      let tracks = try metadata.list(file, film.content)
    else { return nil }
    for track in tracks where track.kind == "trak" {
      guard try metadata.handler(file, track) == "vide", let head = try metadata.find(file, track, "tkhd"),
        head.content.count >= 84
      else { continue }
      // The end is the same in all versions: a matrix of nine numbers, then the size in parts of 65536.
      let end = try file.piece(at: head.content.upperBound - 44, length: 44)
      let numbers = stride(from: 0, to: 44, by: 4).map { number(end[$0..<$0 + 4]) }
      let (width, height) = (numbers[9] >> 16, numbers[10] >> 16)
      guard width > 0, height > 0 else { continue }
      let isTurned = numbers[0] == 0 && numbers[4] == 0
      return isTurned ? (height, width) : (width, height)
    }
    return nil
  }

  private struct Box {
    let kind: String
    /// With its head.
    let range: Range<Int>
    let content: Range<Int>
  }

  /// Fills what is not shown.
  /// - Returns: false where that is not known.
  private mutating func blank(_ found: [Box], _ file: borrowing MediaFile) throws(ToolError) -> Bool {
    for box in found {
      switch box.kind {
      // Other programs' data (places are in `©xyz`, `loci` and Apple's keys), XMP, and room that nobody wrote anew.
      case "udta", "meta", "uuid", "free", "skip": blank(box)
      // The boxes of the film, compressed: only old QuickTime files have that.
      case "cmov": return false
      case "trak":
        guard let kind = try handler(file, box) else { return false }
        // Pictures, sound, and the times at which both were recorded.
        if ["vide", "soun", "tmcd"].contains(kind) {
          guard let parts = try list(file, box.content), try blank(parts, file) else { return false }
        } else {
          // A track of places, of telemetry or of texts. Where it is in a film of fragments, the fragments say.
          guard !isFragmented, try blankSamples(file, box) else { return false }
          blank(box)
        }
      case "moov":
        guard let parts = try list(file, box.content), try blank(parts, file) else { return false }
      default: break
      }
    }
    return true
  }

  /// The boxes that a part of the file consists of; `nil` if it does not consist of boxes.
  private mutating func list(_ file: borrowing MediaFile, _ range: Range<Int>) throws(ToolError) -> [Box]? {
    var found: [Box] = []
    var at = range.lowerBound
    while at < range.upperBound {
      boxes += 1
      guard boxes <= Self.mostBoxes else { return nil }
      let head = try file.piece(at: at, length: min(16, range.upperBound - at))
      // QuickTime ends the list of what users added with four zero bytes.
      if head.count == 4, head.allSatisfy({ $0 == 0 }) { return found }
      guard head.count >= 8 else { return nil }
      var (size, headSize) = (Self.number(head[..<4]), 8)
      if size == 1 {
        guard head.count == 16, head[8] < 0x40 else { return nil }
        (size, headSize) = (Self.number(head[8..<16]), 16)
      } else if size == 0 {
        size = range.upperBound - at
      }
      guard size >= headSize, size <= range.upperBound - at else { return nil }
      let kind = String(decoding: head[4..<8], as: UTF8.self)
      found.append(Box(kind: kind, range: at..<at + size, content: at + headSize..<at + size))
      at += size
    }
    return found
  }

  /// A box of nothing in the place of one.
  private mutating func blank(_ box: Box) {
    patches.append(.init(range: box.range.lowerBound + 4..<box.range.lowerBound + 8, bytes: Array("free".utf8)))
    patches.append(.init(range: box.content, bytes: []))
  }

  /// The only box in another one, by the kinds on the way.
  private mutating func find(
    _ file: borrowing MediaFile, _ box: Box, _ path: String...
  ) throws(ToolError) -> Box? {
    var box = box
    for kind in path {
      guard let next = try list(file, box.content)?.first(where: { $0.kind == kind }) else { return nil }
      box = next
    }
    return box
  }

  /// What a track is of: `vide`, `soun` and so on (§8.4.3).
  private mutating func handler(_ file: borrowing MediaFile, _ track: Box) throws(ToolError) -> String? {
    guard let box = try find(file, track, "mdia", "hdlr"), box.content.count >= 12 else { return nil }
    return String(decoding: try file.piece(at: box.content.lowerBound + 8, length: 4), as: UTF8.self)
  }

  // MARK: Samples

  /// Fills all that a track shows: its chunks stand between those of the other tracks (§8.7).
  private mutating func blankSamples(_ file: borrowing MediaFile, _ track: Box) throws(ToolError) -> Bool {
    guard let box = try find(file, track, "mdia", "minf", "stbl"), let tables = try list(file, box.content) else {
      return false
    }
    guard let sizes = try words("stsz", tables, file), sizes.count >= 3, let runs = try words("stsc", tables, file),
      runs.count >= 2
    else { return false }
    let offsets: [Int]
    if let short = try words("stco", tables, file), short.count >= 2 {
      offsets = Array(short.dropFirst(2))
    } else if let long = try words("co64", tables, file), long.count >= 2 {
      let halves = Array(long.dropFirst(2))
      offsets = stride(from: 0, to: halves.count - 1, by: 2).map { halves[$0] << 32 | halves[$0 + 1] }
    } else {
      return false
    }
    // A chunk has as many samples as the last run says that begins at it or before it.
    var (sample, run, inChunk) = (0, 2, 0)
    for (index, offset) in offsets.enumerated() {
      while run + 2 < runs.count, runs[run] <= index + 1 { (inChunk, run) = (runs[run + 1], run + 3) }
      var size = 0
      for _ in 0..<inChunk where sample < sizes[2] {
        guard sizes[1] > 0 || sample + 3 < sizes.count else { return false }
        size += sizes[1] > 0 ? sizes[1] : sizes[sample + 3]
        sample += 1
      }
      guard offset >= 0, size <= file.size, offset <= file.size - size else { return false }
      patches.append(.init(range: offset..<offset + size, bytes: []))
    }
    return sample == sizes[2]
  }

  /// A table as numbers of four bytes, the first of which has its version.
  private func words(
    _ kind: String, _ tables: [Box], _ file: borrowing MediaFile
  ) throws(ToolError) -> [Int]? {
    guard let table = tables.first(where: { $0.kind == kind }), table.content.count <= Self.longestTable else {
      return nil
    }
    let bytes = try file.piece(at: table.content.lowerBound, length: table.content.count)
    return stride(from: 0, to: bytes.count - 3, by: 4).map { Self.number(bytes[$0..<$0 + 4]) }
  }

  private static func number(_ bytes: some Collection<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
