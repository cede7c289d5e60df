/// A WebP is a row of chunks in a RIFF file (RFC 9649 §2).
enum WebPMetadata {
  private static let shown: Set = ["VP8 ", "VP8L", "VP8X", "ALPH", "ANIM", "ANMF", "ICCP"]
  /// In the head of an extended file: there are Exif data, and XMP data.
  private static let (exifFlag, xmpFlag): (UInt8, UInt8) = (0x08, 0x04)

  /// Whether it moves (RFC 9649 §2.7.1).
  static func isAnimated(_ bytes: [UInt8]) -> Bool {
    bytes.count > 20 && bytes[8..<16].elementsEqual("WEBPVP8X".utf8) && bytes[20] & 0x02 != 0
  }

  /// The same picture without XMP, unknown chunks, and what follows the picture's end; of its Exif data the orientation
  /// stays.
  ///
  /// - Returns: `nil` for bytes that are not a whole WebP.
  static func removed(from bytes: [UInt8]) -> [UInt8]? {
    guard bytes.count >= 12, bytes.starts(with: "RIFF".utf8), bytes[8..<12].elementsEqual("WEBP".utf8) else {
      return nil
    }
    let end = 8 + little(bytes[4..<8])
    guard end <= bytes.count, let chunks = chunks(in: bytes[12..<end]) else { return nil }
    var kept = Array("WEBP".utf8)
    var exif: Exif?
    var head: Int?
    for chunk in chunks {
      if chunk.name == "EXIF", exif == nil { exif = Exif(chunk.content) }
      guard shown.contains(chunk.name) else { continue }
      if chunk.name == "VP8X" {
        guard chunk.content.count >= 10, head == nil else { return nil }
        head = kept.count + 8
      }
      guard chunk.name == "ANMF" else {
        kept += Self.chunk(chunk.name, chunk.content)
        continue
      }
      // A frame: where and how long it is shown, and chunks of its own.
      guard chunk.content.count >= 16, let parts = Self.chunks(in: chunk.content.dropFirst(16)) else { return nil }
      let frame = parts.filter { shown.contains($0.name) }.flatMap { Self.chunk($0.name, $0.content) }
      kept += Self.chunk("ANMF", chunk.content.prefix(16) + frame)
    }
    if let head {
      kept[head] &= ~(exifFlag | xmpFlag)
      if let exif {
        kept[head] |= exifFlag
        kept += Self.chunk("EXIF", exif.tiff[...])
      }
    }
    guard kept.count > 4 else { return nil }
    return Array("RIFF".utf8) + little(kept.count) + kept
  }

  private static func chunks(in bytes: ArraySlice<UInt8>) -> [(name: String, content: ArraySlice<UInt8>)]? {
    var chunks: [(name: String, content: ArraySlice<UInt8>)] = []
    var rest = bytes
    while !rest.isEmpty {
      guard rest.count >= 8 else { return nil }
      let size = little(rest.dropFirst(4).prefix(4))
      guard size <= rest.count - 8 else { return nil }
      chunks.append((String(decoding: rest.prefix(4), as: UTF8.self), rest.dropFirst(8).prefix(size)))
      // Each begins at an even position.
      rest = rest.dropFirst(8 + size + size % 2)
    }
    return chunks
  }

  private static func chunk(_ name: String, _ content: ArraySlice<UInt8>) -> [UInt8] {
    Array(name.utf8) + little(content.count) + content + (content.count % 2 == 0 ? [] : [0])
  }

  private static func little(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reversed().reduce(0) { $0 << 8 | Int($1) } }

  private static func little(_ number: Int) -> [UInt8] {
    [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
