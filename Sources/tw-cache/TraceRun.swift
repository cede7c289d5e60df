import Libc
import MediaStore
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

/// Looks where a word is in the files of a store: in its rows, packed ones too, in the stores and files beside it, in
/// the state of the tools, and in saved pages.
struct TraceRun: ~Copyable {
  private let word: TracedWord
  private var output = RecordWriter()
  /// How many places were found.
  private(set) var count = 0

  init(_ word: String) { self.word = TracedWord(word) }

  /// - Parameter path: of the store.
  mutating func run(_ path: String) throws(ToolError) {
    let real = Paths.real(path) ?? path
    var folders = [Paths.folder(of: real)]
    let media = Paths.mediaStore(besides: path)
    if MediaStore.exists(media) {
      let store = try MediaStore(media, note: Diagnostics.warn)
      folders += try store.pageFolders().sorted()
      var rows: [(String, String)] = []
      try store.forEachTrace(of: word) { rows.append(($0, $1)) }
      for (table, row) in rows { try report(media, table, row) }
    }
    var files: Set<String> = []
    for folder in folders { Self.collect(folder, into: &files, isDeep: false) }
    for folder in [Paths.dataDirectory, Paths.stateDirectory] { Self.collect(folder, into: &files, isDeep: true) }
    files.insert(real)
    for file in files.sorted() where Interruption.signal == nil { try search(file) }
    try output.flush()
  }

  /// Adds the files in a folder, and in those below it if they are the kit's own. Links are not followed.
  private static func collect(_ folder: String, into files: inout Set<String>, isDeep: Bool) {
    let folder = Paths.real(folder) ?? folder
    for name in Directory.names(in: folder) ?? [] {
      let path = "\(folder)/\(name)"
      guard let status = stat(of: path, followsLink: false) else { continue }
      if status.isFile { files.insert(path) }
      if isDeep, status.isFolder { collect(path, into: &files, isDeep: true) }
    }
  }

  private mutating func search(_ path: String) throws(ToolError) {
    let isPacked = [".gz", ".zst", ".bz2", ".xz"].contains { path.hasSuffix($0) }
    let input = isPacked ? try InputFile(path) : InputFile(descriptor: open(path, O_RDONLY | O_CLOEXEC), label: path)
    // Somebody may have removed it, or may not let it be read.
    guard input.descriptor >= 0 else { return Diagnostics.warn("cannot open '\(path)': \(describe(errno: errno))") }
    var bytes = input.head
    var (isFound, isFirst) = (false, true)
    while !isFound {
      guard let piece = try readSome(input.descriptor, name: "'\(path)'") else { continue }
      if piece.isEmpty { break }
      bytes += piece
      if isFirst, bytes.starts(with: "SQLite format 3\0".utf8), try reportRows(of: path) { return }
      isFirst = false
      isFound = word.isIn(bytes)
      bytes = Array(bytes.suffix(word.longest))
    }
    if isFound { try report(path, "bytes", "") }
  }

  /// Reports the rows of a store of tweets. Returns whether there are any.
  private mutating func reportRows(of path: String) throws(ToolError) -> Bool {
    var rows: [(String, String)] = []
    do throws(ToolError) {
      try TweetStore(path, .readOnly, showsIncoming: false).forEachTrace(of: word) { rows.append(($0, $1)) }
    } catch .badData {
      // A database of another kind: its bytes are looked at.
    } catch .noInput {
    } catch {
      // So are those of a damaged store.
      Diagnostics.warn(error.message ?? "")
    }
    for (table, row) in rows { try report(path, table, row) }
    return !rows.isEmpty
  }

  private mutating func report(_ path: String, _ what: String, _ row: String) throws(ToolError) {
    count += 1
    output.buffer.append([path, what, row].map { Printable.line($0) }.joined(separator: "\t") + "\n")
    try output.flushIfLarge()
  }
}
