import Foundation

@testable import tw_local

/// Pictures and videos that say more than they show. What nobody is to learn has the text ``secret`` in it, and a
/// position as cameras store it.
enum MediaSample {
  static let secret = "52.5163 N 13.3777 E"
  static let profile = Array("ICC_PROFILE\0\u{1}\u{1}a colour profile".utf8)

  /// Exif data as a telephone writes them: the orientation, and a directory with a place in it.
  static func exif(_ orientation: UInt8, isLittle: Bool) -> [UInt8] {
    func number(_ value: Int, _ count: Int) -> [UInt8] {
      let bytes = (0..<count).map { UInt8(value >> (8 * $0) & 255) }
      return isLittle ? bytes : bytes.reversed()
    }
    func entry(_ tag: Int, _ kind: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
      number(tag, 2) + number(kind, 2) + number(count, 4) + value
    }
    let place = Array(secret.utf8)
    return Array((isLittle ? "II" : "MM").utf8) + number(42, 2) + number(8, 4) + number(3, 2)
      + entry(0x010F, 2, place.count, number(68, 4)) + entry(0x0112, 3, 1, number(Int(orientation), 2) + [0, 0])
      + entry(0x8825, 4, 1, number(50, 4)) + number(0, 4)
      + number(1, 2) + entry(0x001D, 2, place.count, number(68, 4)) + number(0, 4) + place
  }

