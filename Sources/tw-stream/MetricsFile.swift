import Libc
import Services
import TweetCore
import TweetServices

/// The file of `--metrics`: records are appended to it, or it is replaced whole. What is not a file of ours stays as it
/// is.
struct MetricsFile {
  private let path: String
  private let format: MetricsFormat
  private let startedAt = Timestamp.shown
  /// When the next numbers are due, by `MonotonicClock`.
  private(set) var dueAt = MonotonicClock.milliseconds
  private var failures = 0

  /// Milliseconds.
  private static let interval = 60_000
  /// What a file of records begins with.
  private static let recordStart = "{\"tw\":\"metrics\""

  /// - Parameter path: the file; need not be there yet.
  init(_ path: String, _ format: MetricsFormat) {
    self.path = path
    self.format = format
  }

  /// Whether the last numbers, and not those before them, could not be written.
  var isFirstFailure: Bool { failures == 1 }

  /// - Throws: `ToolError.cannotCreate` if something is there that is no such file; `ToolError.inputOutput`; what
  ///   ``Ledger/entries(since:)`` throws.
  mutating func write(_ counts: WriterCounts?, bufferedBytes: Int) throws(ToolError) {
    guard let counts else { return }
    dueAt = MonotonicClock.milliseconds + Self.interval
    failures += 1
    let metrics = Metrics(
      counts, startedAt: startedAt, bufferedBytes: bufferedBytes,
      ledger: try Ledger().entries(since: Ledger.day(of: .shown)))
    let target = try FileTarget.resolve(path)
    var buffer = ByteBuffer(capacity: 1024)
    switch format {
    case .records:
      metrics.appendRecord(to: &buffer)
      try append(buffer.array, to: target)
    case .prometheus:
      metrics.appendPrometheus(to: &buffer, run: runName)
      try replace(target, with: buffer.array)
    }
    failures = 0
  }

  /// The file's name without its folder and its ending.
  private var runName: String {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return name.hasSuffix(".prom") ? String(name.dropLast(5)) : name
  }

  /// The file is opened each time, so that logrotate(8) may rename it.
  private func append(_ line: [UInt8], to target: String) throws(ToolError) {
    let descriptor = open(target, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
    defer { close(descriptor) }
    try requireOwn(descriptor, Self.recordStart)
    let size = lseek(descriptor, 0, SEEK_END)
    var last: UInt8 = 0x0A
    if size > 0 { pread(descriptor, &last, 1, size - 1) }
    // A line that a crash has cut off ends here.
    let fault = writeAll(last == 0x0A ? line : [0x0A] + line, to: descriptor)
    if fault == 0 { return }
    // Where the disk is full, a part of the line is there.
    ftruncate(descriptor, size)
    throw .inputOutput("cannot write '\(path)': \(describe(errno: fault))")
  }

  /// A reader finds the whole old file or the whole new one. Other users may read it: node_exporter is one.
  private func replace(_ target: String, with text: [UInt8]) throws(ToolError) {
    let old = open(target, O_RDONLY | O_CLOEXEC)
    if old >= 0 {
      defer { close(old) }
      try requireOwn(old, Metrics.prometheusStart)
    } else if errno != ENOENT {
      throw .cannotCreate("cannot write '\(path)'", errno)
    }
    UnfinishedFile.removeAbandoned(for: target)
    // Not with the ending of the file: node_exporter would read the half of it.
    let temporary = UnfinishedFile.path(for: target)
    unlink(temporary)
    let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
    defer { close(descriptor) }
    var fault = writeAll(text, to: descriptor)
    if fault == 0, rename(temporary, target) != 0 { fault = errno }
    if fault == 0 { return }
    unlink(temporary)
    throw .inputOutput("cannot write '\(path)': \(describe(errno: fault))")
  }

  /// Refuses a file that is not empty and does not begin as ours do.
  private func requireOwn(_ descriptor: Int32, _ start: String) throws(ToolError) {
    var head = [UInt8](repeating: 0, count: start.utf8.count)
    let count = pread(descriptor, &head, head.count, 0)
    guard count == 0 || count == head.count && head.elementsEqual(start.utf8) else {
      throw .cannotCreate(
        "cannot write '\(path)': it is not a file of tw-stream --metrics in the format '\(format.rawValue)'")
    }
  }
}
