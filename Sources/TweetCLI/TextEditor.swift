import Libc
package import TweetCore

/// The person's own editor, on a file of its own.
package struct TextEditor {
  /// The file. It stays until ``removeFile()``, so that no text is lost.
  package let path: String

  /// The command that the person has chosen; `nil` for none.
  package static var chosen: String? { Paths.environment("VISUAL") ?? Paths.environment("EDITOR") }

  /// - Parameter text: what the file has when the editor starts.
  package init(_ text: String) throws(ToolError) {
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

  /// Removes the file.
  package func removeFile() { unlink(path) }

  /// Runs the editor.
  ///
  /// - Parameters:
  ///   - input: what takes the place of standard input, as the next two of the other streams; `nil` for none.
  ///   - signals: those of keys that are the editor's own affair.
  ///   - kept: what the file has if the editor fails, for the message.
  /// - Returns: what the file has then.
  /// - Throws: `ToolError.configuration` if the editor fails.
  package func run(
    input: Int32?, output: Int32?, errors: Int32?, signals: [Int32], kept: String
  ) throws(ToolError) -> [UInt8] {
    let editor = Self.chosen ?? "vi"
    // The variable may have options, so a shell reads it, as git and mutt have it. Without a trap it would end by the
    // signal.
    let command = ["/bin/sh", "-c", "trap : INT; \(editor) \"$1\"", editor, path]
    let ending = ChildProcess.runOnTerminal(command, input: input, output: output, errors: errors, signals: signals)
    guard let ending else {
      throw .configuration("cannot run the editor '\(editor)': \(describe(errno: errno))")
    }
    guard ending == .exited(0) else {
      throw .configuration("the editor '\(editor)' failed; \(kept) is in '\(path)'")
    }
    return try StateFile.read(path) ?? []
  }
}