  /// What of it stays.
  static func orientation(_ value: UInt8) -> [UInt8] {
    Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1, 1, 0x12, 0, 3, 0, 0, 0, 1, 0, value, 0, 0, 0, 0, 0, 0]
  }

  struct Pair {
    let name: String
    let file: [UInt8]
    /// What is posted of it.
    let clean: [UInt8]
  }

  static func jpeg(_ orientation: UInt8, isLittle: Bool = false) throws -> Pair {
    func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
      [0xFF, marker, UInt8((content.count + 2) >> 8), UInt8((content.count + 2) & 255)] + content
    }
    let plain = try PictureSample.jpeg(width: 32, height: 24)
    // The library begins with a JFIF segment of 16 bytes.
    let (start, rest) = (Array(plain[..<20]), Array(plain[20...]))
    let exif = Array("Exif\0\0".utf8)
    var preview = Array(start[6..<20])
    preview.replaceSubrange(12..<14, with: [1, 2])
    let file =
      Array(start[..<2]) + segment(0xE0, preview + Array(secret.utf8).prefix(6)) + [0xFF]
      + segment(0xE1, exif + self.exif(orientation, isLittle: isLittle))
      + segment(0xE1, Array("http://ns.adobe.com/xap/1.0/\0<x:xmpmeta>\(secret)</x:xmpmeta>".utf8))
      + segment(0xE2, profile) + segment(0xE2, Array("MPF\0\(secret)".utf8)) + segment(0xE5, Array(secret.utf8))
      + segment(0xED, Array("Photoshop 3.0\0\(secret)".utf8)) + segment(0xEE, Array("Adobe\0d\0\0\0\0\u{1}".utf8))
      + segment(0xFE, Array(secret.utf8)) + rest + Array("\0\0\0\u{18}ftypmp42\(secret)".utf8)
    let turned = orientation > 1 ? segment(0xE1, exif + self.orientation(orientation)) : []
    return Pair(
      name: "jpeg", file: file,
      clean: start + turned + segment(0xE2, profile) + segment(0xEE, Array("Adobe\0d\0\0\0\0\u{1}".utf8)) + rest)
  }

  static func png(_ orientation: UInt8) -> Pair {
    let plain = PictureSample.png(width: 32, height: 24)
    let (start, rest) = (Array(plain[..<33]), Array(plain[33...]))
    let colours =
      PictureSample.chunk("iCCP", Array("name\0\0profile".utf8)) + PictureSample.chunk("gAMA", [0, 0, 1, 0])
    let texts =
      PictureSample.chunk("tEXt", Array("Comment\0\(secret)".utf8))
      + PictureSample.chunk("tIME", [7, 0, 1, 1, 1, 1, 1])
      + PictureSample.chunk("iTXt", Array("XML:com.adobe.xmp\0\0\0\0\0\(secret)".utf8))
      + PictureSample.chunk("prVt", Array(secret.utf8))
    let end = Array(plain.suffix(12))
    return Pair(
      name: "png",
      file: start + colours + texts + PictureSample.chunk("eXIf", exif(orientation, isLittle: true)) + rest.dropLast(12)
        + texts + end + Array(secret.utf8),
      clean: start + colours + (orientation > 1 ? PictureSample.chunk("eXIf", self.orientation(orientation)) : [])
        + rest)
  }

  static func gif() -> Pair {
    let plain = PictureSample.gif(width: 32, height: 24, frames: 2)
    // The head, and a table of 128 colours.
    let (start, rest) = (Array(plain[..<397]), Array(plain[397...]))
    let comment = [0x21, 0xFE, UInt8(secret.utf8.count)] + Array(secret.utf8) + [0]
    let loop = [0x21, 0xFF, 11] + Array("NETSCAPE2.0".utf8) + [3, 1, 0, 0, 0]
    let xmp = [0x21, 0xFF, 11] + Array("XMP DataXMP".utf8) + [UInt8(secret.utf8.count)] + Array(secret.utf8) + [0]
    return Pair(
      name: "gif", file: start + comment + loop + xmp + rest.dropLast() + comment + [0x3B] + Array(secret.utf8),
      clean: start + loop + rest)
  }

  static func webP(_ orientation: UInt8) throws -> Pair {
    let plain = try PictureSample.webP(width: 32, height: 24)
    func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
      Array(name.utf8) + little(content.count) + content + (content.count % 2 == 0 ? [] : [0])
    }
    func little(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (8 * $0) & 255) } }
    func file(_ chunks: [UInt8]) -> [UInt8] {
      Array("RIFF".utf8) + little(chunks.count + 4) + Array("WEBP".utf8) + chunks
    }
    func head(_ flags: UInt8) -> [UInt8] { chunk("VP8X", [flags, 0, 0, 0, 31, 0, 0, 23, 0, 0]) }
    let picture = chunk("ICCP", Array("profile".utf8)) + plain[12...]
    let kept = orientation > 1 ? chunk("EXIF", self.orientation(orientation)) : []
    return Pair(
      name: "webp",
      file: file(
        head(0x3C) + picture + chunk("EXIF", exif(orientation, isLittle: false)) + chunk("XMP ", Array(secret.utf8))
          + chunk("????", Array(secret.utf8))) + Array(secret.utf8),
      clean: file(head(orientation > 1 ? 0x38 : 0x30) + picture + kept))
  }

  // MARK: Videos

  /// An MP4 with a place in each part that may have one, also in a track whose samples stand between those of the
  /// video.
  static func mp4(brand: String = "mp42", other: String = "meta", isFragmented: Bool = false) -> Pair {
    Pair(
      name: "mp4", file: mp4(brand, other, isFragmented, isClean: false),
      clean: mp4(brand, other, isFragmented, isClean: true))
  }

  private static func mp4(_ brand: String, _ other: String, _ isFragmented: Bool, isClean: Bool) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { PictureSample.big(UInt32(value)) }
    func box(_ kind: String, _ content: [UInt8]) -> [UInt8] { number(content.count + 8) + Array(kind.utf8) + content }
    func removed(_ box: [UInt8]) -> [UInt8] {
      isClean ? box.prefix(4) + Array("free".utf8) + [UInt8](repeating: 0, count: box.count - 8) : box
    }
    let secret = Array(secret.utf8)
    func trak(_ handler: String, _ chunks: [Int], _ sizes: [Int], _ runs: [Int]) -> [UInt8] {
      let tables =
        box("stsz", number(0) + number(0) + number(sizes.count) + sizes.flatMap(number))
        + box("stsc", number(0) + number(runs.count / 3) + runs.flatMap(number))
        + box("stco", number(0) + number(chunks.count) + chunks.flatMap(number))
      let hdlr = box("hdlr", number(0) + number(0) + Array(handler.utf8) + [UInt8](repeating: 0, count: 13))
      return box("trak", box("mdia", hdlr + box("minf", box("stbl", tables))))
    }
    func moov(_ base: Int) -> [UInt8] {
      let half = secret.count / 2
      let places = trak(
        other, [base + 8, base + 16 + secret.count], [half, secret.count - half, secret.count], [1, 2, 1, 2, 1, 1])
      return box(
        "moov",
        box("mvhd", [1, 2, 3, 4]) + removed(box("udta", box("loci", secret))) + removed(box("meta", secret))
          + trak("vide", [base, base + 8 + secret.count], [8, 8], [1, 1, 1]) + removed(places))
    }
    let start = box("ftyp", Array("\(brand)\0\0\0\0".utf8))
    let uuid = removed(box("uuid", secret))
    let sample = isClean ? [UInt8](repeating: 0, count: secret.count) : secret
    let data = Array("picture1".utf8) + sample + Array("picture2".utf8) + sample
    return start + moov(start.count + moov(0).count + uuid.count + 8) + uuid + box("mdat", data)
      + (isFragmented ? box("moof", []) : [])
  }

  /// An MP4 whose head says how its one track is shown.
  ///
  /// - Parameter isTurned: whether it is turned by a quarter.
  static func film(width: Int, height: Int, isTurned: Bool = false) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { PictureSample.big(UInt32(truncatingIfNeeded: value)) }
    func box(_ kind: String, _ content: [UInt8]) -> [UInt8] { number(content.count + 8) + Array(kind.utf8) + content }
    let one = 65536
    let matrix = isTurned ? [0, one, 0, -one, 0, 0, 0, 0, 1 << 30] : [one, 0, 0, 0, one, 0, 0, 0, 1 << 30]
    let head =
      [UInt8](repeating: 0, count: 40) + matrix.flatMap(number) + number(width << 16) + number(height << 16)
    let handler = box("hdlr", number(0) + number(0) + Array("vide".utf8) + [UInt8](repeating: 0, count: 13))
    let track = box("trak", box("tkhd", head) + box("mdia", handler))
    return box("ftyp", Array("mp42\0\0\0\0".utf8)) + box("moov", track) + box("mdat", Array("a film".utf8))
  }

  /// A WebM of unknown length, as browsers record it.
  static func webM() -> Pair {
    func element(_ id: [UInt8], _ content: [UInt8]) -> [UInt8] { id + [0x80 | UInt8(content.count)] + content }
    let start = element([0x1A, 0x45, 0xDF, 0xA3], [0x42, 0x82, 0x84] + Array("webm".utf8))
    let segment: [UInt8] = [0x18, 0x53, 0x80, 0x67, 0x01] + [UInt8](repeating: 0xFF, count: 7)
    let cluster = [0x1F, 0x43, 0xB6, 0x75, 0xFF] + element([0xE7], [0]) + element([0xA3], Array("picture".utf8))
    let tags = element([0x12, 0x54, 0xC3, 0x67], Array(secret.utf8))
    // A size of eight bytes.
    let void = [0xEC, 0x01, 0, 0, 0, 0, 0, 0, UInt8(tags.count - 9)] + [UInt8](repeating: 0, count: tags.count - 9)
    return Pair(
      name: "webm", file: start + segment + tags + cluster + tags,
      clean: start + segment + void + cluster + void)
  }
}
