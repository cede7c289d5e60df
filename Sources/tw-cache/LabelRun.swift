import Libc
import TweetCLI
import TweetCore
import TweetStore

/// Changes the labels of the tweets that standard input names: a line is a record, or an id, a URL or `service:id`. A
/// record is printed, if that is wanted, when its labels are on disk.
struct LabelRun: ~Copyable {
  /// The largest transaction: lines and milliseconds. Other writers wait for its end.
  private static let mostLines = 8000
  private static let longest = 500
  /// Milliseconds without input that end a transaction.
  private static let pause: Int32 = 2
  /// The longest line.
  private static let maxLine = 16 << 20

  private var changes: LabelChanges
  private let service: String?
  private let isPrinting: Bool
  private var output = RecordWriter()
  private var bad: BadRecords
  private var good = 0
  /// The number of the current line, and how many lines are in the open transaction (0: none is open).
  private var line = 0
  private var pending = 0
  private var began = 0

  init(_ changes: consuming LabelChanges, service: String?, isPrinting: Bool) throws(ToolError) {
    self.changes = changes
    self.service = service
    self.isPrinting = isPrinting
    bad = try BadRecords(rejectsPath: nil, inputs: ["-"])
  }

  /// Reads standard input to its end, or to a signal.
  mutating func read() throws(ToolError) {
    Diagnostics.noteKeyboard()
    var input: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 64 << 10)
    while Interruption.signal == nil {
      if pending > 0, !AddRun.hasMore(0, waiting: Self.pause) { try commit() }
      let count = chunk.withUnsafeMutableBytes { Libc.read(0, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0 {
        let reason = describe(errno: errno)
        try commit()
        throw .inputOutput("cannot read standard input: \(reason)")
      }
      if count == 0 { break }
      input += chunk[..<count]
      guard let last = input.lastIndex(of: UInt8(ascii: "\n")) else {
        if input.count > Self.maxLine { throw .badData("standard input: a line has more than 16 MiB") }
        continue
      }
      try process(input[...last])
      input.removeSubrange(...last)
    }
    if !input.isEmpty, Interruption.signal == nil { try process(input[...]) }
    try commit()
  }

  /// Reports the lines that were not stored tweets, and returns the status.
  consuming func finish() -> ExitStatus { bad.finish(good: good) }

  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
  }

  private mutating func process(_ lines: ArraySlice<UInt8>) throws(ToolError) {
    let texts = lines.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for text in texts.dropLast(lines.last == UInt8(ascii: "\n") ? 1 : 0) {
      line += 1
      if text.allSatisfy(Self.isSpace) { continue }
      if pending == 0 {
        try changes.begin()
        began = MonotonicClock.milliseconds
      }
      pending += 1
      do throws(ToolError) {
        try process(line: text)
      } catch {
        changes.rollback()
        pending = 0
        throw error
      }
      if pending >= Self.mostLines || pending % 64 == 0 && MonotonicClock.milliseconds - began > Self.longest {
        try commit()
      }
    }
  }

  private mutating func process(line text: ArraySlice<UInt8>) throws(ToolError) {
    guard text.first(where: { !Self.isSpace($0) }) == UInt8(ascii: "{") else {
      let name = String(
        decoding: Array(text.split(whereSeparator: Self.isSpace).joined(separator: [UInt8(ascii: " ")])), as: UTF8.self)
      do throws(ToolError) {
        try changes.apply(to: name, service: service)
        good += 1
      } catch .noInput(let reason) {
        try add(text, reason)
      }
      return
    }
    let document: JSONDocument
    do throws(JSONFault) { document = try JSONDocument(Array(text)) } catch { return try add(text, error.reason) }
    if document["tw"]?.equals("tweet") == true,
      let fault = try document.read({ (tweet) throws(ToolError) in try changes.apply(to: tweet) })
    {
      return try add(text, fault)
    }
    good += 1
    if isPrinting {
      document.read { output.buffer.append($0.raw) }
      output.buffer.append(UInt8(ascii: "\n"))
    }
  }

  private mutating func add(_ text: ArraySlice<UInt8>, _ reason: String) throws(ToolError) {
    let number = line
    try Array(text).withBytes { (bytes) throws(ToolError) in
      try bad.add(BadRecord(bytes: bytes, line: number, reason: reason), file: "-")
    }
  }

  private mutating func commit() throws(ToolError) {
    if pending > 0 {
      pending = 0
      try changes.commit()
    }
    try output.flush()
  }
}
