import CCores
import Dispatch
import Libc
import Synchronization
import TweetCLI
import TweetCore
import TweetShapes

/// Parses an input on all cores while there is plenty of it, and writes the records in order.
///
/// The input is divided at lines that start an object, and each segment is parsed as if it were an input of its own. If
/// that could make a difference (a document that is cut in two, an open array), the result is discarded, and the input
/// is read in order from the segment's start on. What a `context` record says about the lines after it is seen before
/// the segments are parsed, and compared when they are written.
///
/// When the input pauses, everything that was read is written at once, and the scanner goes on: a live pipe is read in
/// order.
struct ParallelParse: ~Copyable {
  /// Bytes of a segment. A few segments are parsed at once, so this bounds the memory.
  private static let segmentSize = 1 << 20
  /// How far after that the last document of a segment may end. An input with longer documents, or with none that
  /// starts a line, is read in order.
  private static let segmentReach = 512 << 10
  /// This many bytes without a pause are plenty, and this many are left of a file that is worth the threads.
  private static let plenty = (pipe: 2 << 20, file: 4 << 20)
  /// What is plenty is twice as much each time that it did not help, up to this.
  private static let mostPlenty = 256 << 20
  /// How many bad pieces of a segment are held at most. A segment with more is read in order.
  private static let maximumBad = 1000
  /// More cores than this would take more than 64 MiB for their segments.
  private static let mostWorkers = 8
  /// Milliseconds that a fast writer may take for its next bytes, when all before were written.
  private static let pause: Int32 = 1

  private let maxRecord: Int
  private let options: ParseJob.Options
  private let workers = min(Int(tw_cores()), mostWorkers)
  /// How many bytes came without a pause, and how many the scanner had read by then.
  private var streak = 0
  private var readCount = 0
  private var factor = 1
  /// Segments that can be used again.
  private var spare: [Segment] = []

  init(maxRecord: Int, options: ParseJob.Options) {
    (self.maxRecord, self.options) = (maxRecord, options)
  }

  /// Where the records of segments go, and what is known of them.
  private struct Sink: ~Copyable {
    /// The number of the line on which the next segment starts.
    var line: Int
    /// What the documents before say about the next segment.
    var state: MapperState
    var good = 0
    var summary = ParseSummary()
  }

  /// Reads as much as comes without a pause, if there is plenty, and leaves the scanner where the rest begins. To be
  /// called when the scanner needs input.
  /// - Returns: how many good records there were; `nil` when nothing was read.
  mutating func read(
    _ scanner: inout RecordScanner, of file: borrowing InputFile, _ job: inout ParseJob, to writer: inout RecordWriter,
    bad: inout BadRecords, progress: inout Progress?
  ) throws(ToolError) -> Int? {
    guard workers > 1, isPlentiful(file.descriptor, scanner.readCount),
      let rest = scanner.takeRest(upTo: Self.segmentSize)
    else {
      return nil
    }
    streak = 0
    let queue = try SegmentQueue(workers: workers)
    var sink = Sink(line: rest.line, state: job.state)
    var tail = ByteBuffer(capacity: 2 << 20)
    rest.bytes.withBytes { tail.append($0) }
    var pending: [Segment] = []
    var predicted = sink.state
    var isInOrder = true
    var hasWorkers = false
    while Interruption.signal == nil {
      let hasRoom = pending.count < workers * 2
      guard let ready = wait(hasRoom ? file.descriptor : -1, pending.isEmpty ? -1 : queue.results) else { break }
      if ready.results {
        queue.clearResults()
        isInOrder = try write(&pending, &sink, to: &writer, bad: &bad, file: file.label)
        progress?.update(offset: file.offset)
        if !isInOrder { break }
      }
      guard ready.input else { continue }
      guard Self.read(file.descriptor, into: &tail) else { break }
      guard tail.count >= Self.segmentSize else { continue }
      let segment = spare.popLast() ?? Segment()
      if cut(&tail, into: segment) {
        segment.startState = predicted
        Self.readContexts(of: segment, into: &predicted)
        pending.append(segment)
        if !hasWorkers { startWorkers(for: queue) }
        hasWorkers = true
        queue.add(segment)
      } else {
        spare.append(segment)
        if tail.count > Self.segmentSize + Self.segmentReach {
          increasePlenty()
          break
        }
      }
    }
    while isInOrder, !pending.isEmpty, Interruption.signal == nil {
      _ = wait(-1, queue.results)
      queue.clearResults()
      isInOrder = try write(&pending, &sink, to: &writer, bad: &bad, file: file.label)
    }
    if hasWorkers { queue.stop() }
    if !isInOrder { increasePlenty() }
    defer { if factor > 1 { spare.removeAll() } }
    // What was read and not written is one input again.
    var left = ByteBuffer(capacity: 64)
    for segment in pending { segment.source.withBytes { left.append($0) } }
    spare += pending
    if left.count == 0 { swap(&left, &tail) } else { tail.withBytes { left.append($0) } }
    left.withBytes { scanner.resume(with: $0, line: sink.line) }
    readCount = scanner.readCount
    job.state = sink.state
    job.summary.add(sink.summary)
    return sink.good
  }

