/// A credential. It prints as `(hidden)` however it is printed, so that no message, log or crash report can show it.
package struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  private let text: String

  package init(_ text: String) { self.text = text }

  /// The credential itself, to be sent and nothing else.
  package var exposed: String { text }

  package var description: String { "(hidden)" }
  package var debugDescription: String { "(hidden)" }
  package var customMirror: Mirror { Mirror(self, children: []) }
}
