import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// A capture of tw-stream that is played back: its lines as they are, at the speed they were recorded or another.
struct ReplayFeed: Feed {
  /// Owns the open file; a class, since feeds are copied.
  private final class Capture {
    let file: InputFile
    init(_ path: String) throws(ToolError) { file = try InputFile(path, mayWait: true) }
  }

  private struct Line {
    let bytes: [UInt8]
    let contents: LineContents
    let due: Int
  }

  private let capture: Capture
  private var clock: ReplayClock
  private var splitter = MessageSplitter(.lines)
  private let reader = JSONReader()
  private var authority = RecordAuthority.ofCapture
  /// Lines that are not due yet.
  private var waiting: ArraySlice<Line> = []
  private var isRead = false

  /// - Parameters:
  ///   - path: the capture; `-` is standard input.
  ///   - speed: how many seconds of the capture pass in one; infinity for as fast as it goes.
  init(_ path: String, speed: Double) throws(ToolError) {
    capture = try Capture(path)
    clock = ReplayClock(speed: speed)
  }

  mutating func begin(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    try receive(capture.file.head, &writer)
  }

  var descriptors: [Int32] { isRead || !waiting.isEmpty ? [] : [capture.file.descriptor] }
  var wakesAt: Int? { waiting.first?.due }
  var isOver: Bool { isRead && waiting.isEmpty }

  mutating func handle(
    _ event: TransferLoop.Event, in loop: inout TransferLoop, to writer: inout FeedWriter
  ) throws(ToolError) {
    let descriptor = capture.file.descriptor
    guard !isRead, waiting.isEmpty, case .readable(descriptor) = event else { return }
    guard let bytes = try readSome(descriptor, name: capture.file.name) else { return }
    if !bytes.isEmpty { return try receive(bytes, &writer) }
    isRead = true
    // A file's last line may lack its end.
    if splitter.isMidMessage { try receive([UInt8(ascii: "\n")], &writer) }
    if let damage = capture.file.finish() { try writer.writeFault(of: nil, "\(capture.file.name): \(damage)") }
  }

  /// Copies the lines that the bytes complete, or keeps them until they are due.
  private mutating func receive(_ bytes: [UInt8], _ writer: inout FeedWriter) throws(ToolError) {
    var (splitter, clock, authority, lines) = (MessageSplitter(.lines), self.clock, self.authority, [Line]())
    swap(&splitter, &self.splitter)
    defer { (self.splitter, self.clock, self.authority) = (splitter, clock, authority) }
    let now = MonotonicClock.milliseconds
    try splitter.append(bytes) { (piece) throws(ToolError) in
      switch piece {
      case .keepAlive, .wrongLength: return
      case .tooLong(let length): try writer.writeBadMessage(of: nil, "it has \(length) bytes")
      case .message(let bytes):
        let message: JSONValue
        do throws(JSONFault) {
          message = try reader.read(bytes)
        } catch {
          return try writer.writeBadMessage(of: nil, error.reason)
        }
        let contents = LineContents(message)
        if let reason = authority.fault(in: message, contents) {
          return try writer.writeBadMessage(of: nil, reason)
        }
        let due = clock.due(message, now: now)
        if lines.isEmpty, due <= now {
          try writer.copy(bytes, contents, of: nil)
        } else {
          lines.append(Line(bytes: Array(bytes), contents: contents, due: due))
        }
      }
    }
    waiting = lines[...]
  }

  mutating func wake(in loop: inout TransferLoop, to writer: inout FeedWriter) throws(ToolError) {
    if waiting.isEmpty { return }
    let now = MonotonicClock.milliseconds
    while let line = waiting.first, line.due <= now {
      try line.bytes.withBytes { (bytes) throws(ToolError) in
        try writer.copy(bytes, line.contents, of: nil)
      }
      waiting.removeFirst()
    }
  }

  func end(in loop: inout TransferLoop) -> ToolError? { nil }
}
