import Libc
import TweetCLI
import TweetCore
import TweetStore

/// One run of `tw-cache add`: what has been stored but is not yet on disk is held back from the output.
struct AddRun: ~Copyable {
  /// A transaction's bounds: large enough that its fixed cost, a sync of the disk, does not show; small enough that
  /// other writers need not wait long and that what is held back stays small.
  private static let mostRecords = 8000
  private static let mostBytes = 8 << 20
  private static let longest = 500
  /// Milliseconds without input that end a transaction: less than anyone sees, more than a program before us takes to
  /// write its next buffer.
  private static let pause: Int32 = 2

  /// Which records are passed on.
  enum Passing {
    case all
    /// Tweets and profiles only when they were not there before.
    case new
    /// As `new`, without what the program that made a round says of it: its reader knows, and makes its own.
    case round
  }

  private var writer: TweetWriter
  private var output: RecordWriter
  private var bad: BadRecords
  private let passing: Passing
  /// The source that brings all tweets, put into those that do not say; plugins' own records do not.
  private let feed: String?
  /// Tweets that came, and those of them that were not there before.
  private(set) var tweets = (read: 0, new: 0)
  /// The last notice of posts that cannot be had any more.
  private(set) var gap: String?
  private var progress: Progress?
  private var good = 0
  private var gone = 0
  /// The open transaction: how much is in it, and since when. None when `records` is 0.
  private var records = 0
  private var began = 0
  /// What was read since the last commit: pieces of input, and the bytes of those that were records.
  private var pieces = 0
  private var bytes = 0

  init(
    into writer: consuming TweetWriter, passing: Passing, progress: consuming Progress?, bad: consuming BadRecords,
    to output: consuming RecordWriter = RecordWriter(), feed: String? = nil
  ) {
    self.feed = feed
    self.writer = writer
    self.progress = progress
    self.passing = passing
    self.bad = bad
    self.output = output
  }

  /// Reads all inputs; true when one of them could not be opened.
  mutating func read(_ options: InputOptions) throws(ToolError) -> Bool {
    var files = InputFiles(options.inputs)
    while let input = files.next() {
      do throws(ToolError) {
        try read(input, maxRecord: options.maxRecord)
      } catch .inputOutput(let message) where records > 0 {
        // The input cannot be read on: what came before is whole.
        try commit()
        throw .inputOutput(message)
      }
      try commit()
      progress?.finish(path: input.label)
      bad.addDamage(of: input)
    }
    return files.isMissing
  }

  /// Tells what is left to tell, and gives the status.
  consuming func finish() -> ExitStatus {
    if gone > 0 { Diagnostics.note("\(gone) \(gone == 1 ? "tweet was" : "tweets were") deleted before: not stored") }
    return bad.finish(good: good)
  }

  /// Reads the records of one input; the last of them may not be committed yet.
  mutating func read(_ input: borrowing InputFile, maxRecord: Int) throws(ToolError) {
    var scanner = RecordScanner(descriptor: input.descriptor, name: input.name, maxRecord: maxRecord)
    while Interruption.signal == nil {
      switch scanner.next() {
      case .record(let record):
        try take(record, file: input.label)
        try commitIfDue()
      case .bad(let piece):
        try bad.add(piece, file: input.label)
        try commitIfDue()
      case .needsInput:
        // Input that trickles in, never pausing, must not keep other writers waiting until a record is whole.
        if isOld || !Self.hasMore(input.descriptor, waiting: records > 0 ? Self.pause : 0) { try commit() }
        progress?.update(offset: input.offset)
        try scanner.fill()
      case .end: return
      }
    }
  }

  private static func hasMore(_ descriptor: Int32, waiting milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  private mutating func take(_ record: Record, file: String) throws(ToolError) {
    guard let type = record.type, type.isString else {
      return try bad.add(record, file: file, reason: "no record of tw (tw-parse makes them)")
    }
    guard TweetWriter.takes(type, record.root) else {
      // Not ours to store. It waits for the records before it.
      good += 1
      if passing == .round, isOfRound(type, record.root) { return }
      bytes += record.bytes.count
      pass(record.bytes)
      return
    }
    if records == 0 {
      try writer.begin()
      began = MonotonicClock.milliseconds
    }
    records += 1
    bytes += record.bytes.count
    try store(record, file: file)
  }

  /// Whether a record tells how the round goes: its reader tells how it went.
  private mutating func isOfRound(_ type: JSONValue, _ record: JSONValue) -> Bool {
    guard type.equals("notice"), let code = record["code"] else {
      return type.equals("refresh") || type.equals("context")
    }
    if code.equals("gap") { gap = record["message"]?.string ?? gap }
    return code.equals("reconnect")
  }

  /// Ends a transaction that has become large or old, by whatever came: what is not stored is held back as well, and
  /// other writers wait.
  private mutating func commitIfDue() throws(ToolError) {
    pieces += 1
    if records >= Self.mostRecords || bytes >= Self.mostBytes || pieces % 64 == 0 && isOld { try commit() }
  }

  /// Whether a transaction is open, and longer than others should wait.
  private var isOld: Bool { records > 0 && MonotonicClock.milliseconds - began > Self.longest }

  private mutating func store(_ record: Record, file: String) throws(ToolError) {
    var added: AddedRecord
    do throws(ToolError) {
      if let feed, record.type?.equals("tweet") == true, record.root["feeds"] == nil {
        let document = try Self.document(record.root, of: feed)
        added = try writer.add(document.root)
        if added.replacement == nil { added.replacement = Array(document.root.raw) }
      } else {
        added = try writer.add(record.root)
      }
    } catch {
      writer.rollback()
      records = 0
      throw error
    }
    if let fault = added.fault { return try bad.add(record, file: file, reason: fault) }
    good += 1
    if record.type?.equals("tweet") == true {
      tweets.read += 1
      if added.isNew { tweets.new += 1 }
    }
    if added.isGone {
      gone += 1
    } else if added.isNew || passing == .all {
      if let replacement = added.replacement {
        replacement.withUnsafeBufferPointer { pass($0) }
      } else {
        pass(record.bytes)
      }
    }
  }

  private static func document(_ tweet: JSONValue, of feed: String) throws(ToolError) -> JSONDocument {
    var name = ByteBuffer(capacity: 64)
    name.append("[")
    name.appendJSONString(feed)
    name.append("]")
    var edits = RecordEdits()
    edits.set("feeds", in: tweet, to: name.string)
    var record = ByteBuffer(capacity: tweet.raw.count + 64)
    edits.apply(to: tweet, into: &record)
    do throws(JSONFault) {
      return try JSONDocument(record.array)
    } catch {
      throw .bug("a record became none: \(error.reason)")
    }
  }

  private mutating func pass(_ line: UnsafeBufferPointer<UInt8>) {
    output.buffer.append(line)
    output.buffer.append(UInt8(ascii: "\n"))
  }

  /// Puts what was stored on disk, then prints what was held back.
  mutating func commit() throws(ToolError) {
    (pieces, bytes) = (0, 0)
    if records > 0 {
      records = 0
      try writer.commit()
    }
    try output.flush()
  }
}
