import Libc
import TweetCLI
import TweetCore
import TweetStore
import TwitterText

/// One run of `tw-cache add`. A record is held back from the output until it is on disk.
struct AddRun: ~Copyable {
  /// The largest transaction: records, bytes, milliseconds. Large enough that the cost of a commit, a sync of the disk,
  /// does not matter; small enough that other writers do not wait long and few records are held back.
  private static let mostRecords = 8000
  private static let mostBytes = 8 << 20
  private static let longest = 500
  /// Milliseconds without input that end a transaction: too short for anybody to notice, but longer than the program
  /// before us in a pipeline takes to write its next buffer.
  private static let pause: Int32 = 2

  /// Which records are printed.
  enum Printing {
    case all
    /// Of tweets and profiles only the new ones.
    case new
  }

  private var writer: TweetWriter
  private var output: RecordWriter
  private var bad: BadRecords
  private let printing: Printing
  private let observer: (any AddObserver)?
  /// The source of all tweets. It is put into tweets without `feeds`, as plugins send them.
  private let feed: String?
  private var entities = FoundEntities()
  /// How many tweets were read, and how many of them were new.
  private(set) var tweets = (read: 0, new: 0)
  private var progress: Progress?
  private var good = 0
  private var deleted = 0
  /// How many records are in the open transaction (0: none is open), and when it began.
  private var records = 0
  private var began = 0
  /// The lines read since the last commit, and the bytes of those that were records.
  private var lines = 0
  private var bytes = 0

  init(
    into writer: consuming TweetWriter, printing: Printing, progress: consuming Progress?, bad: consuming BadRecords,
    to output: consuming RecordWriter = RecordWriter(), feed: String? = nil, observer: (any AddObserver)? = nil
  ) {
    self.feed = feed
    self.observer = observer
    self.writer = writer
    self.progress = progress
    self.printing = printing
    self.bad = bad
    self.output = output
  }

  /// Reads all inputs. Returns whether one of them could not be opened.
  mutating func read(_ options: InputOptions) throws(ToolError) -> Bool {
    var files = InputFiles(options.inputs)
    while let input = files.next() {
      do throws(ToolError) {
        try read(input, maxRecord: options.maxRecord)
      } catch .inputOutput(let message) where records > 0 {
        // The input cannot be read any further. The records before are complete.
        try commit()
        throw .inputOutput(message)
      }
      try commit()
      progress?.finish(path: input.label)
      bad.addDamage(of: input)
    }
    return files.isMissing
  }

  /// Reports what was left out, and returns the status.
  consuming func finish() -> ExitStatus {
    if deleted > 0 {
      Diagnostics.note("\(deleted) \(deleted == 1 ? "tweet was" : "tweets were") deleted before: not stored")
    }
    return bad.finish(good: good)
  }

  /// Reads the records of one input. The last of them are not committed yet.
  mutating func read(_ input: borrowing InputFile, maxRecord: Int) throws(ToolError) {
    var scanner = RecordScanner(descriptor: input.descriptor, name: input.name, maxRecord: maxRecord)
    while Interruption.signal == nil {
      switch scanner.next() {
      case .record(let record):
        try process(record, file: input.label)
        try commitIfDue()
      case .bad(let line):
        try bad.add(line, file: input.label)
        try commitIfDue()
      case .needsInput:
        // Without the check of the age, slow input without a pause would keep other writers waiting.
        if isOld || !Self.hasMore(input.descriptor, waiting: records > 0 ? Self.pause : 0) { try commit() }
        progress?.update(offset: input.offset)
        try scanner.fill()
      case .end: return
      }
    }
  }

  /// Whether there is something to read within so many milliseconds, or the input has ended.
  static func hasMore(_ descriptor: Int32, waiting milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  private mutating func process(_ record: Record, file: String) throws(ToolError) {
    guard let type = record.type, type.isString else {
      return try bad.add(record, file: file, reason: "no record of tw (tw-parse makes them)")
    }
    guard TweetWriter.accepts(type, record.root) else {
      // Not stored, but held back like the records before it.
      good += 1
      if observer?.receive(type, record.root) == true { return }
      bytes += record.bytes.count
      hold(record.bytes)
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

  /// Commits a transaction that has become large or old. To be called for each line: records that are not stored are
  /// held back too, and bad ones take time in which other writers wait.
  private mutating func commitIfDue() throws(ToolError) {
    lines += 1
    let isFull = records >= Self.mostRecords || bytes >= Self.mostBytes || writer.isDictionaryDue
    if isFull || lines % 64 == 0 && isOld { try commit() }
  }

  /// Whether the open transaction has lasted longer than other writers should wait.
  private var isOld: Bool { records > 0 && MonotonicClock.milliseconds - began > Self.longest }

  private mutating func store(_ record: Record, file: String) throws(ToolError) {
    var added: AddResult
    do throws(ToolError) {
      if record.type?.equals("tweet") == true, let document = try completed(record.root) {
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
      observer?.receiveTweet(isNew: added.isNew)
    }
    if added.isDeleted {
      deleted += 1
    } else if added.isNew || printing == .all {
      if let replacement = added.replacement {
        replacement.withUnsafeBufferPointer { hold($0) }
      } else {
        hold(record.bytes)
      }
    }
  }

  /// The tweet with what it lacks: entities, as plugins send it without them, and the source as its `feeds`; `nil` for a
  /// tweet that lacks neither.
  private mutating func completed(_ tweet: JSONValue) throws(ToolError) -> JSONDocument? {
    var record = ByteBuffer(capacity: 64)
    guard entities.append(to: tweet, into: &record) else { return try Self.document(tweet, of: feed) }
    let document = try Self.document(record)
    if let fed = try Self.document(document.root, of: feed) { return fed }
    return document
  }

  /// The tweet with `feeds` added; `nil` for one that has them, and without a source.
  private static func document(_ tweet: JSONValue, of feed: String?) throws(ToolError) -> JSONDocument? {
    guard let feed, tweet["feeds"] == nil else { return nil }
    var name = ByteBuffer(capacity: 64)
    name.append("[")
    name.appendJSONString(feed)
    name.append("]")
    var edits = RecordEdits()
    edits.set("feeds", in: tweet, to: name.string)
    var record = ByteBuffer(capacity: tweet.raw.count + 64)
    edits.apply(to: tweet, into: &record)
    return try document(record)
  }

  private static func document(_ record: borrowing ByteBuffer) throws(ToolError) -> JSONDocument {
    do throws(JSONFault) {
      return try JSONDocument(record.array)
    } catch {
      throw .bug("an edited record is no JSON: \(error.reason)")
    }
  }

  /// Appends a line to the output, which ``commit()`` prints.
  private mutating func hold(_ line: UnsafeBufferPointer<UInt8>) {
    output.buffer.append(line)
    output.buffer.append(UInt8(ascii: "\n"))
  }

  /// Commits the open transaction, then prints the records that were held back.
  mutating func commit() throws(ToolError) {
    (lines, bytes) = (0, 0)
    if records > 0 {
      records = 0
      try writer.commit()
    }
    try observer?.commit()
    try output.flush()
  }
}

/// Follows what an ``AddRun`` reads and stores.
protocol AddObserver: AnyObject {
  /// Called for each tweet that was read.
  func receiveTweet(isNew: Bool)
  /// Called for each record that does not belong in a store.
  ///
  /// - Returns: whether it is not to be printed.
  func receive(_ type: JSONValue, _ record: JSONValue) -> Bool
  /// Called when all records so far are on disk, before they are printed.
  func commit() throws(ToolError)
}
