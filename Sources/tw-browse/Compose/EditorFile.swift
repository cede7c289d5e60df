import Libc
import TweetCLI
import TweetCore

/// A text in the person's editor.
enum EditorFile {
  /// Runs the editor on a file of its own, which is removed afterwards: the draft has the text.
  /// - Parameter terminal: what the editor reads and writes.
  /// - Returns: the text as the editor left it.
  /// - Throws: ``ToolError/configuration(_:)`` if the editor fails; then the file stays, and the message names it.
  static func edit(_ text: String, terminal: Int32) throws(ToolError) -> String {
    let editor = try TextEditor(text)
    let bytes = try editor.run(
      input: terminal, output: terminal, errors: terminal, signals: [SIGINT, SIGQUIT], kept: "what it had")
    guard let written = String(validating: bytes, as: UTF8.self) else {
      throw .badData("the text in '\(editor.path)' is not UTF-8")
    }
    editor.removeFile()
    var end = written[...]
    while end.last?.isNewline == true { end.removeLast() }
    return String(end)
  }
}
