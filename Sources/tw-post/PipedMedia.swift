import Libc
import TweetCLI
import TweetCore

/// Pictures and videos that come from a pipe. They are read more than once, and from any place.
enum PipedMedia {
  /// What names standard input.
  static let input = "-"

  /// Bytes that are read of a pipe: as many as X takes of a video, more than any other service.
  private static let largest = 2000 << 20

  /// Copies a pipe to its end into a file without a name, which goes away with the process.
  ///
  /// - Returns: where the copy can be opened; `nil` for a path that is not a pipe.
  static func copy(_ path: String) throws(ToolError) -> String? {
    let isInput = path == input
    var status = stat()
    guard isInput || stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO else { return nil }
    let name = isInput ? "standard input" : "'\(path)'"
    if isInput { Diagnostics.noteKeyboard() }
    // A pipe with a name waits for somebody who writes into it.
    var source = isInput ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    while source < 0, errno == EINTR, Interruption.signal == nil { source = open(path, O_RDONLY | O_CLOEXEC) }
    guard source >= 0 else { throw .noInput("cannot open \(name)", errno) }
    defer { if !isInput { close(source) } }
    let folder = Paths.temporary
    // It stays open: that is all that keeps it.
    let file = try NamelessFile.open(in: folder, prefix: "tw-")
    var size = 0
    while Interruption.signal == nil {
      guard let piece = try readSome(source, name: name) else { continue }
      if piece.isEmpty { return "/dev/fd/\(file)" }
      size += piece.count
      guard size <= largest else { throw .badData("\(name) is too large") }
      let fault = writeAll(piece, to: file)
      guard fault == 0 else {
        throw .inputOutput("cannot write to a file in '\(folder)': \(describe(errno: fault))")
      }
    }
    throw Exchange.interrupted
  }
}
