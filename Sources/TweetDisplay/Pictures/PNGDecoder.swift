/// libspng, which decodes our thumbnails (<https://libspng.org/docs/api>). It is loaded when a picture is drawn in
/// symbols or as a sixel.
struct PNGDecoder {
  static let libraries = ["libspng.so.0", "libspng.0.dylib", "libspng.dylib"]

  private let new: @convention(c) (Int32) -> OpaquePointer?
  private let free: @convention(c) (OpaquePointer) -> Void
  private let setImageLimits: @convention(c) (OpaquePointer, UInt32, UInt32) -> Int32
  private let setChunkLimits: @convention(c) (OpaquePointer, Int, Int) -> Int32
  private let setBuffer: @convention(c) (OpaquePointer, UnsafeRawPointer, Int) -> Int32
  private let decodedSize: @convention(c) (OpaquePointer, Int32, UnsafeMutablePointer<Int>) -> Int32
  private let decodeImage: @convention(c) (OpaquePointer, UnsafeMutableRawPointer, Int, Int32, Int32) -> Int32

  /// - Returns: `nil` if the library is not there or lacks a function.
  init?() {
    guard let symbols = LibrarySymbols(firstOf: Self.libraries), let found = try? Self(symbols) else { return nil }
    self = found
  }

  private init(_ symbols: LibrarySymbols) throws(MissingSymbol) {
    new = try symbols.function("spng_ctx_new")
    free = try symbols.function("spng_ctx_free")
    setImageLimits = try symbols.function("spng_set_image_limits")
    setChunkLimits = try symbols.function("spng_set_chunk_limits")
    setBuffer = try symbols.function("spng_set_png_buffer")
    decodedSize = try symbols.function("spng_decoded_image_size")
    decodeImage = try symbols.function("spng_decode_image")
  }

  /// The pixels of a picture: red, green, blue and alpha, row by row.
  /// - Returns: `nil` if the file is damaged.
  func pixels(of picture: SmallPicture) -> [UInt8]? {
    guard let context = new(0) else { return nil }
    defer { free(context) }
    let size = picture.width * picture.height * 4
    return picture.png.withUnsafeBytes { png in
      // The limits are those of the header that we have checked; chunks cannot be longer than the file.
      guard let start = png.baseAddress,
        setImageLimits(context, UInt32(picture.width), UInt32(picture.height)) == 0,
        setChunkLimits(context, png.count, png.count) == 0, setBuffer(context, start, png.count) == 0
      else { return nil }
      // spng.h: SPNG_FMT_RGBA8 is 1.
      var needed = 0
      guard decodedSize(context, 1, &needed) == 0, needed == size else { return nil }
      var isDecoded = false
      let pixels = [UInt8](unsafeUninitializedCapacity: size) { room, count in
        guard let start = room.baseAddress else { return }
        isDecoded = decodeImage(context, start, size, 1, 0) == 0
        count = isDecoded ? size : 0
      }
      return isDecoded ? pixels : nil
    }
  }
}
