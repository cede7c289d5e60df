import Libc
import Synchronization
package import TweetCore

/// Commits that SQLite would lose: they are in the log after a frame that is damaged. SQLite takes that frame for the
/// end of the log, as after a power failure, says nothing, and overwrites the rest with the next commit.
///
/// So whoever opens the file first, after a program that was killed, looks before SQLite does.
package enum LogFault {
  /// Bytes of the log's index that say whether it is open in a process (sqlite.org/walformat.html, "WAL-Index Format"):
  /// each holds a shared lock on this one.
  private static let openMark: off_t = 128

  /// The files that this process has open. While it has, it must not open their index: closing it would release
  /// SQLite's locks (POSIX, fcntl()).
  private static let used = Mutex<[FileName: Int]>([:])

  /// What a file is, whatever its path.
  struct FileName: Hashable {
    private let device: dev_t
    private let file: ino_t

    init?(_ path: String) {
      guard let status = stat(of: path) else { return nil }
      (device, file) = (status.st_dev, status.st_ino)
    }
  }

  /// Notes that this process opens a file.
  /// - Parameter kind: what it is. If it is given, lost commits are looked for, as long as no program has the file
  ///   open.
  /// - Throws: ``ToolError/inputOutput(_:)`` if there are some. Nothing has changed then.
  static func enter(_ path: String, _ kind: DatabaseKind?) throws(ToolError) -> FileName? {
    guard let name = FileName(path) else { return nil }
    try used.withLock { (counts) throws(ToolError) in
      if let kind, counts[name] == nil, isLost(path) {
        // Another program may have begun to write meanwhile. Where no lock can be made, none writes.
        let lock = try? WriteLock(of: Paths.real(path) ?? path, kind)
        try lock?.acquire(within: Database.lockTimeout)
        defer { lock?.release() }
        if isLost(path) {
          throw .inputOutput(
            "the log '\(path)-wal' is damaged: what was stored after the damage would be lost; nothing was changed; \(kind.damage)"
          )
        }
      }
      counts[name, default: 0] += 1
    }
    return name
  }

  /// Notes that a file is closed.
  static func leave(_ name: FileName) {
    used.withLock { counts in counts[name] = counts[name].flatMap { $0 > 1 ? $0 - 1 : nil } }
  }

  /// What is wrong with the log of an open file; `nil` if nothing is. One commit after the damage may be what a power
  /// failure left unfinished: that is told too.
  package static func find(_ path: String, _ kind: DatabaseKind) throws(ToolError) -> String? {
    guard lostCommits(path) > 0 else { return nil }
    // A program that writes meanwhile looks like that: what it has not finished.
    let lock = try? WriteLock(of: Paths.real(path) ?? path, kind)
    try lock?.acquire(within: Database.lockTimeout)
    defer { lock?.release() }
    let lost = lostCommits(path)
    if lost == 0 { return nil }
    return "the log has \(counted(lost, "transaction")) after a damaged frame"
  }

  private static func lostCommits(_ path: String) -> Int { frames(path)?.lostCommits ?? 0 }

  private static func frames(_ path: String) -> LogFrames? {
    guard let log = RawFile(path + "-wal"), log.size > 0 else { return nil }
    // The file itself is not asked: it may be open here, and closing it would release its locks.
    return LogFrames(log, pageSize: LogFrames.pageSize(of: log) ?? Database.pageSize)
  }

  /// Whether commits are surely lost, in a file that no program has open.
  private static func isLost(_ path: String) -> Bool {
    let index = RawFile(path + "-shm")
    if let index, index.isLocked(at: openMark) { return false }
    guard let frames = frames(path) else { return false }
    if let index = index.flatMap(LogIndex.init), index.salts == frames.salts,
      index.frames > max(frames.readable, index.copied)
    {
      return true
    }
    // Each commit is on disk before the next one begins. So of those that a power failure leaves unfinished there is
    // one.
    return frames.lostCommits > 1
  }
}

/// The head of a log's index ("The WAL-Index Header"), as the last program left it.
private struct LogIndex {
  /// How many frames were committed.
  let frames: Int
  /// How many of them are copied into the file.
  let copied: Int
  let salts: [UInt8]

  /// `nil` if it is not sound.
  init?(_ file: RawFile) {
    let size = 48
    guard let bytes = file.bytes(at: 0, count: 100), bytes[..<size].elementsEqual(bytes[size..<2 * size]) else {
      return nil
    }
    func number(_ at: Int) -> UInt32 { bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt32.self) } }
    // Its numbers are in the order of the machine.
    let sum = LogFrames.Checksum(0, 0).adding(bytes[..<40], isBigEndian: UInt32(1).bigEndian == 1)
    guard bytes[12] != 0, sum == LogFrames.Checksum(number(40), number(44)) else { return nil }
    (frames, copied, salts) = (Int(number(16)), Int(number(96)), Array(bytes[32..<40]))
  }
}
