import CZstd
import TweetCore

/// The dictionary that messages of a Jetstream are compressed with, and what takes them apart.
final class ZstdDictionary: @unchecked Sendable {
  // Used by the one thread of a TransferLoop.
  private let context: OpaquePointer
  private let dictionary: OpaquePointer
  /// The number that the server knows it by.
  let id: UInt32

  /// - Returns: `nil` for bytes that are not a dictionary of zstd.
  init?(_ bytes: [UInt8]) {
    // RFC 8878 §6: a magic number, then the id.
    guard bytes.count > 8, bytes.starts(with: [0x37, 0xA4, 0x30, 0xEC]), let context = ZSTD_createDCtx() else {
      return nil
    }
    id = (4..<8).reversed().reduce(0) { $0 << 8 | UInt32(bytes[$1]) }
    guard id != 0, let dictionary = ZSTD_createDDict(bytes, bytes.count) else {
      ZSTD_freeDCtx(context)
      return nil
    }
    (self.context, self.dictionary) = (context, dictionary)
  }

  deinit {
    ZSTD_freeDDict(dictionary)
    ZSTD_freeDCtx(context)
  }

  /// Takes a message apart.
  ///
  /// - Parameter limit: the most bytes of the message.
  /// - Returns: `nil` for bytes that are not a frame of zstd with this dictionary, or too many.
  func decompress(_ frame: ByteView, limit: Int) -> [UInt8]? {
    let size = ZSTD_getFrameContentSize(frame.baseAddress, frame.count)
    // Writers of streams leave the size out.
    let room =
      tw_zstd_is_size(size) != 0 ? (size <= UInt64(limit) ? Int(size) : -1) : min(limit, max(1 << 16, frame.count * 32))
    guard room >= 0 else { return nil }
    var capacity = room
    while true {
      var count = 0
      let message = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, used in
        count = ZSTD_decompress_usingDDict(
          context, buffer.baseAddress, buffer.count, frame.baseAddress, frame.count, dictionary)
        used = ZSTD_isError(count) == 0 ? count : 0
      }
      if ZSTD_isError(count) == 0 { return message }
      guard ZSTD_getErrorCode(count) == ZSTD_error_dstSize_tooSmall, tw_zstd_is_size(size) == 0, capacity < limit else {
        return nil
      }
      capacity = min(limit, capacity * 8)
    }
  }
}
