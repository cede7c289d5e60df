import Libc
import TweetCLI
import TweetCore
import TweetStore
import TwitterText

/// One run of `tw-cache add`. A record is held back from the output until it is on disk.
struct AddRun: ~Copyable {
  /// The first batch: records, and their bytes. Large enough that the cost of a commit, a sync of the disk, does not
  /// matter.
  private static let records = 8000
  private static let bytes = 16 << 20
  /// After this many full batches without a pause this is a bulk load: each batch may be larger than the one before, up
  /// to this many times the first one. The tweets of a larger batch share more of the pages they change, of which a
  /// commit writes each one anew. The limit is for the memory, and so that other writers wait for its transaction one
  /// or two seconds.
  private static let usual = 3
  private static let largest = 6
  /// A larger file is a bulk load from its first batch on.
  private static let largeFile = 64 << 20
  /// Milliseconds after which a batch is stored, though input goes on without a pause: so long records are held back.
  private static let longest = 1000
  /// The largest batch of a live stream.
  private static let mostLive = 100
  /// Milliseconds that the first record of a batch waits for others to share its commit. Nobody sees so short a delay.
  private static let liveWait = 60
  /// Milliseconds without input that end a batch: too short for anybody to notice, but longer than the program
  /// before us in a pipeline takes to write its next buffer.
  private static let pause: Int32 = 2

  /// Which records are printed.
  enum Printing {
    case all
    /// Of tweets and profiles only the new ones.
    case new
  }

  /// Which service the records may be of.
  enum Bound {
    /// Any: whoever gives the records knows what they are.
    case any
    /// That of the source which is refreshed.
    case service(String)
    /// That of the last context, which a plugin names.
    case context(String?)

    fileprivate func holds(_ service: JSONValue?) -> Bool {
      switch self {
      case .any, .context(nil): true
      case .service(let name), .context(let name?): service?.string == name
      }
    }
  }

  private var writer: TweetWriter
  private var output: RecordWriter
  private var bound: Bound
  private var bad: BadRecords
  private let printing: Printing
  /// Whether a batch of a few tweets, as live streams have it, is first put where that writes little; see
  /// `IncomingTable`.
  private let isLive: Bool
  private let observer: (any AddObserver)?
  /// What is stored and not printed.
  private let hidden: HiddenTweets?
  /// The source of all tweets. It is put into tweets without `feeds`, as plugins send them.
  private let feed: String?
  private var entities = FoundEntities()
  /// How many tweets were read, and how many of them were new.
  private(set) var tweets = (read: 0, new: 0)
  private var progress: Progress?
  private var good = 0
  /// Whether an input holds something else than records.
  private var isUnreadable = false
  private var deleted = 0
  private var forgotten = 0
  /// What was read since the last commit, and when the first of it was.
  private var batch = RecordBatch()
  private var began = 0
  /// How many full batches there were without a pause.
  private var full = 0
  /// How many times the first batch the current one may become.
  private var growth: Int { max(1, min(full - Self.usual + 2, Self.largest)) }
  /// The lines read since the last commit.
  private var lines = 0

  init(
    into writer: consuming TweetWriter, printing: Printing, progress: consuming Progress?, bad: consuming BadRecords,
    to output: consuming RecordWriter = RecordWriter(), bound: Bound = .any, feed: String? = nil, isLive: Bool = false,
    hidden: HiddenTweets? = nil, observer: (any AddObserver)? = nil
  ) {
    self.bound = bound
    self.feed = feed
    self.isLive = isLive
    self.observer = observer
    self.hidden = hidden
    self.writer = writer
    self.progress = progress
    self.printing = printing
    self.bad = bad
    self.output = output
  }

  /// Reads all inputs. Returns the status where one of them could not be opened.
  mutating func read(_ options: InputOptions) throws(ToolError) -> ExitStatus? {
    var files = InputFiles(options.inputs)
    while let input = files.next() {
      do throws(ToolError) {
        try read(input, maxRecord: options.maxRecord)
      } catch .inputOutput(let message) where !batch.isEmpty {
        // The input cannot be read any further. The records before are complete.
        try commit()
        throw .inputOutput(message)
      }
      try commit()
      if writer.timeToMove != nil { try writer.moveIncoming() }
      progress?.finish(path: input.label)
      bad.addDamage(of: input)
    }
    isUnreadable = files.isUnreadable
    return files.missing
  }

