import Synchronization

/// How many large bodies are held in memory: each has up to 8 MiB, and any client can send one.
final class UploadCount: Sendable {
  private static let limit = 16

  private let count = Atomic<Int>(0)

  /// Counts one more body; false where there are too many.
  func begin() -> Bool {
    if count.add(1, ordering: .relaxed).newValue <= Self.limit { return true }
    end()
    return false
  }

  func end() { count.subtract(1, ordering: .relaxed) }
}
