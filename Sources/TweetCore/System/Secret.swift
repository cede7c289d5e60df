import CProcess

/// A credential. However it is printed, it prints as `(hidden)`, so no message, log or crash report can show it. From
/// the first one on, the memory of the process is hidden from core files.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String

  package init(_ text: String) {
    ProcessMemory.hide()
    self.text = text
  }

  /// The credential itself. It may only be sent.
  package var exposed: String { text }

  /// A short hash that tells whether a credential is still the same one (32 bits, FNV-1a), and does not reveal it.
  /// Bills have a longer one, since two credentials must not share a budget.
  package var fingerprint: String {
    var hash: UInt32 = 0x811c_9dc5
    for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return String(hash, radix: 16)
  }

  /// A text with `(hidden)` in place of the credential: some services repeat in an error what they were sent.
  package func hidden(in shown: String) -> String {
    text.isEmpty ? shown : shown.replacing(text, with: description)
  }

  package var description: String { "(hidden)" }
  package var debugDescription: String { "(hidden)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension [Secret] {
  /// A text with `(hidden)` in place of each.
  package func hidden(in shown: String) -> String { reduce(shown) { $1.hidden(in: $0) } }
}

/// The memory of this process.
package enum ProcessMemory {
  /// Hides it from core files and from other processes of the user, once. ``Secret`` calls this; only a program that
  /// has secrets in other forms must call it itself.
  package static func hide() { _ = isHidden }

  /// Lets malloc(3) give blocks of 4 MiB and more back to the system when they are freed, for a program that copies
  /// long records. The GNU C library keeps them once one of their size was freed (M_MMAP_THRESHOLD in mallopt(3));
  /// others have no such rule.
  package static func giveLargeBlocksBack() { tw_give_back(4 << 20) }

  /// Whether it is hidden. prctl(2) and setrlimit(2) refuse nothing of this; where a sandbox does, the program goes on
  /// as programs without this do.
  private static let isHidden = tw_hide_memory() == 0
}
