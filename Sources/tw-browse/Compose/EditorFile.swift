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
    try Paths.createDirectory(Paths.stateDirectory)
    // Editors know by the ending that the file is text.
    var template = Array("\(Paths.stateDirectory)/post-XXXXXX.txt".utf8CString)
    let descriptor = mkstemps(&template, 4)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
    let failure = text.isEmpty ? 0 : (text + "\n").withBytes { writeAll($0, to: descriptor) }
    close(descriptor)
    if failure != 0 { throw writeError(failure, to: "'\(path)'") }
    let editor = Paths.environment("VISUAL") ?? Paths.environment("EDITOR") ?? "vi"
    // The variable may have options, so a shell reads it, as git and mutt have it. Without a trap it would end by
    // Ctrl-C.
    let command = ["/bin/sh", "-c", "trap : INT; \(editor) \"$1\"", editor, path]
    let ending = KeySignals.leave { () -> ChildProcess.Ending? in
      guard var child = ChildProcess(command, input: terminal, output: terminal, errors: terminal) else { return nil }
      return child.wait()
    }
    guard let ending else {
      throw .configuration("cannot run the editor '\(editor)': \(describe(errno: errno))")
    }
    guard ending == .exited(0) else {
      throw .configuration("the editor '\(editor)' failed; what it had is in '\(path)'")
    }
    let bytes = try StateFile.read(path) ?? []
    guard let written = String(validating: bytes, as: UTF8.self) else {
      throw .badData("the text in '\(path)' is not UTF-8")
    }
    unlink(path)
    var end = written[...]
    while end.last?.isNewline == true { end.removeLast() }
    return String(end)
  }
}
