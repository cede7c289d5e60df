import CZstd
import Foundation
import TestSupport

/// Frames of zstd, as a Jetstream sends them.
enum ZstdFrame {
  /// A dictionary that is at hand: the one of the store's records.
  static func dictionary() throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: Package.root + "/Sources/CRecords/records-1.zdict")))
  }

  /// The number in a dictionary.
  static func id(of dictionary: [UInt8]) -> Int { (4..<8).reversed().reduce(0) { $0 << 8 | Int(dictionary[$1]) } }

  /// A message of its own frame, with its size.
  static func compressed(_ bytes: [UInt8], _ dictionary: [UInt8]) -> [UInt8] {
    var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(bytes.count))
    let context = ZSTD_createCCtx()
    defer { ZSTD_freeCCtx(context) }
    let count = ZSTD_compress_usingDict(
      context, &frame, frame.count, bytes, bytes.count, dictionary, dictionary.count, 3)
    precondition(ZSTD_isError(count) == 0)
    return Array(frame.prefix(count))
  }

  /// Many zeros in few bytes.
  ///
  /// - Parameter isSized: whether the frame says how many.
  static func bomb(_ count: Int, _ dictionary: [UInt8], isSized: Bool) -> [UInt8] {
    let context = ZSTD_createCCtx()
    defer { ZSTD_freeCCtx(context) }
    ZSTD_CCtx_loadDictionary(context, dictionary, dictionary.count)
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, isSized ? 1 : 0)
    let bytes = [UInt8](repeating: 0, count: count)
    var frame = [UInt8](repeating: 0, count: ZSTD_compressBound(count))
    let size = ZSTD_compress2(context, &frame, frame.count, bytes, count)
    precondition(ZSTD_isError(size) == 0)
    return Array(frame.prefix(size))
  }
}
