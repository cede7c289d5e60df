package import TweetCore

/// A filter that looks things up while records flow: reads, looks up, waits patiently and writes, on one thread.
///
/// On a live input a record waits for its own look-ups for `patience` at most, goes on as it is, and is printed again
/// as an update when they are answered. A regular file is in no hurry, and neither is what is left when the input has
/// ended: there a record waits for as long as its look-ups take. An explicit patience holds everywhere.
package struct LivePipeline<Lookups: LiveLookups & ~Copyable>: ~Copyable {
  /// Milliseconds, where none was given and more input may come at any time: short enough to look live, and most
  /// servers have answered by then.
  package static var livePatience: Int { 500 }

  package var lookups: Lookups
  private var live: LiveRecords<Lookups.Answer>
  private var writer = RecordWriter()
  private let patience: Int?

  /// - Parameter patience: milliseconds; `nil` decides by the input.
  package init(_ lookups: consuming Lookups, patience: Int?, limits: LiveRecordsLimits = LiveRecordsLimits()) {
    self.lookups = lookups
    self.patience = patience
    live = LiveRecords(limits: limits)
  }

  /// Runs to the end of all inputs and until every record is out, or until a signal comes.
  /// - Parameters:
  ///   - first: records made by the tool itself, to come before those of `files`.
  ///   - files: paths to read, `-` being standard input.
  ///   - options: what becomes of bad records.
  /// - Returns: the status that the input alone makes, as ``InputOptions/forEachRecord(writer:_:)`` gives it.
  package mutating func run(
    first: [String] = [], files: [String], options: InputOptions
  ) throws(ToolError) -> ExitStatus {
    Diagnostics.isQuiet = options.quiet
    do throws(ToolError) {
      return try runToEnd(first: first, files: files, options: options)
    } catch {
      // Whatever stopped the look-ups, the records that came in are not theirs to lose.
      if error != .readerGone { try releaseAll() }
      throw error
    }
  }

  private mutating func runToEnd(
    first: [String], files: [String], options: InputOptions
  ) throws(ToolError) -> ExitStatus {
    var bad = try BadRecords(rejectsPath: options.rejects, inputs: options.inputs)
    var good = first.count
    try pass(first)
    var files = InputFiles(files)
    while let input = files.next() {
      try read(input, maxRecord: options.maxRecord, &bad, &good)
      bad.addDamage(of: input)
    }
    if patience == nil { live.waitForAll() }
    while !live.isEmpty { try turn(reading: nil) }
    try writer.flush()
    let status = bad.finish(good: good)
    return files.isMissing ? .noInput : status
  }

  private mutating func pass(_ records: [String]) throws(ToolError) {
    for text in records {
      let document = try Self.document(Array(text.utf8))
      try take(document.root, isLive: false)
      while live.isFull { try turn(reading: nil) }
    }
  }

  private mutating func read(
    _ input: borrowing InputFile, maxRecord: Int, _ bad: inout BadRecords, _ good: inout Int
  ) throws(ToolError) {
    var scanner = RecordScanner(descriptor: input.descriptor, name: input.name, maxRecord: maxRecord)
    let isLive = !input.isRegularFile
    while Interruption.signal == nil {
      if live.isFull {
        try turn(reading: nil)
        continue
      }
      switch scanner.next() {
      case .record(let record):
        guard record.type?.isString == true else {
          try bad.add(record, file: input.label, reason: "no record of tw (tw-parse makes them)")
          continue
        }
        try take(record.root, isLive: isLive)
        good += 1
      case .bad(let piece): try bad.add(piece, file: input.label)
      case .needsInput:
        if try turn(reading: input.descriptor) { try scanner.fill() }
      case .end: return
      }
    }
  }

  /// Lets one record in, or straight through when nothing need be waited for.
  private mutating func take(_ record: JSONValue, isLive: Bool) throws(ToolError) {
    // Another feed takes this one's place: nobody waits for what is still missing about the old one.
    if isLive, record["tw"]?.equals("query") == true { forgetWaiting() }
    let keys = lookups.keys(of: record)
    if !live.hasUnprinted, let answers = live.knownAnswers(keys) {
      try write(record, answers)
      return
    }
    let wait = patience ?? (isLive ? Self.livePatience : nil)
    let unasked = live.add(Array(record.raw), asking: keys, deadline: wait.map { MonotonicClock.milliseconds + $0 })
    try lookups.start(unasked)
    try collect()
  }

  /// Writes what may go, then waits: for an answer, for the patience of the record that is next, for input.
  /// - Parameter descriptor: the input, where more of it is wanted.
  /// - Returns: whether the input can be read.
  @discardableResult
  private mutating func turn(reading descriptor: Int32?) throws(ToolError) -> Bool {
    if Interruption.signal != nil { forgetWaiting() }
    try collect()
    try writer.flush()
    if Interruption.signal != nil || descriptor == nil && live.isEmpty { return false }
    let timeout = live.nextDeadline.map { max(0, $0 - MonotonicClock.milliseconds) }
    let readable = try lookups.wait(
      reading: [descriptor, Interruption.descriptor].compactMap { $0 }, timeoutMilliseconds: timeout)
    try collect()
    return descriptor.map(readable.contains) ?? false
  }

  /// Hands answers out and writes the records that they, or the time, let go.
  private mutating func collect() throws(ToolError) {
    // To stop means not to wait for a store that is busy: what has just come is left.
    if Interruption.signal == nil {
      for (key, answer) in try lookups.takeAnswers() { live.answer(key, with: answer) }
    }
    try writeReleased()
  }

  private mutating func releaseAll() throws(ToolError) {
    live.forgetWaiting()
    try writeReleased()
    try writer.flush()
  }

  private mutating func writeReleased() throws(ToolError) {
    while let release = live.next(now: MonotonicClock.milliseconds) {
      let document = try Self.document(release.bytes)
      try write(document.root, release.answers)
    }
  }

  private mutating func forgetWaiting() {
    live.forgetWaiting()
    for key in lookups.withdraw(where: { !live.isWanted($0) }) { live.withdraw(key) }
  }

  private mutating func write(_ record: JSONValue, _ answers: [String: Lookups.Answer]) throws(ToolError) {
    if answers.isEmpty {
      try writer.write(line: record.raw)
    } else {
      try lookups.append(record, answers, to: &writer.buffer)
      try writer.endLine()
    }
  }

  /// Reads a record again that was read, or made, before.
  private static func document(_ bytes: [UInt8]) throws(ToolError) -> JSONDocument {
    do throws(JSONFault) {
      return try JSONDocument(bytes)
    } catch {
      throw .bug("a held record is no JSON any more")
    }
  }
}
