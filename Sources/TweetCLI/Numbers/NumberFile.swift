import Libc
import TweetCore

/// The numbers that tweets have on one terminal: a file of a line for each time that a tweet was shown, the newest
/// last. Lines are appended and read under a lock, as several programs show tweets on a terminal at a time; a file that
/// has grown is replaced at once by one with the lines that count.
struct NumberFile {
  /// Numbers are short: after the last one, the first is given again.
  static let most = 999
  /// How long a number means a tweet, in milliseconds.
  static let life: Int64 = 86_400_000
  /// Lines that no longer count, which are kept until the file is replaced.
  private static let mostOldLines = 2000

  private struct Entry {
    let target: TweetTarget
    var shownAt: Timestamp
  }

  private struct Key: Hashable {
    let service: String
    let id: String
  }

  private let path: String
  private let now: @Sendable () -> Timestamp
  private var entries: [Int: Entry] = [:]
  private var numbers: [Key: Int] = [:]
  private var last = 0
  private var lines = 0
  /// The file that was read, and how much of it.
  private var inode: ino_t = 0
  private var size = 0

  /// The folder of all terminals' files.
  static var folder: String { Paths.stateDirectory + "/numbers" }
  private static var lock: String { folder + "/lock" }

  /// - Parameter session: as ``TerminalSession`` names it.
  init(session: String, now: @escaping @Sendable () -> Timestamp = { .now }) {
    path = Self.folder + "/" + session
    self.now = now
  }

  // MARK: Reading

  /// The tweet with a number, if it was shown within ``life``.
  func target(_ number: Int) -> TweetTarget? {
    guard let entry = entries[number], isAlive(entry.shownAt) else { return nil }
    return entry.target
  }

  /// Whether any number means a tweet.
  var isEmpty: Bool { !entries.values.contains { isAlive($0.shownAt) } }

  private func isAlive(_ time: Timestamp) -> Bool {
    let age = now().milliseconds - time.milliseconds
    // A clock that was set back makes nothing older.
    return age < Self.life
  }

  /// Reads what is there; nothing if no tweet was ever numbered on this terminal.
  mutating func load() throws(ToolError) {
    guard access(path, F_OK) == 0 else { return }
    try FileLock.hold(Self.lock) { (_) throws(ToolError) in
      let file = try open(O_RDONLY)
      try read(file.number)
    }
  }

  /// Opens the file, which must be this person's own.
  private func open(_ flags: Int32) throws(ToolError) -> Descriptor {
    guard let file = Descriptor(path, flags | O_NOFOLLOW) else { throw .inputOutput("cannot open '\(path)'", errno) }
    guard let status = stat(of: file.number), status.isFile, status.st_uid == geteuid() else {
      throw .inputOutput("'\(path)' is not a file of this user: remove it")
    }
    return file
  }

  /// Reads the file again if it is not the one that is known.
  private mutating func read(_ file: Int32) throws(ToolError) {
    let status = stat(of: file) ?? stat()
    if status.st_ino == inode, status.size == size { return }
    (entries, numbers, last, lines) = ([:], [:], 0, 0)
    let bytes = try StateFile.read(file, name: path)
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      lines += 1
      // A program that was killed, or a full disk, may have left the beginning of a line.
      guard let object = try? JSONDocument(Array(line)), let number = object["number"]?.integer,
        (1...Self.most).contains(number), let target = TweetTarget(stored: object),
        let shownAt = object["shown_at"]?.string.flatMap({ Timestamp(parsing: $0) })
      else { continue }
      set(number, Entry(target: target, shownAt: shownAt))
    }
    (inode, size) = (status.st_ino, bytes.count)
  }

  private mutating func set(_ number: Int, _ entry: Entry) {
    let key = Key(service: entry.target.service, id: entry.target.id)
    // A tweet that was shown again keeps its number, and the next new one gets the number after the newest.
    if numbers[key] != number { last = number }
    if let old = entries[number]?.target { numbers[Key(service: old.service, id: old.id)] = nil }
    entries[number] = entry
    numbers[key] = number
  }

  // MARK: Numbering

  /// Gives a tweet its number: the one that it has, or the next. When this returns, the file has it.
  mutating func number(of target: TweetTarget) throws(ToolError) -> Int {
    try FileLock.hold(Self.lock) { (_) throws(ToolError) in
      if access(path, F_OK) != 0 { Self.removeOld() }
      let file = try open(O_RDWR | O_APPEND | O_CREAT)
      try read(file.number)
      // A new day begins at one.
      let isNewDay = !entries.isEmpty && isEmpty
      if isNewDay { (entries, numbers, last) = ([:], [:], 0) }
      let number = numbers[Key(service: target.service, id: target.id)] ?? last % Self.most + 1
      set(number, Entry(target: target, shownAt: now()))
      if isNewDay || lines > entries.count + Self.mostOldLines {
        try replace()
      } else {
        try append(number, to: file.number)
      }
      return number
    }
  }

  private mutating func append(_ number: Int, to file: Int32) throws(ToolError) {
    var line = ByteBuffer()
    // The line before may not have been written to its end.
    if size > 0 { line.append("\n") }
    append(number, to: &line)
    let fault = line.withBytes { writeAll($0, to: file) }
    guard fault == 0 else { throw .inputOutput("cannot write '\(path)': \(describe(errno: fault))") }
    let status = stat(of: file) ?? stat()
    (inode, size) = (status.st_ino, status.size)
    lines += 1
  }

  private func append(_ number: Int, to line: inout ByteBuffer) {
    guard let entry = entries[number] else { return }
    line.object {
      $0.member("number", number)
      $0.member("shown_at", entry.shownAt)
      entry.target.append(to: &$0)
    }
  }

  /// Replaces the file by one with a line for each number, the newest last.
  private mutating func replace() throws(ToolError) {
    var text = ByteBuffer()
    // Numbers above the newest one are those of the round before.
    for number in entries.keys.sorted(by: { ($0 > last ? 0 : 1, $0) < ($1 > last ? 0 : 1, $1) }) {
      append(number, to: &text)
      text.append("\n")
    }
    try StateFile.replace(path, with: text, isAlone: true)
    // It is read again before the next number.
    (inode, size) = (0, 0)
  }

  /// Removes the files of terminals on which nothing was shown for a day. That they stay is no harm.
  private static func removeOld() {
    for name in Directory.names(in: folder) ?? [] where name != "lock" {
      let path = folder + "/" + name
      if let status = stat(of: path, followsLink: false), status.age > life { unlink(path) }
    }
  }
}