  // MARK: Reading

  private mutating func isPlentiful(_ descriptor: Int32, _ count: Int) -> Bool {
    // Another input has its own scanner.
    let got = count < readCount ? count : count - readCount
    readCount = count
    var status = stat()
    if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG {
      let left = Int(status.st_size) - Int(lseek(descriptor, 0, SEEK_CUR))
      streak += got
      return got > 0 && left >= Self.plenty.file && (factor == 1 || streak >= Self.plenty.pipe * factor)
    }
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, 0) > 0 else {
      streak = 0
      return false
    }
    streak += got
    return streak >= Self.plenty.pipe * factor
  }

  private mutating func increasePlenty() { factor = min(factor * 2, Self.mostPlenty / Self.plenty.pipe) }

  /// Waits for input, where there is room for it, and for results, where some are due.
  /// - Returns: what there is; `nil` when the input has paused and nothing is due, and when a signal came.
  private func wait(_ input: Int32, _ results: Int32) -> (input: Bool, results: Bool)? {
    var entries = [
      pollfd(fd: input, events: Int16(POLLIN), revents: 0), pollfd(fd: results, events: Int16(POLLIN), revents: 0),
      pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
    ]
    guard poll(&entries, 3, results < 0 ? Self.pause : -1) > 0, entries[2].revents == 0 else { return nil }
    return (entries[0].revents != 0, entries[1].revents != 0)
  }

  /// Reads once.
  /// - Returns: `false` at the end; and when the input cannot be read, which the scanner will report.
  private static func read(_ descriptor: Int32, into tail: inout ByteBuffer) -> Bool {
    let got = tail.appendUninitialized(upTo: 256 << 10) { Libc.read(descriptor, $0.baseAddress, $0.count) }
    return got > 0 || got < 0 && (errno == EINTR || errno == EAGAIN)
  }

  /// Moves all lines up to the last one that starts an object into a segment; `false` when there is no such line.
  private func cut(_ tail: inout ByteBuffer, into segment: Segment) -> Bool {
    let end = tail.withBytes { bytes -> Int? in
      var at = bytes.count - 1
      while at > 0 {
        if bytes[at] == UInt8(ascii: "{"), bytes[at - 1] == 0x0A { return at }
        at -= 1
      }
      return nil
    }
    guard let end else { return false }
    swap(&segment.source, &tail)
    tail.removeAll()
    segment.source.withBytes { tail.append($0.extracting(end...)) }
    segment.source.truncate(to: end)
    return true
  }

  /// Reads the last `context` record that starts a line. Whether it is one, and the last word, is seen when the segment
  /// is parsed.
  private static func readContexts(of segment: Segment, into state: inout MapperState) {
    if let line = segment.source.withBytes({ lastContext(in: $0) }) { state.read(context: line) }
  }

  private static func lastContext(in bytes: ByteView) -> [UInt8]? {
    let start: StaticString = "{\"tw\":\"context\""
    var found: Int?
    var at = 0
    while bytes.count - at > start.utf8CodeUnitCount {
      if bytes.extracting(at...).hasPrefix(start) { found = at }
      guard let newline = bytes.firstIndex(of: UInt8(ascii: "\n"), from: at) else { break }
      at = newline + 1
    }
    return found.map { offset in Array(bytes[offset...].prefix { $0 != 0x0A }) }
  }

  // MARK: Writing

  /// Writes the segments that are finished, in order.
  /// - Returns: `false` when the next one must be read in order.
  private mutating func write(
    _ pending: inout [Segment], _ sink: inout Sink, to writer: inout RecordWriter, bad: inout BadRecords, file: String
  ) throws(ToolError) -> Bool {
    while let segment = pending.first, segment.isFinished.load(ordering: .acquiring) {
      if segment.startState != sink.state, !segment.needsOrder {
        // A record said something that could not be seen from outside.
        segment.startState = sink.state
        var job = ParseJob(options, isPart: true)
        var scanner = RecordScanner(descriptor: -1, name: file, maxRecord: maxRecord)
        Self.parse(segment, &scanner, &job)
      }
      if segment.needsOrder { return false }
      for piece in segment.bad {
        try piece.bytes.withBytes { bytes throws(ToolError) in
          let line = sink.line - 1 + piece.line
          try bad.add(BadRecord(bytes: bytes, line: line, reason: piece.reason), file: file)
        }
      }
      try segment.output.withBytes { bytes throws(ToolError) in try writer.write(lines: bytes) }
      sink.good += segment.good
      sink.line += segment.lines
      sink.state = segment.endState
      sink.summary.add(segment.summary)
      pending.removeFirst()
      spare.append(segment)
    }
    return true
  }

  // MARK: Parsing

  private func startWorkers(for queue: SegmentQueue) {
    for _ in 0..<workers {
      let (maxRecord, options) = (maxRecord, options)
      DispatchQueue.global().async { Self.work(on: queue, maxRecord, options) }
    }
  }

  /// One worker: parses segments until none is left.
  private static func work(on queue: SegmentQueue, _ maxRecord: Int, _ options: ParseJob.Options) {
    var job = ParseJob(options, isPart: true)
    var scanner = RecordScanner(descriptor: -1, name: "a segment", maxRecord: maxRecord)
    while let segment = queue.take() {
      parse(segment, &scanner, &job)
      queue.finish(segment)
    }
    queue.leave()
  }

  private static func parse(_ segment: Segment, _ scanner: inout RecordScanner, _ job: inout ParseJob) {
    segment.removeRecords()
    scanner.load(&segment.source)
    defer { scanner.unload(&segment.source) }
    job.state = segment.startState
    job.summary = ParseSummary()
    while segment.bad.count <= maximumBad {
      switch scanner.next() {
      case .record(let record):
        let start = segment.output.count
        let reason = job.map(record, into: &segment.output)
        if job.hasMore {
          // Read in order, the parts of a long page are written one after the other.
          job.discardMore()
          segment.needsOrder = true
          return
        }
        if let reason {
          segment.bad.append(HeldBadRecord(BadRecord(record, reason: reason)))
        }
        // A page with a bad element may also have good ones.
        if reason == nil || segment.output.count > start { segment.good += 1 }
      case .bad(let piece):
        // The segment ends inside a document, one of whose lines starts with an object.
        if scanner.endsInside {
          segment.needsOrder = true
          return
        }
        segment.bad.append(HeldBadRecord(piece))
      case .needsInput, .end:
        // What comes after it must know of that.
        segment.needsOrder = scanner.isForeign
        segment.lines = scanner.line - 1
        segment.summary = job.summary
        segment.endState = job.state
        return
      }
    }
    segment.needsOrder = true
  }
}
