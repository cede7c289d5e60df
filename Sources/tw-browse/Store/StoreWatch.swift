import Libc

/// Tells from the files of a store, without opening them, whether it is worth asking what has changed: so an idle
/// screen wakes no other thread.
struct StoreWatch {
  /// Seconds for which a file that was written is taken to have changed: its time may be that of the clock tick before,
  /// and another write in the same tick leaves it as it is.
  private static let doubt = 3

  enum Change {
    case none, possible
    /// It is another file now, or there is none any more.
    case anotherFile
  }

  private struct Stamp: Equatable {
    /// Device and inode.
    let file: [UInt64]
    let seconds: Int
    let nanoseconds: Int
    let size: Int
  }

  private let paths: [String]
  private var seen: [Stamp?] = []

  /// - Parameter path: of the store, which need not be there yet.
  init(_ path: String) { paths = [path, path + "-wal"] }

  /// What may have become of the store since this was asked last.
  mutating func look() -> Change {
    let before = seen
    seen = paths.map(Self.stamp)
    if let old = before.first ?? nil, old.file != seen[0]?.file { return .anotherFile }
    // One that is not there yet may come, and only who opens it sees that.
    guard seen == before, let newest = seen.compactMap({ $0?.seconds }).max() else { return .possible }
    return time(nil) - newest <= Self.doubt ? .possible : .none
  }

  private static func stamp(_ path: String) -> Stamp? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    let changed = status.modificationTime
    return Stamp(
      file: [UInt64(status.st_dev), UInt64(status.st_ino)], seconds: Int(changed.tv_sec),
      nanoseconds: Int(changed.tv_nsec), size: Int(status.st_size))
  }
}