  /// Reports what was left out, and returns the status.
  consuming func finish() -> ExitStatus {
    if deleted > 0 {
      Diagnostics.note("\(counted(deleted, "tweet was", "tweets were")) deleted before: not stored")
    }
    if forgotten > 0 {
      Diagnostics.note(
        "\(counted(forgotten, "tweet was", "tweets were")) forgotten before: not stored "
          + "('tw-cache forget --list')")
    }
    let status = bad.finish(good: good)
    return isUnreadable ? (good == 0 ? .badData : .someBad) : status
  }

  /// Reads the records of one input. The last of them are not committed yet.
  mutating func read(_ input: borrowing InputFile, maxRecord: Int) throws(ToolError) {
    var scanner = RecordScanner(
      descriptor: input.descriptor, name: input.name, maxRecord: maxRecord, head: input.head)
    if let size = input.fileSize, size > Self.largeFile { full = Self.usual + Self.largest }
    while Interruption.signal == nil {
      switch scanner.next() {
      case .record(let record):
        try process(record, file: input.label)
        try commitIfDue()
      case .bad(let line):
        try bad.add(line, file: input.label)
        try commitIfDue()
      case .needsInput:
        // Without the check of the age, slow input without a pause would be held back.
        if isOld {
          try commit()
        } else if !Self.hasMore(input.descriptor, waiting: wait) {
          try commit(isPause: true)
          full = 0
        }
        progress?.update(offset: input.offset)
        try moveIncoming(before: input.descriptor)
        if Interruption.signal != nil { return }
        try scanner.fill()
      case .end: return
      }
    }
  }

