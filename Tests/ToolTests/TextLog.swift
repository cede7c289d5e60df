import Synchronization

/// Texts that the threads of a test's server write down.
final class TextLog: Sendable {
  private let texts = Mutex<[String]>([])

  var all: [String] { texts.withLock { $0 } }

  func append(_ text: String) { texts.withLock { $0.append(text) } }

  func count(of text: String) -> Int { all.count { $0 == text } }
}
