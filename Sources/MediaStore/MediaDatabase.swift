import Libc
import SQLite
import TweetCore

/// The open file of a ``MediaStore``. All in it can be fetched again, so a damaged file ends nothing: it is renamed,
/// and an empty one takes its place.
final class MediaDatabase {
  private let path: String
  private let kind: DatabaseKind
  private let note: (String) -> Void
  private var database: Database

  /// - Parameter note: gets a message when the file was damaged.
  init(_ path: String, _ kind: DatabaseKind, note: @escaping (String) -> Void) throws(ToolError) {
    (self.path, self.kind, self.note) = (path, kind, note)
    do throws(ToolError) {
      database = try Database(path, kind, .readWrite)
    } catch {
      guard try Self.setAside(path, kind, after: error, note) else { throw error }
      database = try Database(path, kind, .readWrite)
    }
  }

  /// Runs `body`, and once more with an empty file if it fails because the file is damaged.
  /// - Parameter body: must not use this object itself.
  func use<R>(_ body: (borrowing Database) throws(ToolError) -> R) throws(ToolError) -> R {
    do throws(ToolError) {
      return try body(database)
    } catch {
      guard try Self.setAside(path, kind, after: error, note) else { throw error }
      database = try Database(path, kind, .readWrite)
      return try body(database)
    }
  }

  /// Renames the file to `PATH.damaged` if it is damaged, in place of an earlier one. Another process may have done so
  /// already, also before this one has looked at the file; then there is a sound file again.
  /// - Returns: whether to try once more.
  private static func setAside(
    _ path: String, _ kind: DatabaseKind, after error: ToolError, _ note: (String) -> Void
  ) throws(ToolError) -> Bool {
    switch error {
    case .badData, .inputOutput, .bug: break
    // Nothing of this comes from damage: no right to write, a lock that another program has, another version.
    default: return false
    }
    guard try Database.isDamaged(path, kind) else { return true }
    let lock = try WriteLock(of: path, kind)
    try lock.acquire(within: Database.lockTimeout)
    defer { lock.release() }
    guard try Database.isDamaged(path, kind) else { return true }
    let other = path + ".damaged"
    for suffix in ["-wal", "-shm"] {
      unlink(other + suffix)
      rename(path + suffix, other + suffix)
    }
    guard rename(path, other) == 0 else { return false }
    note("'\(path)' was damaged: it is '\(other)' now, and pictures and links are fetched again")
    return true
  }
}

extension Database {
  /// Whether a file is damaged: it is no database at all, its pages do not fit together, or its schema is not that of
  /// the kind. A whole file of another kind or version is not damaged.
  fileprivate static func isDamaged(_ path: String, _ kind: DatabaseKind) throws(ToolError) -> Bool {
    guard exists(path) else { return false }
    let isEmpty: Bool
    do throws(ToolError) {
      isEmpty = try check(kind, ofDamaged: path)
    } catch {
      if case .inputOutput = error { return true }
      // A file of another kind, or none that can be read.
      guard let file = RawFile(path), file.size > 0 else { return false }
      return !file.beginsAsDatabase
    }
    guard let database = try? Database(damaged: path) else { return false }
    do throws(ToolError) {
      let (found, expected) = (try database.schema(), try kind.objects())
      if !isEmpty, !expected.allSatisfy({ found.contains($0) }) { return true }
      // Not quick_check: a bit in an index lets every write fail that meets it, and that check does not compare
      // indexes.
      return try database.first("PRAGMA integrity_check(1)") { $0.text(0) } != "ok"
    } catch {
      if case .inputOutput = error { return true }
      return false
    }
  }
}
