import Libc

/// Small files that are read whole and replaced whole.
package enum StateFile {
  /// The kit's own files are far smaller. A larger one is something else.
  private static let largest = 16 << 20

  /// The file's bytes; `nil` when there is no file.
  /// - Throws: `ToolError.inputOutput` when there is one that cannot be read.
  package static func read(_ path: String) throws(ToolError) -> [UInt8]? {
    guard let file = Descriptor(path, O_RDONLY) else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .inputOutput("cannot open '\(path)'", errno)
    }
    return try read(file.number, name: path)
  }

  /// Reads a file that others must not have written, as ``read(_:)`` does. What fails is a fault of the configuration.
  ///
  /// - Parameter check: refuses an open file.
  package static func read(
    _ path: String, checkedBy check: (Int32) throws(ToolError) -> Void
  ) throws(ToolError) -> [UInt8]? {
    guard let file = Descriptor(path, O_RDONLY) else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw .configuration("cannot open '\(path)'", errno)
    }
    try check(file.number)
    do throws(ToolError) {
      return try read(file.number, name: path)
    } catch {
      throw .configuration(error.message ?? "cannot read '\(path)'")
    }
  }

  /// Reads an open file to its end.
  package static func read(_ descriptor: Int32, name: String) throws(ToolError) -> [UInt8] {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = Libc.read(descriptor, &piece, piece.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw .inputOutput("cannot read '\(name)'", errno)
      }
      bytes += piece[..<count]
      if bytes.count > largest { throw .inputOutput("cannot read '\(name)': it is too large for what it should be") }
    }
  }

  /// Writes a new file beside the old one, and renames it to the old name when it is on disk. So a reader finds the
  /// whole old file or the whole new one, also after a power failure. Only this user may read the file. A symbolic link
  /// stays.
  ///
  /// - Parameter isAlone: whether the caller holds a lock, so that nobody else replaces the file now. The new file is
  ///   then called ``temporaryName(of:)`` before it is complete: what a killed program leaves is replaced or removed
  ///   later.
  /// - Throws: `ToolError.cannotCreate`, also if something is there that ``FileTarget`` leaves alone;
  ///   `ToolError.inputOutput`.
  package static func replace(
    _ path: String, with text: borrowing ByteBuffer, isAlone: Bool = false
  ) throws(ToolError) {
    let path = try FileTarget.resolve(path)
    var template = Array((isAlone ? temporaryName(of: path) : "\(path).XXXXXX").utf8CString)
    if isAlone { unlink(template) }
    let file = Descriptor(
      owning: isAlone ? open(template, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600) : mkstemp(&template))
    let descriptor = file.number
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    do throws(ToolError) {
      var writer = RecordWriter(descriptor: descriptor, name: "'\(path)'")
      writer.buffer.append(text.array)
      try writer.flush()
      guard fsync(descriptor) == 0, rename(template, path) == 0 else {
        throw .inputOutput("cannot write '\(path)': \(describe(errno: errno))")
      }
    } catch {
      unlink(template)
      throw error
    }
  }

  /// What a file is called that is to replace another one, under a lock.
  package static func temporaryName(of path: String) -> String { path + ".new" }
}

/// A new file that will replace another one, whose room on the disk is taken before it is known what will be in it. So
/// a disk that is full is found out while nothing is lost by it.
package final class ReservedFile {
  private let path: String
  private let descriptor: Int32
  private var isCommitted = false

  /// The caller holds a lock, as for ``StateFile/replace(_:with:isAlone:)``.
  ///
  /// - Parameters:
  ///   - path: the file that is to be replaced.
  ///   - room: bytes.
  package init(replacing path: String, room: Int) throws(ToolError) {
    self.path = try FileTarget.resolve(path)
    let name = StateFile.temporaryName(of: self.path)
    unlink(name)
    descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
    // File systems that only promise the room have it after a sync.
    try write([UInt8](repeating: 0, count: room))
  }

  deinit {
    if !isCommitted { unlink(StateFile.temporaryName(of: path)) }
    close(descriptor)
  }

  /// Writes the text, and puts the file in the place of the other one.
  package func commit(_ text: [UInt8]) throws(ToolError) {
    try write(text)
    guard rename(StateFile.temporaryName(of: path), path) == 0 else { throw fault }
    isCommitted = true
  }

  private func write(_ bytes: [UInt8]) throws(ToolError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written, off_t(written))
      }
      guard count > 0 || errno == EINTR else { throw fault }
      written += max(0, count)
    }
    guard ftruncate(descriptor, off_t(bytes.count)) == 0, fsync(descriptor) == 0 else { throw fault }
  }

  private var fault: ToolError { .inputOutput("cannot write '\(path)': \(describe(errno: errno))") }
}

