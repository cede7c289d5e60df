import Libc
import TweetCore

/// The folder of a site, and the list of the files in it that are the site's: no other file is overwritten or removed.
///
/// The list is the file `.tw-site`, a name on a line. A name is in it before its file is there, so that a run that was
/// killed leaves no file that the next one does not know. Names are appended while a site is written; the last run that
/// came to its end has left only those of files that are there.
struct SiteFolder: ~Copyable {
  /// The folders that a site has, besides its own.
  static let folders = ["threads", "pictures", "search", "views"]
  private static let title = "tw-site 1"
  private static let listName = ".tw-site"

  let path: String
  /// How many tweets the site has that is there; 0 if there is none.
  private(set) var tweets = 0
  /// Its files, as the list names them.
  private var listed: Set<String> = []
  /// Those of the site that is being written.
  private var written: Set<String> = []

  /// Reads which files the site has.
  /// - Parameter path: of a directory, or of none yet.
  /// - Throws: ``ToolError/cannotCreate(_:)`` if something is there that is not a site.
  init(_ path: String) throws(ToolError) {
    self.path = path
    let list = "\(path)/\(Self.listName)"
    // The names first: a site that another run begins has its list before its first file.
    let names = try Self.names(in: path)
    guard let bytes = try StateFile.read(list) else {
      // What a run that was killed may have left, or that another one has there at this moment.
      guard names.allSatisfy({ $0.hasPrefix(Self.listName) || $0.hasPrefix(RecordSpool.prefix) }) else {
        throw .cannotCreate(
          "cannot write a site into '\(path)': it has files, and is not a site; name a new or an empty directory")
      }
      return
    }
    var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")[...]
    guard lines.popFirst() == Self.title[...], let count = lines.popFirst().flatMap({ Int($0.dropFirst(7)) }),
      count >= 0
    else { throw .cannotCreate("cannot write a site into '\(path)': '\(list)' is not the list of a site's files") }
    tweets = count
    // A name may be cut off where a run was killed.
    listed = Set(lines.lazy.filter(Self.isName).map { String($0) })
  }

  /// The file of its lock.
  static let lockName = ".tw-site.lock"

  /// What a new file is called before it is whole.
  func temporary(_ number: Int) -> String { "\(path)/.tw-site.\(number).new" }

  private static func names(in path: String) throws(ToolError) -> [String] {
    if let names = Directory.names(in: path) { return names }
    if errno == ENOENT { return [] }
    throw .cannotCreate("cannot write a site into '\(path)'", errno)
  }

  /// Whether a name can be that of a site's file: nothing else is ever removed, whatever the list says.
  private static func isName(_ name: Substring) -> Bool {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 1 || parts.count == 2 && folders.contains(String(parts[0])) else { return false }
    return parts.allSatisfy { part in
      part.first != "." && !part.isEmpty
        && part.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 &- 0x61 < 26 || [0x2D, 0x2E, 0x5F].contains($0) }
    }
  }

  /// Makes the site's directory, and those above it, where they are missing.
  static func create(_ path: String) throws(ToolError) {
    var above = path.startIndex
    while let slash = path[above...].dropFirst().firstIndex(of: "/") {
      mkdir(String(path[..<slash]), 0o777)
      above = slash
    }
    try check(path, mkdir(path, 0o777) == 0 ? 0 : errno, stat(of: path))
  }

  /// Makes the directories in it that are missing.
  func createFolders() throws(ToolError) {
    for folder in Self.folders.map({ "\(path)/\($0)" }) {
      // Whoever made one of them a link has other things there.
      try Self.check(folder, mkdir(folder, 0o777) == 0 ? 0 : errno, stat(of: folder, followsLink: false))
    }
  }

  private static func check(_ path: String, _ fault: Int32, _ found: stat?) throws(ToolError) {
    if found?.isFolder == true { return }
    throw .cannotCreate("cannot create '\(path)': \(describe(errno: fault == EEXIST || fault == 0 ? ENOTDIR : fault))")
  }

  /// Takes a file into the site.
  /// - Throws: ``ToolError/cannotCreate(_:)`` if a file of that name is there that is not the site's.
  mutating func add(_ name: String) throws(ToolError) {
    guard written.insert(name).inserted, !listed.contains(name) else { return }
    guard stat(of: "\(path)/\(name)", followsLink: false) == nil else {
      throw .cannotCreate("cannot write '\(path)/\(name)': it is there, and is not the site's; move it away")
    }
  }

  /// Puts files that were added into the list, before they are written.
  mutating func list(_ names: [String]) throws(ToolError) {
    let new = names.filter { listed.insert($0).inserted }
    if new.isEmpty { return }
    let path = "\(path)/\(Self.listName)"
    guard let file = Descriptor(path, O_WRONLY | O_APPEND | O_NOFOLLOW) else {
      return try write(listed, tweets: tweets)
    }
    // The line before it may be cut off.
    let fault = writeAll(Array(("\n" + new.joined(separator: "\n") + "\n").utf8), to: file.number)
    guard fault == 0 else { throw .inputOutput("cannot write '\(path)': \(describe(errno: fault))") }
  }

  /// Removes the files that the site no longer has, and lists those that it has.
  /// - Parameter tweets: how many tweets it has.
  mutating func finish(tweets: Int) throws(ToolError) {
    for name in listed.subtracting(written) where unlink("\(path)/\(name)") != 0 && errno != ENOENT {
      throw .inputOutput("cannot remove '\(path)/\(name)': \(describe(errno: errno))")
    }
    if listed != written || self.tweets != tweets { try write(written, tweets: tweets) }
  }

  private func write(_ names: Set<String>, tweets: Int) throws(ToolError) {
    var text = ByteBuffer()
    text.append("\(Self.title)\ntweets \(tweets)\n")
    for name in names.sorted() { text.append("\(name)\n") }
    try StateFile.replace("\(path)/\(Self.listName)", with: text, isAlone: true)
  }
}
