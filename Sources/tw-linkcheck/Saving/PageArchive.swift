import Libc
import TweetCLI
import TweetCore

/// The directory of saved pages: WARC files, each written by one run from its beginning to its end.
///
/// It is a class because Swift cannot borrow an optional noncopyable value in place.
final class PageArchive {
  /// The full path, by which the store knows what is saved where.
  let directory: String
  let choice: SaveChoice
  private let fileSize: Int
  private let totalSize: Int
  /// Bytes of all WARC files in the directory.
  private var used: Int
  private var file: (descriptor: Int32, path: String, info: String, size: Int)?
  private var fileCount = 0
  private var isSynced = true
  /// Why no more is saved in this run, for a person; `nil` while it is.
  private(set) var refusal: String?

  /// Creates the directory if it is missing.
  init(directory: String, choice: SaveChoice, fileSize: Int, totalSize: Int) throws(ToolError) {
    try Paths.createDirectory(directory)
    guard let names = Directory.names(in: directory), let full = Paths.real(directory) else {
      throw .cannotCreate("cannot open directory '\(directory)'", errno)
    }
    (self.directory, self.choice) = (full, choice)
    (self.fileSize, self.totalSize) = (fileSize, totalSize)
    used = names.filter { $0.hasSuffix(".warc.gz") }.reduce(0) { sum, name in
      sum + (stat(of: "\(directory)/\(name)", followsLink: false)?.size ?? 0)
    }
  }

  deinit { if let file { close(file.descriptor) } }

  /// Saves what a look-up was answered, unless the directory is full. What cannot be written ends nothing but the
  /// saving.
  /// - Returns: whether it is saved.
  func save(_ exchanges: [SavedExchange], at time: Timestamp) throws(ToolError) -> Bool {
    guard refusal == nil else { return false }
    guard used < totalSize else {
      refusal = "the files in '\(directory)' have reached --save-total-size"
      return false
    }
    do throws(ToolError) {
      if let file, file.size >= fileSize { try closeFile(file.descriptor, file.path) }
      if file == nil { try begin(at: time) }
      guard let file else { return false }
      var bytes: [UInt8] = []
      for exchange in exchanges { bytes += try WARCRecord.exchange(exchange, at: time, info: file.info) }
      try write(bytes)
      return true
    } catch {
      guard error.status == .inputOutput || error.status == .cannotCreate else { throw error }
      refusal = error.message
      return false
    }
  }

  /// Waits until all that was saved is on the disk: before the store says that it is.
  func sync() throws(ToolError) {
    guard !isSynced, let file else { return }
    guard fsync(file.descriptor) == 0 else {
      throw .inputOutput("cannot write '\(file.path)': \(describe(errno: errno))")
    }
    // Its name must be there, too.
    try Paths.syncDirectory(of: file.path)
    isSynced = true
  }

  private func begin(at time: Timestamp) throws(ToolError) {
    let digits = time.rfc3339.prefix(19).filter(\.isNumber)
    // Another run may begin in the same second; a process of the same id may have been killed in it.
    while file == nil {
      fileCount += 1
      let name = "tw-\(digits)-\(getpid())-\(fileCount).warc.gz"
      let path = "\(directory)/\(name)"
      let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
      if descriptor < 0, errno == EEXIST { continue }
      guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
      let info = try WARCRecord.info(fileName: name, at: time)
      file = (descriptor, path, info.id, 0)
      try write(info.bytes)
    }
  }

  private func closeFile(_ descriptor: Int32, _ path: String) throws(ToolError) {
    try sync()
    file = nil
    if close(descriptor) != 0 { throw .inputOutput("cannot write '\(path)': \(describe(errno: errno))") }
  }

  /// Adds bytes to the file. Of what cannot be written whole nothing stays.
  private func write(_ bytes: [UInt8]) throws(ToolError) {
    guard let open = file else { return }
    isSynced = false
    let failure = writeAll(bytes, to: open.descriptor)
    guard failure == 0 else {
      _ = ftruncate(open.descriptor, off_t(open.size))
      throw .inputOutput("cannot write '\(open.path)': \(describe(errno: failure))")
    }
    file?.size += bytes.count
    used += bytes.count
  }
}
