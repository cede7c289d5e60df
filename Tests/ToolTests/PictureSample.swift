import CPictures
import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore
import TweetPictures

@testable import tw_avatar
@testable import tw_local

/// Pictures of each format: 8 red, green and blue bands from left to right, darker towards the bottom.
enum PictureSample {
  static func png(width: Int, height: Int) -> [UInt8] { PNGEncoder.encode(raster(width, height)) }

  /// A picture of its own for each text: what stands after the end of a picture is ignored.
  static func png(for text: String) -> [UInt8] { png(width: 48, height: 256) + Array(text.utf8) }

  private static func raster(_ width: Int, _ height: Int) -> Raster {
    let palette = (0..<128).map { index in
      let light = UInt8(255 - index / 8 * 8)
      return Raster.Colour(
        red: index % 3 == 0 ? light : 0, green: index % 3 == 1 ? light : 0, blue: index % 3 == 2 ? light : 0)
    }
    return Raster(width: width, height: height, palette: palette) { x, y in
      UInt8(y * 16 / height * 8 + x * 8 / width)
    }
  }

  /// The same as red, green, blue and alpha.
  static func pixels(width: Int, height: Int) -> [UInt8] {
    let raster = raster(width, height)
    return raster.pixels.flatMap { index in
      let colour = raster.palette[Int(index)]
      return [colour.red, colour.green, colour.blue, 255]
    }
  }

  /// A PNG that nothing makes smaller: each colour comes by chance, from the same beginning.
  ///
  /// - Parameter opacity: of all pixels.
  static func noise(width: Int, height: Int, opacity: UInt8 = 255) throws -> [UInt8] {
    var pixels = Pixels(width: width, height: height)
    var number: UInt64 = 1
    for at in stride(from: 0, to: pixels.bytes.count, by: 4) {
      number = number &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      for channel in 0..<3 { pixels.bytes[at + channel] = UInt8(truncatingIfNeeded: number >> (32 + 8 * channel)) }
      pixels.bytes[at + 3] = opacity
    }
    let encoder = try #require(ThumbnailEncoder())
    return try #require(encoder.encode(pixels))
  }

