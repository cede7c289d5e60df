import Libc
import TweetCLI
import TweetCore

/// The person's own editor, on a file of its own.
struct TextEditor {
  /// The file. It stays until ``removeFile()``, so that no text is lost.
  let path: String
  private let start: String

  /// - Parameter text: what the file has when the editor starts.
  /// - Throws: `ToolError.usage` without a terminal, unless an editor is set, which may need none.
  init(_ text: String) throws(ToolError) {
    if Self.chosen == nil {
      let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
      guard terminal >= 0 else {
        throw .usage("vi needs a terminal, and there is none; VISUAL or EDITOR can name an editor that needs none")
      }
      close(terminal)
    }
    start = text
    try Paths.createDirectory(Paths.stateDirectory)
    // Editors know by the ending that the file is text.
    var template = Array("\(Paths.stateDirectory)/post-XXXXXX.txt".utf8CString)
    let descriptor = mkstemps(&template, 4)
    let name = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(name)'", errno) }
    defer { close(descriptor) }
    path = name
    var writer = RecordWriter(descriptor: descriptor, name: "'\(path)'")
    if !text.isEmpty { writer.buffer.append(text + "\n") }
    try writer.flush()
  }

  /// The editor that the person has chosen.
  private static var chosen: String? { Paths.environment("VISUAL") ?? Paths.environment("EDITOR") }

  func removeFile() { unlink(path) }

  /// Runs the editor.
  ///
  /// - Returns: the text; `nil` if it is empty or was not changed, and then the file is removed.
  mutating func edit() throws(ToolError) -> String? {
    let editor = Self.chosen ?? "vi"
    // The text may come from a pipe, and the record go into one: the editor needs the terminal.
    let terminal = open("/dev/tty", O_RDWR | O_CLOEXEC)
    defer { if terminal >= 0 { close(terminal) } }
    func end(_ descriptor: Int32) -> Int32? { terminal >= 0 && isatty(descriptor) == 0 ? terminal : nil }
    // The variable may have options, so a shell reads it, as git and mutt have it. Without a trap it would end by the
    // signal.
    let command = ["/bin/sh", "-c", "trap : INT; \(editor) \"$1\"", editor, path]
    let ending = KeySignals.leave([SIGINT]) { () -> ChildProcess.Ending? in
      guard var child = ChildProcess(command, input: end(0), output: end(1)) else { return nil }
      return child.wait()
    }
    guard let ending else {
      throw .configuration("cannot run the editor '\(editor)': \(describe(errno: errno))")
    }
    guard ending == .exited(0) else {
      throw .configuration("the editor '\(editor)' failed; nothing was posted, and your text is in '\(path)'")
    }
    let bytes = try StateFile.read(path) ?? []
    guard let text = String(validating: bytes, as: UTF8.self), !bytes.contains(0) else {
      let fault = bytes.contains(0) ? "has a NUL character" : "is not UTF-8"
      throw .badData("the text in '\(path)' \(fault); nothing was posted")
    }
    let written = PostText.trimmed(text)
    if !written.isEmpty, written != PostText.trimmed(start) { return written }
    removeFile()
    return nil
  }
}