/// Files that are written under another name first, in folders of people and of other programs, where several processes
/// may write the same one at once.
package enum UnfinishedFile {
  /// Milliseconds after which a draft is one of a program that was killed.
  private static let abandonedAge: Int64 = 3_600_000

  /// What a file is called before it is whole: hidden, and with the process's id.
  package static func path(for path: String) -> String {
    let (folder, name) = Paths.split(path)
    return "\(folder).\(name).\(getpid()).tmp"
  }

  /// Removes the drafts of a file that programs left that were killed; those of all files of the folder if `path` ends
  /// with a slash.
  package static func removeAbandoned(for path: String) {
    let (folder, name) = Paths.split(path)
    for draft in Directory.names(in: folder.isEmpty ? "." : folder) ?? []
    where isDraft(draft, of: name) {
      let status = stat(of: folder + draft, followsLink: false)
      if let status, !status.isFolder, status.age > abandonedAge { unlink(folder + draft) }
    }
  }

  /// Whether a name is that of a draft of this file; of any if there is no file's name.
  private static func isDraft(_ draft: String, of name: String) -> Bool {
    guard draft.hasPrefix("."), draft.hasSuffix(".tmp") else { return false }
    let stem = draft.dropFirst().dropLast(4)
    guard let dot = stem.lastIndex(of: "."), dot > stem.startIndex, name.isEmpty || stem[..<dot] == name else {
      return false
    }
    let process = stem[dot...].dropFirst()
    return !process.isEmpty && process.utf8.allSatisfy(\.isASCIIDigit)
  }

  /// Writes a file, which other users may read, under another name first, so that nobody ever sees half of it.
  /// - Parameter name: what messages call it where it cannot be created.
  package static func replace(_ path: String, with bytes: [UInt8], named name: String? = nil) throws(ToolError) {
    let draft = Self.path(for: path)
    // Whatever has this name is not ours: a link of a stranger, or the file of a process that was killed.
    unlink(draft)
    let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(name ?? draft)'", errno) }
    var failure = writeAll(bytes, to: descriptor)
    if close(descriptor) != 0, failure == 0 { failure = errno }
    if failure == 0, rename(draft, path) != 0 { failure = errno }
    if failure == 0 { return }
    unlink(draft)
    throw .inputOutput("cannot write '\(name ?? path)': \(describe(errno: failure))")
  }
}

/// Files without a name, which go away with the process, also after a crash.
package enum NamelessFile {
  /// Opens a new one for reading and writing.
  /// - Parameters:
  ///   - folder: a directory on the disk that has the room.
  ///   - prefix: how the name begins that it has for a moment, where the file system knows no files without one.
  /// - Returns: a descriptor that the caller closes, and no child inherits.
  /// - Throws: ``ToolError/cannotCreate(_:)``.
  package static func open(in folder: String, prefix: String) throws(ToolError) -> Int32 {
    #if os(Linux)
      // O_TMPFILE (open(2)), which Swift does not import.
      let made = Libc.open(folder, 0o20_000_000 | O_DIRECTORY | O_RDWR | O_CLOEXEC, 0o600)
      if made >= 0 { return made }
    #endif
    var template = Array("\(folder)/\(prefix)XXXXXX".utf8CString)
    let file = mkstemp(&template)
    guard file >= 0 else { throw .cannotCreate("cannot create a file in '\(folder)'", errno) }
    unlink(template)
    _ = fcntl(file, F_SETFD, FD_CLOEXEC)
    return file
  }

  /// Removes files of processes that were killed in that moment. A file of one that lives loses its name a little
  /// early.
  package static func removeAbandoned(in folder: String, prefix: String) {
    let length = prefix.utf8.count + 6
    for name in Directory.names(in: folder) ?? [] where name.hasPrefix(prefix) && name.utf8.count == length {
      unlink("\(folder)/\(name)")
    }
  }
}

/// Exclusive locks on small state files, held for milliseconds. The kernel releases a lock when its process dies.
/// flock(2) locks belong to the open file, so two holders in one process exclude each other too.
package enum FileLock {
  /// Opens the file, waits for its lock, and holds it while `body` runs. Creates the file and the directories above it
  /// when they are missing.
  ///
  /// - Parameter body: gets the locked file, open for reading and writing.
  /// - Throws: `ToolError.cannotCreate`, or `ToolError.tryLater` when a signal ends the wait; and what `body` throws.
  package static func hold<Result>(
    _ path: String, _ body: (_ descriptor: Int32) throws(ToolError) -> Result
  ) throws(ToolError) -> Result {
    if access(path, F_OK) != 0, errno == ENOENT { try Paths.createDirectory(of: path) }
    guard let file = Descriptor(path, O_RDWR | O_CREAT) else { throw .cannotCreate("cannot create '\(path)'", errno) }
    while flock(file.number, LOCK_EX) != 0 {
      let fault = errno
      guard fault == EINTR else { throw .inputOutput("cannot lock '\(path)': \(describe(errno: fault))") }
      if Interruption.signal != nil { throw .tryLater("interrupted while waiting for '\(path)'") }
    }
    return try body(file.number)
  }
}
