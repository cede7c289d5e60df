import ArgumentParser
import Libc
import TweetCore

/// The types of records that are printed (`--only`). The first bytes of a line tell its type.
struct RecordSelection: Sendable {
  /// Each with its quotes, `"tweet"`; empty for all types.
  private let types: [[UInt8]]

  /// The types that tweet(5) describes.
  static let known = ["tweet", "user", "notification", "delete", "notice", "context", "query", "refresh", "link"]

  /// All types.
  init() { types = [] }

  /// - Parameter text: types, separated by commas.
  static func parse(_ text: String) throws -> RecordSelection {
    let names = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for name in names where !known.contains(name) {
      throw ValidationError("'\(name)' is not a type of record (\(known.joined(separator: ", ")))")
    }
    return RecordSelection(types: names.map { Array("\"\($0)\"".utf8) })
  }

  private init(types: [[UInt8]]) { self.types = types }

  /// Removes the lines of `buffer` from `start` on whose types are not wanted.
  func apply(to buffer: inout ByteBuffer, from start: Int) {
    if types.isEmpty { return }
    var end = start
    buffer.withMutableBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      var at = start
      while at < bytes.count, let newline = memchr(base + at, 0x0A, bytes.count - at) {
        let length = newline.assumingMemoryBound(to: UInt8.self) + 1 - (base + at)
        if isWanted(bytes[at..<at + length]) {
          memmove(base + end, base + at, length)
          end += length
        }
        at += length
      }
    }
    buffer.truncate(to: end)
  }

  /// Every record starts with `{"tw":"TYPE"`.
  private func isWanted(_ line: Slice<UnsafeMutableBufferPointer<UInt8>>) -> Bool {
    let type = line.dropFirst(6)
    return types.contains { type.starts(with: $0) }
  }
}
