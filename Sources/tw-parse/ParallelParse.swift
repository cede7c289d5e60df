import CCores
import Dispatch
import Libc
import Synchronization
import TweetCLI
import TweetCore

/// Parses the first part of a large regular file on all cores, and writes the records in order.
///
/// The file is divided at lines that start an object, and each segment is parsed as if it were a file of its own. If that
/// could make a difference (a document that is cut in two, an open array, a `context` record that later lines depend on), the
/// segment's result is discarded, and the file is read in order from the segment's start on.
struct ParallelParse {
  /// Bytes of a segment. A few segments are parsed at once, so this bounds the memory.
  private static let segmentSize = 1 << 20
  /// Smaller files are not worth the threads.
  private static let smallestFile = 4 * segmentSize
  /// How many bad pieces of a segment are held at most. A segment with more is read in order.
  private static let maximumBad = 1000

  let maxRecord: Int
  let options: ParseJob.Options

  /// Parses and writes as many segments as possible.
  /// - Returns: how much that was. The file's offset is after it.
  func parseFront(
    of file: borrowing InputFile, to writer: inout RecordWriter, bad: inout BadRecords, summary: inout ParseSummary,
    progress: inout Progress?
  ) throws(ToolError) -> FrontPart {
    var part = FrontPart()
    var status = stat()
    let cores = Int(tw_cores())
    guard cores > 1, fstat(file.descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return part }
    let first = Int(lseek(file.descriptor, 0, SEEK_CUR))
    let size = Int(status.st_size)
    guard first == 0, size >= Self.smallestFile else { return part }

    let count = (size + Self.segmentSize - 1) / Self.segmentSize
    let queue = SegmentQueue(count: count, workers: cores)
    for _ in 0..<cores {
      let (descriptor, name) = (file.descriptor, file.name)
      DispatchQueue.global().async { work(on: queue, descriptor: descriptor, name: name) }
    }
    defer { queue.stop() }
    var reached = 0
    for number in 0..<count {
      if Interruption.signal != nil { break }
      guard case .parsed(let segment) = queue.result(number) else { break }
      for piece in segment.bad {
        try piece.bytes.withUnsafeBufferPointer { bytes throws(ToolError) in
          let line = part.lines + piece.line
          try bad.add(BadRecord(bytes: bytes, line: line, reason: piece.reason), file: file.label)
        }
      }
      try segment.output.withBytes { bytes throws(ToolError) in try writer.write(lines: bytes) }
      part.good += segment.good
      summary.add(segment.summary)
      part.lines += segment.lines
      reached = segment.end
      progress?.update(offset: reached)
      queue.recycle(segment)
    }
    lseek(file.descriptor, off_t(reached), SEEK_SET)
    return part
  }

  /// One worker: parses segments until none is left.
  private func work(on queue: SegmentQueue, descriptor: Int32, name: String) {
    var job = ParseJob(options)
    var scanner = RecordScanner(descriptor: descriptor, name: name, maxRecord: maxRecord)
    while let (number, segment) = queue.take() {
      // A file that cannot be read is reported when it is read in order.
      if let range = try? scanner.load(segmentAt: number * Self.segmentSize, length: Self.segmentSize) {
        segment.clear(end: range.upperBound)
        queue.finish(number, parse(into: segment, &scanner, &job))
      } else {
        queue.finish(number, .needsOrder)
      }
    }
    queue.leave()
  }

  private func parse(
    into segment: ParsedSegment, _ scanner: inout RecordScanner, _ job: inout ParseJob
  ) -> SegmentResult {
    while segment.bad.count <= Self.maximumBad {
      switch scanner.next() {
      case .record(let record):
        let start = segment.output.count
        let reason = job.map(record, into: &segment.output)
        if job.hasMore {
          // Read in order, the parts of a long page are written one after the other.
          job.discardMore()
          return .needsOrder
        }
        if let reason {
          segment.bad.append(HeldBadRecord(BadRecord(record, reason: reason)))
        }
        // A page with a bad element may also have good ones.
        if reason == nil || segment.output.count > start { segment.good += 1 }
        if job.hasContext { return .needsOrder }
      case .bad(let piece):
        // The segment ends inside a document, one of whose lines starts with an object.
        if scanner.endsInside { return .needsOrder }
        segment.bad.append(HeldBadRecord(piece))
      case .needsInput, .end:
        segment.lines = scanner.line - 1
        segment.summary = job.summary
        job.summary = ParseSummary()
        return .parsed(segment)
      }
    }
    return .needsOrder
  }
}
