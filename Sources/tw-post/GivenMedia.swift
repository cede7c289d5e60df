import Libc
import TweetCLI
import TweetCore
import TweetServices

/// The files of `--media`.
extension PostCommand {
  /// Opens them, so that a mistake is noticed now and not when the outbox is sent.
  func givenMedia() throws(ToolError) -> [PostDraft.Media] {
    var files: [PostDraft.Media] = []
    for (index, word) in media.enumerated() {
      let (post, path) = place(of: word)
      if path == PipedMedia.input, words.contains(path) || files.contains(where: { $0.path == path }) {
        throw .usage("standard input can be read once: as the text, or as one --media")
      }
      let copy = try PipedMedia.copy(path)
      let file = try MediaFile(copy ?? path, named: "'\(path)'")
      if !keepMetadata { _ = try MediaContent.withoutMetadata(file) }
      guard let full = copy == nil ? Paths.real(path) : path else {
        throw .noInput("cannot find '\(path)': \(describe(errno: errno))")
      }
      var given = PostDraft.Media(
        path: full, altText: descriptions.indices.contains(index) ? descriptions[index] : nil)
      (given.post, given.source) = (post, copy)
      files.append(given)
    }
    return files
  }

  /// Which post of a thread shows a file: `2:a.png` unless there is a file of that name. A text never says it, since it
  /// may be a stranger's.
  private func place(of word: String) -> (post: Int, path: String) {
    guard thread, let colon = word.firstIndex(of: ":"), let post = Int(word[..<colon]), access(word, F_OK) != 0 else {
      return (1, word)
    }
    return (post, String(word[word.index(after: colon)...]))
  }

  /// Refuses pictures without descriptions for a person who wants to be reminded.
  func requireDescriptions(_ settings: Settings) throws(ToolError) {
    guard try settings.requiresAlt else { return }
    let described = descriptions.prefix(media.count).count { !$0.allSatisfy(\.isWhitespace) }
    if described < media.count {
      throw .badData("each --media needs an --alt: \(settings.origin(of: .requireAlt)) asks for descriptions")
    }
  }
}

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
