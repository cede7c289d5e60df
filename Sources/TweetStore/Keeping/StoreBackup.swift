import Libc
package import SQLite
package import TweetCore

/// Copies of a store as one file, and stores made from them.
package enum StoreBackup {
  /// Writes a copy of the store to `file`, as it is at one moment; programs may write meanwhile. The copy is checked
  /// and on disk before it takes the place of an older one.
  /// - Throws: ``ToolError/inputOutput(_:)`` if the store is damaged: the older copy stays. ``ToolError/usage(_:)`` if
  ///   the file is the store itself, ``ToolError/cannotCreate(_:)`` if it is anything else that is not an earlier copy.
  package static func write(
    _ store: borrowing TweetStore, to file: String, progress: @escaping WorkSteps = { _, _, _ in }
  ) throws(ToolError) {
    let file = try target(file, ofCopyOf: store.path)
    let guardian = PartGuard(of: file)
    defer { withExtendedLifetime(guardian) {} }
    let part = try copy(store, beside: file, progress)
    do throws(ToolError) {
      try DatabaseFiles.move(part, to: file)
    } catch {
      DatabaseFiles.remove(part)
      throw error
    }
  }

  /// The file that a copy of a store goes to.
  private static func target(_ file: String, ofCopyOf store: String) throws(ToolError) -> String {
    let target = try FileTarget.resolve(file)
    var (own, other) = (stat(), stat())
    let isThere = stat(target, &other) == 0
    if isThere, stat(store, &own) == 0, own.st_dev == other.st_dev, own.st_ino == other.st_ino {
      throw .usage("'\(file)' is the store itself: name another file for the copy")
    }
    let isOurs = ["-wal", "-shm", "-journal", ".lock"].contains(where: target.hasSuffix)
    if isOurs || target == Paths.mediaStore(besides: target) {
      throw .cannotCreate("cannot write '\(file)': programs of tw make files of this name; name another one")
    }
    if isThere, other.st_size > 0, try !isBackup(target) {
      throw .cannotCreate(
        "cannot write '\(file)': it is there, and no backup of a store; name another file, or remove it first")
    }
    // SQLite would take the log for that of the copy.
    if Database.exists(target + "-wal") {
      throw .cannotCreate("cannot write '\(file)': the log of another database is beside it, '\(target)-wal'")
    }
    return target
  }

  /// Whether a file is what ``write(_:to:progress:)`` makes: a tweet store that no program writes to. A store in use
  /// has a log, as its head says, or the lock of its writers beside it.
  private static func isBackup(_ path: String) throws(ToolError) -> Bool {
    let (versions, mark) = (18, 68)
    guard let file = RawFile(path) else { throw .cannotCreate("cannot open '\(path)'", errno) }
    guard file.beginsAsDatabase, let head = file.bytes(at: 0, count: 100) else { return false }
    return Int32(bitPattern: head.word(mark)) == TweetStore.kind.applicationID && head.half(versions) == 0x0101
      && !Database.exists(path + ".lock")
  }

  /// Writes a checked copy that is on disk, in a new file beside `file`. Returns its path.
  private static func copy(
    _ store: borrowing TweetStore, beside file: String, _ progress: @escaping WorkSteps
  ) throws(ToolError) -> String {
    // SQLite would let others read it. It accepts an empty file.
    var template = Array("\(file)\(PartGuard.suffix)XXXXXX".utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(file)'", errno) }
    close(descriptor)
    let part = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    do throws(ToolError) {
      let size = try store.database.bytesInUse()
      let tick = { progress((stat(of: part)?.size ?? 0) / 1_000_000, size / 1_000_000, "MB") }
      try store.database.withTicks(tick) { () throws(ToolError) in try store.database.copy(to: part, named: file) }
      try verify(part, copyOf: store.path, progress)
      try sync(part, for: file)
      return part
    } catch {
      DatabaseFiles.remove(part)
      throw error
    }
  }

  /// Makes a store from a copy. The copy is checked first. Returns the path of the store that was there; `nil` if none
  /// was.
  package static func restore(
    _ file: String, to path: String, progress: @escaping WorkSteps = { _, _, _ in }
  ) throws(ToolError) -> String? {
    if let copy = stat(of: file), let store = stat(of: path), copy.st_dev == store.st_dev, copy.st_ino == store.st_ino {
      throw .usage("'\(file)' is the store itself: name a copy of it")
    }
    // Reading makes nothing: a copy has no log.
    let source = try TweetStore(file, .readOnly, showsIncoming: false)
    // Where the store is a symbolic link, the file behind it is replaced.
    let path = try FileTarget.resolve(path)
    try Paths.createDirectory(of: path)
    let lock = try WriteLock(of: path, TweetStore.kind)
    try lock.acquire(within: Database.lockTimeout)
    defer { lock.release() }
    let guardian = PartGuard(of: path)
    defer { withExtendedLifetime(guardian) {} }
    let part = try Self.copy(source, beside: path, progress)
    do throws(ToolError) {
      try TweetStore.continueChanges(of: path, in: part)
      try Database.useLog(part)
      return try DatabaseFiles.exchange(path, for: part, keeping: path + ".old")
    } catch {
      DatabaseFiles.remove(part)
      throw error
    }
  }

  /// What a person or a service removed from a store since a copy of it was made.
  package struct Returning: Sendable {
    package init() {}
    package fileprivate(set) var forgotten = 0
    package fileprivate(set) var people: [Person] = []
    /// Tweets in the copy that their service said are deleted.
    package fileprivate(set) var deleted = 0
    /// Whether nothing comes back that a person removed.
    package var isHarmless: Bool { forgotten == 0 && people.isEmpty }
  }

  /// What can come back if a store is made from a copy; nothing if there is no store.
  package static func returning(from copy: borrowing TweetStore, to path: String) throws(ToolError) -> Returning {
    var returning = Returning()
    guard try TweetStore.isThere(path) else { return returning }
    let store = try TweetStore(path, .readOnly, showsIncoming: false)
    func has(_ table: String, _ row: Row) throws(ToolError) -> Bool {
      let sql = "SELECT 1 FROM \(table) WHERE service = ? AND id = ?"
      let values = [SQLValue(row.text(0)), SQLValue(row.text(1))]
      return try copy.database.first(sql: sql, values) { _ in true } ?? false
    }
    try store.database.forEachRow("SELECT service, id FROM forgotten") { (row) throws(ToolError) in
      if try !has("forgotten", row) { returning.forgotten += 1 }
    }
    try store.database.forEachRow("SELECT service, id FROM tombstones") { (row) throws(ToolError) in
      if try has("tweets", row), try !has("tombstones", row) { returning.deleted += 1 }
    }
    let known = try copy.forgottenPeople()
    returning.people = try store.forgottenPeople().filter { !known.contains($0) }
    return returning
  }

  private static func verify(
    _ part: String, copyOf path: String, _ progress: @escaping WorkSteps
  ) throws(ToolError) {
    var fault: String?
    let copy = try TweetStore(part, .readOnly, showsIncoming: false)
    try copy.check(progress: progress) { if fault == nil { fault = $0 } }
    guard let fault else { return }
    throw .inputOutput("'\(path)' is damaged and was not copied: \(fault); 'tw-cache check' names all faults")
  }

  /// - Parameter file: what it becomes, for messages.
  private static func sync(_ part: String, for file: String) throws(ToolError) {
    guard let copy = Descriptor(part, O_RDONLY), fsync(copy.number) == 0 else {
      throw .inputOutput("cannot write '\(file)': \(describe(errno: errno))")
    }
  }
}

/// Removes unfinished copies that killed programs have left in the folder of a file, which are as large as a store, and
/// keeps others from removing a new one as long as it lives: by flock(2) on the folder, shared by those who make copies
/// there.
private final class PartGuard {
  /// What stands between the name of the file and six letters.
  static let suffix = ".new-"

  private let folder: Int32

  init(of file: String) {
    let path = Paths.folder(of: file)
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    // On disks without such locks nothing is removed.
    if folder >= 0, flock(folder, LOCK_EX | LOCK_NB) == 0 {
      for name in Directory.names(in: path) ?? [] where Self.isPart(name, in: path) {
        DatabaseFiles.remove("\(path)/\(name)")
      }
    }
    while folder >= 0, flock(folder, LOCK_SH) != 0, errno == EINTR {}
  }

  /// Whether a file is an unfinished copy, of whatever name: copies of many days lie in one folder. SQLite writes whose
  /// file it is at the end.
  private static func isPart(_ name: String, in folder: String) -> Bool {
    let (stem, letters, mark) = (name.dropLast(6), name.suffix(6), 68)
    guard stem.hasSuffix(suffix), letters.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) }),
      let file = RawFile("\(folder)/\(name)")
    else { return false }
    guard let head = file.bytes(at: 0, count: 100) else { return file.size == 0 }
    let owner = Int32(bitPattern: head.word(mark))
    return head.allSatisfy { $0 == 0 } || file.beginsAsDatabase && [0, TweetStore.kind.applicationID].contains(owner)
  }

  deinit { if folder >= 0 { close(folder) } }
}