  /// A chunk of a PNG with its checksum.
  static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
    let named = Array(type.utf8) + data
    return big(UInt32(data.count)) + named + big(CRC32.of(named))
  }

  static func big(_ number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }

  /// The signature and the header of a PNG with one bit a pixel.
  static func pngHeader(width: UInt32, height: UInt32) -> [UInt8] {
    [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", big(width) + big(height) + [1, 0, 0, 0, 0])
  }

  /// A GIF whose pixels are not compressed: its codes stay 8 bits long, since each run of them begins with the code
  /// that forgets what was learnt (GIF89a, appendix F).
  ///
  /// - Parameter isInterlaced: whether the rows come as appendix E orders them.
  static func gif(width: Int, height: Int, frames: Int, isInterlaced: Bool = false) -> [UInt8] {
    let raster = raster(width, height)
    // Rows 0, 8, 16…, then 4, 12…, then 2, 6…, then the odd ones.
    let order = (0..<height).map { ($0 % 8 == 0 ? 0 : $0 % 8 == 4 ? 1 : $0 % 4 == 2 ? 2 : 3, $0) }.sorted { $0 < $1 }
    let rows = isInterlaced ? order.map { $0.1 } : Array(0..<height)
    let pixels = rows.flatMap { raster.pixels[$0 * width..<($0 + 1) * width] }
    let little = { (number: Int) in [UInt8(number & 0xFF), UInt8(number >> 8)] }
    var file = Array("GIF89a".utf8) + little(width) + little(height) + [0xF6, 0, 0]
    file += raster.palette.flatMap { [$0.red, $0.green, $0.blue] }
    var codes: [UInt8] = []
    for (offset, pixel) in pixels.enumerated() {
      if offset % 100 == 0 { codes.append(128) }
      codes.append(pixel)
    }
    codes.append(129)
    var blocks: [UInt8] = []
    for start in stride(from: 0, to: codes.count, by: 255) {
      let block = codes[start..<min(start + 255, codes.count)]
      blocks += [UInt8(block.count)] + block
    }
    for _ in 0..<frames {
      file +=
        [0x21, 0xF9, 4, 0, 5, 0, 0, 0, 0x2C, 0, 0, 0, 0] + little(width) + little(height)
        + [isInterlaced ? 0x40 : 0, 7] + blocks + [0]
    }
    return file + [0x3B]
  }

  /// By the library that decodes it.
  static func jpeg(width: Int, height: Int) throws -> [UInt8] {
    typealias Start = @convention(c) () -> UnsafeMutableRawPointer?
    typealias Compress =
      @convention(c) (
        UnsafeMutableRawPointer?, UnsafePointer<UInt8>, Int32, Int32, Int32, Int32,
        UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>, UnsafeMutablePointer<UInt>, Int32, Int32, Int32
      ) -> Int32
    let library = try #require(dlopen("libturbojpeg.so.0", RTLD_NOW))
    let start = try unsafeBitCast(#require(dlsym(library, "tjInitCompress")), to: Start.self)
    let compress = try unsafeBitCast(#require(dlsym(library, "tjCompress2")), to: Compress.self)
    var (file, count): (UnsafeMutablePointer<UInt8>?, UInt) = (nil, 0)
    let pixels = pixels(width: width, height: height)
    #expect(
      compress(
        start(), pixels, Int32(width), 0, Int32(height), TJPF_RGBA.rawValue, &file, &count, Int32(TJSAMP_444.rawValue),
        95, 0) == 0)
    return Array(ByteView(start: file, count: Int(count)))
  }

  /// By the library that decodes it; without loss.
  static func webP(width: Int, height: Int) throws -> [UInt8] {
    typealias Encode =
      @convention(c) (
        UnsafePointer<UInt8>, Int32, Int32, Int32, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>
      ) -> Int
    let library = try #require(dlopen("libwebp.so.7", RTLD_NOW))
    let encode = try unsafeBitCast(#require(dlsym(library, "WebPEncodeLosslessRGBA")), to: Encode.self)
    var file: UnsafeMutablePointer<UInt8>?
    let count = encode(pixels(width: width, height: height), Int32(width), Int32(height), Int32(4 * width), &file)
    return Array(ByteView(start: file, count: count))
  }

  /// An animation of equal frames (the WebP container specification: VP8X, ANIM, and an ANMF a frame).
  static func animatedWebP(width: Int, height: Int, frames: Int) throws -> [UInt8] {
    func little(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] { Array(type.utf8) + little(data.count, 4) + data }
    let size = little(width - 1, 3) + little(height - 1, 3)
    let picture = try webP(width: width, height: height).dropFirst(12)
    let frame = chunk("ANMF", [0, 0, 0, 0, 0, 0] + size + little(100, 3) + [0] + picture)
    let head = Array("WEBP".utf8) + chunk("VP8X", [0x02, 0, 0, 0] + size) + chunk("ANIM", [0, 0, 0, 0, 0, 0])
    return chunk("RIFF", head + Array(repeatElement(frame, count: frames).joined()))
  }

  /// The thumbnails in a folder of data, by their keys. Each must be a whole PNG in its place, that only the user can
  /// read.
  static func thumbnails(in data: String) throws -> [String: Pixels] {
    let decoding = PictureDecoding()
    var found: [String: Pixels] = [:]
    let folder = data + "/thumbnails"
    for group in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
      for name in try FileManager.default.contentsOfDirectory(atPath: "\(folder)/\(group)") {
        // Of programs that were killed; nobody takes them for thumbnails.
        if name.hasPrefix(".") { continue }
        let path = "\(folder)/\(group)/\(name)"
        #expect(name.hasPrefix(group) && name.hasSuffix(".png") && name.utf8.count == 68)
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        #expect(attributes[.posixPermissions] as? Int == 0o600)
        found[String(name.dropLast(4))] = try decoding.decode(Array(Data(contentsOf: URL(filePath: path))), side: 512)
      }
    }
    return found
  }
}
