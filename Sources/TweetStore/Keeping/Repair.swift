import Libc
package import TweetCore

/// Replaces a damaged store by a new file with all that can be read. The damaged file is kept under another name.
package struct Repair: Sendable {
  /// Seconds to wait for writers.
  private static let lockTimeout = 30
  /// The suffixes of the files that make up a database.
  private static let suffixes = ["", "-wal", "-shm"]

  /// How many tweets and users the new store has.
  package private(set) var tweets = 0
  package private(set) var users = 0
  /// How many rows could not be read.
  package private(set) var lost = 0
  /// The path of the damaged store.
  package private(set) var old = ""

  /// Repairs the store at `path`, under its write lock.
  /// - Parameter recover: tries to make a database from the damaged one by other means. Returns whether it did.
  /// - Throws: ``ToolError/badData(_:)`` if the file is no tweet store, ``ToolError/configuration(_:)`` if a newer version
  ///   made it. Nothing is changed then.
  package init(_ path: String, recover: (_ damaged: String, _ recovered: String) -> Bool) throws(ToolError) {
    // If the path is a symbolic link, the file behind it is replaced. Its lock file lies beside that file.
    guard let real = realpath(path, nil) else { throw .noInput("cannot open '\(path)': \(describe(errno: errno))") }
    defer { free(real) }
    let path = String(cString: real)
    try TweetStore.checkKind(ofDamaged: path)
    let lock = try WriteLock(of: path)
    try lock.acquire(within: Self.lockTimeout)
    defer { lock.release() }
    let (recovered, new) = (path + ".recovered", path + ".repaired")
    // An earlier repair that was killed may have left these.
    for path in [recovered, new] { Self.remove(path) }
    defer { Self.remove(recovered) }
    do throws(ToolError) {
      var rows = try salvage(path, into: new, lost: nil)
      if recover(path, recovered) { rows = try salvage(recovered, into: new, lost: rows) }
      lost = rows.count
    } catch {
      Self.remove(new)
      throw error
    }
    old = Self.unusedPath(path + ".damaged")
    for suffix in Self.suffixes where Database.exists(path + suffix) { try Self.move(path + suffix, to: old + suffix) }
    for suffix in Self.suffixes where Database.exists(new + suffix) { try Self.move(new + suffix, to: path + suffix) }
    Self.remove(new)
  }

  /// Copies what can be read. Returns the rows that could not be read.
  private mutating func salvage(
    _ path: String, into new: String, lost: Set<Salvage.RowID>?
  ) throws(ToolError) -> Set<Salvage.RowID> {
    var salvage = try Salvage(from: path, into: new, lost: lost)
    try salvage.run()
    (tweets, users) = (try salvage.count("tweets"), try salvage.count("users"))
    return salvage.lost
  }

  /// The path itself, or with the first number behind it that makes it unused.
  private static func unusedPath(_ path: String) -> String {
    var (unused, number) = (path, 1)
    while Database.exists(unused) {
      number += 1
      unused = "\(path)-\(number)"
    }
    return unused
  }

  private static func remove(_ path: String) {
    for suffix in suffixes + [".lock"] { unlink(path + suffix) }
  }

  private static func move(_ old: String, to new: String) throws(ToolError) {
    if rename(old, new) != 0 { throw .cannotCreate("cannot rename '\(old)' to '\(new)': \(describe(errno: errno))") }
  }
}
