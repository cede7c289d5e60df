/// A credential. However it is printed, it prints as `(hidden)`, so no message, log or crash report can show it. From the
/// first one on, the memory of the process is hidden from core files.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String

  package init(_ text: String) {
    ProcessMemory.hide()
    self.text = text
  }

  /// The credential itself. It may only be sent.
  package var exposed: String { text }

  /// `bytes` with `(hidden)` in place of the credential: some services repeat in an error what they were sent.
  package func hidden(in bytes: [UInt8]) -> [UInt8] {
    let secret = Array(text.utf8)
    guard !secret.isEmpty, bytes.count >= secret.count else { return bytes }
    var result: [UInt8] = []
    var start = 0
    while let range = bytes[start...].firstRange(of: secret) {
      result += bytes[start..<range.lowerBound] + Array(description.utf8)
      start = range.upperBound
    }
    return start == 0 ? bytes : result + bytes[start...]
  }

  package var description: String { "(hidden)" }
  package var debugDescription: String { "(hidden)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
