package import TweetCore

/// A filter that looks things up while records flow: it reads, looks up, waits and writes on one thread.
///
/// On a live input a record waits for its own look-ups for at most `patience`; then it is printed as it is, and printed
/// again as an update when it is complete. In a regular file, and at the end of every input, a record waits until it is
/// complete. A patience that the user gave holds everywhere.
package struct LivePipeline<Lookups: LiveLookups & ~Copyable>: ~Copyable {
  /// The patience, in milliseconds, when none was given and more input may come at any time. It still looks live, and
  /// most servers have answered by then.
  package static var livePatience: Int { 500 }

  package var lookups: Lookups
  private var live: LiveRecords
  private var writer: RecordWriter
  /// They parse the records that the tool makes, and those that were held: while one is added, held ones may leave.
  private let madeReader = JSONReader()
  private let heldReader = JSONReader()
  private let patience: Int?
  private let isOrdered: Bool

  /// - Parameters:
  ///   - patience: milliseconds; `nil` decides by the input.
  ///   - isOrdered: whether records leave in the order in which they came; else each leaves when it is complete.
  ///   - writer: where the records go, standard output for a tool.
  package init(
    _ lookups: consuming Lookups, patience: Int?, isOrdered: Bool = true,
    limits: LiveRecordsLimits = LiveRecordsLimits(), writer: consuming RecordWriter = RecordWriter()
  ) {
    self.lookups = lookups
    self.patience = patience
    self.isOrdered = isOrdered
    self.writer = writer
    live = LiveRecords(limits: limits, isOrdered: isOrdered)
  }

  /// Runs until all inputs are read and every record is printed, or a signal comes. When a look-up throws, the records
  /// that were read are printed with what is known, before the error is thrown on.
  /// - Parameters:
  ///   - first: records that the tool itself made; they come before those of `files`.
  ///   - files: paths to read, `-` being standard input.
  ///   - options: what becomes of bad records.
  /// - Returns: the status that the input alone makes, as ``InputOptions/forEachRecord(writer:isStrict:front:tick:_:)``
  ///   gives it.
  package mutating func run(
    first: [[UInt8]] = [], files: [String], options: InputOptions
  ) throws(ToolError) -> ExitStatus {
    ProcessMemory.giveLargeBlocksBack()
    do throws(ToolError) {
      return try runToEnd(first: first, files: files, options: options)
    } catch {
      if error != .readerGone { try printHeld() }
      throw error
    }
  }

  private mutating func runToEnd(
    first: [[UInt8]], files: [String], options: InputOptions
  ) throws(ToolError) -> ExitStatus {
    var bad = try BadRecords(rejectsPath: options.rejects, inputs: options.inputs)
    var good = first.count
    for record in first {
      try add(record, isLive: false)
      while live.isFull { try advance(reading: nil) }
    }
    var files = InputFiles(files)
    while let input = files.next() {
      try read(input, maxRecord: options.maxRecord, &bad, &good)
      bad.addDamage(of: input)
    }
    if patience == nil { live.removeDeadlines() }
    while !live.isEmpty { try advance(reading: nil) }
    try writer.flush()
    let status = bad.finish(good: good)
    if let missing = files.missing { return missing }
    return files.isUnreadable ? (good == 0 ? .badData : .someBad) : status
  }

  private mutating func add(_ made: [UInt8], isLive: Bool) throws(ToolError) {
    try add(try Self.read(made, by: madeReader), isLive: isLive)
  }

  private mutating func read(
    _ input: borrowing InputFile, maxRecord: Int, _ bad: inout BadRecords, _ good: inout Int
  ) throws(ToolError) {
    var scanner = RecordScanner(
      descriptor: input.descriptor, name: input.name, maxRecord: maxRecord, head: input.head)
    let isLive = !input.isRegularFile
    // Whether the line so far was a text in quotes that stands for a record: a comma may follow it.
    var isText = false
    while Interruption.signal == nil {
      if live.isFull {
        scanner.shrink()
        try advance(reading: nil)
        continue
      }
      switch scanner.next() {
      case .record(let record):
        guard record.type?.isString == true else {
          if record.root.isString, let text = lookups.record(of: record.source) {
            try add(text, isLive: isLive)
            good += 1
            isText = true
            continue
          }
          try bad.add(record, file: input.label, reason: "no record of tw (tw-parse makes them)")
          continue
        }
        try add(record.root, isLive: isLive)
        good += 1
      case .bad(let piece):
        if isText, piece.bytes.elementsEqual(",".utf8) {
          isText = false
          continue
        }
        if let record = lookups.record(of: piece.bytes) {
          try add(record, isLive: isLive)
          good += 1
        } else {
          try bad.add(piece, file: input.label)
        }
      case .needsInput:
        if try advance(reading: input.descriptor) { try scanner.fill() }
      case .end: return
      }
    }
  }

  /// Holds a record, or prints it at once when all its answers are known and no record is before it.
  private mutating func add(_ record: JSONValue, isLive: Bool) throws(ToolError) {
    // Another feed replaces this one: nobody waits any longer for what is missing in the old one.
    if isLive, record["tw"]?.equals("query") == true { abandonAll() }
    let keys = try lookups.keys(of: record)
    if let answers = try knownAnswers(keys), !isOrdered || !live.hasUnprinted {
      try write(record, answers)
      return
    }
    let wait = patience ?? (isLive ? Self.livePatience : nil)
    let new = live.add(Array(record.raw), needing: keys, deadline: wait.map { MonotonicClock.milliseconds + $0 })
    try lookups.start(new)
    try collectAnswers()
  }

  /// The answers to all of `keys`, from memory and from the tool's store; `nil` when one is not known.
  private mutating func knownAnswers(_ keys: [String]) throws(ToolError) -> [String: AnyObject]? {
    var answers: [String: AnyObject] = [:]
    var isComplete = true
    for key in keys {
      switch live.answer(to: key) {
      case .some(.some(let answer)): answers[key] = answer
      case .some(nil): isComplete = false
      case nil:
        guard let answer = try lookups.storedAnswer(key) else {
          isComplete = false
          continue
        }
        live.remember(answer, for: key)
        answers[key] = answer
      }
    }
    return isComplete ? answers : nil
  }

  /// Prints what may leave, then waits for an answer, for the deadline of the next record, or for input.
  /// - Parameter descriptor: the input, when more of it is wanted.
  /// - Returns: whether the input can be read.
  @discardableResult
  private mutating func advance(reading descriptor: Int32?) throws(ToolError) -> Bool {
    if Interruption.signal != nil { abandonAll() }
    try collectAnswers()
    try writer.flush()
    if Interruption.signal != nil || descriptor == nil && live.isEmpty { return false }
    let timeout = live.nextDeadline.map { max(0, $0 - MonotonicClock.milliseconds) }
    let readable = try lookups.wait(
      reading: [descriptor, Interruption.descriptor].compactMap { $0 }, timeoutMilliseconds: timeout)
    try collectAnswers()
    return descriptor.map(readable.contains) ?? false
  }

  /// Hands the answers that have come to the records, and prints those that may leave now.
  private mutating func collectAnswers() throws(ToolError) {
    // After a signal the tool does not wait for a busy store: the last answers are not stored.
    if Interruption.signal == nil {
      for (key, answer) in try lookups.drainAnswers() { live.receive(answer, for: key) }
    }
    try printReleased()
  }

  /// Prints every record that has not been printed.
  private mutating func printHeld() throws(ToolError) {
    live.abandonAll()
    try printReleased()
    try writer.flush()
  }

  private mutating func printReleased() throws(ToolError) {
    while var release = live.next(now: MonotonicClock.milliseconds) {
      let record = try Self.read(release.bytes, by: heldReader)
      // The reader has a copy, and a record may be large.
      release.bytes = []
      try write(record, release.answers)
    }
  }

  private mutating func abandonAll() {
    live.abandonAll()
    for key in lookups.withdraw(where: { !live.isWanted($0) }) { live.removeKey(key) }
  }

  private mutating func write(_ record: JSONValue, _ found: [String: AnyObject]) throws(ToolError) {
    let answers = LiveAnswers<Lookups.Answer>(found)
    guard lookups.shouldPrint(answers) else { return }
    if found.isEmpty {
      try writer.write(line: record.raw)
    } else {
      try lookups.append(record, answers, to: &writer.buffer)
      try writer.endLine()
    }
  }

  /// Parses a record that was parsed, or made, before. Views of it are valid until the next one is parsed.
  private static func read(_ bytes: [UInt8], by reader: JSONReader) throws(ToolError) -> JSONValue {
    do throws(JSONFault) {
      return try bytes.withBytes { (text) throws(JSONFault) in try reader.read(text) }
    } catch {
      throw .bug("a held record is not JSON any more")
    }
  }
}