  /// Whether there is something to read within this many milliseconds, or the input has ended.
  static func hasMore(_ descriptor: Int32, waiting milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  private mutating func process(_ record: Record, file: String) throws(ToolError) {
    guard let type = record.type, type.isString else {
      return try bad.add(record, file: file, reason: "no record of tw (tw-parse makes them)")
    }
    if let fault = record.root.textFault { return try bad.add(record, file: file, reason: fault) }
    if batch.isEmpty { began = MonotonicClock.milliseconds }
    if case .context = bound, type.equals("context") { bound = .context(record.root["service"]?.string) }
    guard TweetWriter.accepts(type, record.root) else {
      // Not stored, but held back like the records before it.
      good += 1
      return batch.append(other: record.bytes)
    }
    guard bound.holds(record.root["service"]) else {
      return try bad.add(record, file: file, reason: "of another service than its source")
    }
    if let fault = TweetWriter.fault(in: record.root) { return try bad.add(record, file: file, reason: fault) }
    good += 1
    if type.equals("tweet"), let document = try completed(record.root) {
      document.read { batch.append($0) }
    } else {
      batch.append(record.root)
    }
  }

  /// Commits a batch that has become large or old.
  private mutating func commitIfDue() throws(ToolError) {
    lines += 1
    if batch.count >= Self.records * growth || batch.bytes >= Self.bytes * growth {
      // Records that are not stored take memory, and do not change pages.
      let isBulk = batch.stored > batch.count / 2
      try commit()
      if isBulk { full += 1 }
    } else if lines % 64 == 0 && isOld {
      try commit()
    }
  }

  /// Milliseconds to wait for more input before the batch is stored.
  private var wait: Int32 {
    if batch.isEmpty { return 0 }
    guard isLive, batch.stored <= Self.mostLive else { return Self.pause }
    return max(Self.pause, Int32(clamping: began + Self.liveWait - MonotonicClock.milliseconds))
  }

  /// Moves tweets to where they belong when that is due, until there is more input.
  private mutating func moveIncoming(before descriptor: Int32) throws(ToolError) {
    while let time = writer.timeToMove, time == 0 || !Self.hasMore(descriptor, waiting: Int32(clamping: time)) {
      if Interruption.signal != nil { return }
      try writer.moveIncoming()
    }
  }

  private var isOld: Bool { !batch.isEmpty && MonotonicClock.milliseconds - began > Self.longest }

  /// The tweet with what it lacks: entities, as plugins send it without them, and the source as its `feeds`; `nil` for
  /// a tweet that lacks neither.
  private mutating func completed(_ tweet: JSONValue) throws(ToolError) -> JSONDocument? {
    var record = ByteBuffer(capacity: 64)
    guard entities.append(to: tweet, into: &record) else {
      guard let fed = Self.fed(tweet, feed) else { return nil }
      return try Self.document(fed)
    }
    let document = try Self.document(record.array)
    guard let fed = document.read({ Self.fed($0, feed) }) else { return document }
    return try Self.document(fed)
  }

  /// The tweet with `feeds` added; `nil` for one that has them, and without a source.
  private static func fed(_ tweet: JSONValue, _ feed: String?) -> [UInt8]? {
    guard let feed, tweet["feeds"] == nil else { return nil }
    var name = ByteBuffer(capacity: 64)
    name.append("[")
    name.appendJSONString(feed)
    name.append("]")
    var edits = RecordEdits()
    edits.set("feeds", in: tweet, to: name.string)
    var record = ByteBuffer(capacity: tweet.raw.count + 64)
    edits.apply(to: tweet, into: &record)
    return record.array
  }

  private static func document(_ record: [UInt8]) throws(ToolError) -> JSONDocument {
    do throws(JSONFault) {
      return try JSONDocument(record)
    } catch {
      throw .bug("an edited record is no JSON: \(error.reason)")
    }
  }

  /// Stores the batch, then prints its records.
  /// - Parameter isPause: whether the input has paused: then more of a live stream will follow.
  mutating func commit(isPause: Bool = false) throws(ToolError) {
    lines = 0
    if !batch.isEmpty {
      // It is gone even if it cannot be stored.
      defer { batch.removeAll() }
      let isLive = isLive && isPause && batch.hasOnlyTweets && batch.stored <= Self.mostLive
      let results = try writer.store(batch, isLive: isLive)
      try print(results)
    }
    try observer?.commit()
    try output.flush()
  }

  /// Prints the records of the batch, as they were read or as they were stored instead.
  private mutating func print(_ results: [AddResult]) throws(ToolError) {
    /// The first of those that are printed as they were read.
    var first: Int?
    for (index, result) in results.enumerated() {
      let isPrinted = try count(index, result)
      if isPrinted, result.replacement == nil {
        if first == nil { first = index }
        continue
      }
      if let start = first { try print(start..<index) }
      first = nil
      if isPrinted, let replacement = result.replacement { try output.write(line: replacement) }
    }
    if let first { try print(first..<results.count) }
  }

  private mutating func print(_ range: Range<Int>) throws(ToolError) {
    try batch.withLines(range) { (lines) throws(ToolError) in try output.write(lines: lines) }
  }

  private func isHidden(_ index: Int) throws(ToolError) -> Bool {
    guard let hidden, !hidden.isEmpty else { return false }
    var muted = 0
    return try batch.withRecord(index) { (line) throws(ToolError) in
      try Self.document(Array(line)).read { hidden.hides($0, &muted) }
    }
  }

  /// Counts a record of the batch. Returns whether it is printed.
  private mutating func count(_ index: Int, _ result: AddResult) throws(ToolError) -> Bool {
    if batch.isTweet(index) {
      tweets.read += 1
      // Whoever reads a copy has read the post.
      let isNew = result.isNew && !result.isCopy
      if isNew { tweets.new += 1 }
      switch result.absence {
      case .deleted: deleted += 1
      case .forgotten: forgotten += 1
      case nil: break
      }
      observer?.receiveTweet(isNew: isNew)
      guard result.absence == nil, printing == .all || isNew else { return false }
      return try !isHidden(index)
    }
    // A person removed whose profile it is, or who did it.
    if result.absence != nil { return false }
    if result.isNotification {
      observer?.receiveNotification(isNew: result.isNew)
      guard printing == .all || result.isNew else { return false }
      return try !isHidden(index)
    }
    if batch.isStored(index) { return printing == .all || result.isNew }
    guard let observer else { return true }
    return try batch.withRecord(index) { (line) throws(ToolError) in
      let document = try Self.document(Array(line))
      return document.read { record in record["tw"].map { !observer.receive($0, record) } ?? true }
    }
  }
}

/// Follows what an ``AddRun`` reads and stores.
protocol AddObserver: AnyObject {
  /// Called for each tweet that was read.
  func receiveTweet(isNew: Bool)
  /// Called for each notification that was read.
  func receiveNotification(isNew: Bool)
  /// Called for each record that does not belong in a store.
  ///
  /// - Returns: whether it is not to be printed.
  func receive(_ type: JSONValue, _ record: JSONValue) -> Bool
  /// Called when all records so far are on disk, before they are printed.
  func commit() throws(ToolError)
}
