/// A credential. It prints as `(hidden)` however it is printed, so that no message, log or crash report can show it.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String

  package init(_ text: String) { self.text = text }

  /// The credential itself, to be sent and nothing else.
  package var exposed: String { text }

  /// Tells it from other credentials, and does not tell what it is: 32 bits (FNV-1a) of its hundred and more.
  package var mark: String {
    var hash: UInt32 = 0x811c_9dc5
    for byte in text.utf8 { hash = (hash ^ UInt32(byte)) &* 0x0100_0193 }
    return String(hash, radix: 16)
  }

  /// `bytes` with `(hidden)` wherever the credential stands: some services repeat in an error what they were sent.
  func hidden(in bytes: [UInt8]) -> [UInt8] {
    let secret = Array(text.utf8)
    guard !secret.isEmpty, bytes.count >= secret.count else { return bytes }
    var result: [UInt8] = []
    var start = 0
    while let place = bytes[start...].firstRange(of: secret) {
      result += bytes[start..<place.lowerBound] + Array(description.utf8)
      start = place.upperBound
    }
    return start == 0 ? bytes : result + bytes[start...]
  }

  package var description: String { "(hidden)" }
  package var debugDescription: String { "(hidden)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
