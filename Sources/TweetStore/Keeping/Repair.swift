import Libc
package import TweetCore

/// Puts a new file with all that can be read in the place of a damaged store, which stays beside it.
package struct Repair: Sendable {
  /// Seconds to wait for writers.
  private static let patience = 30
  /// What lies beside a database and belongs to it.
  private static let suffixes = ["", "-wal", "-shm"]

  /// What was saved, and how many rows could not be.
  package private(set) var tweets = 0
  package private(set) var users = 0
  package private(set) var lost = 0
  /// Where the damaged store is now.
  package private(set) var old = ""

  /// Repairs the store at `path`; nobody writes to it meanwhile.
  /// - Parameter recover: makes a database from the damaged one by other means, where it can; gives whether it did.
  package init(_ path: String, recover: (_ damaged: String, _ recovered: String) -> Bool) throws(ToolError) {
    // The file itself is replaced, not a link to it; and its lock lies beside it.
    guard let real = realpath(path, nil) else { throw .noInput("cannot open '\(path)': \(describe(errno: errno))") }
    defer { free(real) }
    let path = String(cString: real)
    let lock = try WriteLock(of: path)
    try lock.take(within: Self.patience)
    defer { lock.release() }
    let (recovered, new) = (path + ".recovered", path + ".repaired")
    for left in [recovered, new] { Self.remove(left) }
    defer { Self.remove(recovered) }
    do throws(ToolError) {
      var rows = try salvage(path, into: new, lost: nil)
      if recover(path, recovered) { rows = try salvage(recovered, into: new, lost: rows) }
      lost = rows.count
    } catch {
      Self.remove(new)
      throw error
    }
    old = Self.unused(path + ".damaged")
    for suffix in Self.suffixes where Database.exists(path + suffix) { try Self.move(path + suffix, to: old + suffix) }
    for suffix in Self.suffixes where Database.exists(new + suffix) { try Self.move(new + suffix, to: path + suffix) }
    Self.remove(new)
  }

  /// Gives what could not be read.
  private mutating func salvage(
    _ path: String, into new: String, lost: Set<Salvage.RowName>?
  ) throws(ToolError) -> Set<Salvage.RowName> {
    var salvage = try Salvage(from: path, into: new, lost: lost)
    try salvage.run()
    (tweets, users) = (try salvage.count("tweets"), try salvage.count("users"))
    return salvage.lost
  }

  private static func unused(_ name: String) -> String {
    var (unused, number) = (name, 1)
    while Database.exists(unused) {
      number += 1
      unused = "\(name)-\(number)"
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
