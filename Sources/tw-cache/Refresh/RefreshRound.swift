import Libc
import TweetCLI
import TweetCore
import TweetStore

/// One round of one source: `tw-stream --once SOURCE | tw-parse`, stored as it comes.
struct RefreshRound {
  /// How rounds are made, as the options say.
  struct Settings {
    var store: String
    /// Asks for the page before the oldest tweet stored, not for what is new.
    var isOlder: Bool
    /// Passed on to tw-stream.
    var budget: String?
    /// What the children say is shown as they say it.
    var isVerbose: Bool
  }

  /// What came of it.
  struct Outcome {
    var run: RefreshRun
    /// Where the next round begins; `nil` leaves it where it was.
    var place: String?
  }

  private static let maxRecord = 16 << 20
  /// What children say beyond this is not looked at for the reason: it is at their end.
  private static let mostSaid = 64 << 10

  let settings: Settings
  let stream: String
  let parse: String

  /// Finds the programs.
  /// - Throws: `ToolError.configuration` where one is not installed.
  init(_ settings: Settings, _ programs: Programs) throws(ToolError) {
    self.settings = settings
    stream = try Self.find("stream", programs)
    parse = try Self.find("parse", programs)
  }

  private static func find(_ name: String, _ programs: Programs) throws(ToolError) -> String {
    if let path = programs.path(of: name) { return path }
    throw .configuration("cannot find tw-\(name): it is neither beside tw-cache nor on PATH")
  }

  /// Makes the round; what fails in it is in the outcome.
  ///
  /// - Parameters:
  ///   - oldest: the oldest tweet stored from this source, for going back.
  ///   - output: where new tweets and notices are written.
  func make(_ source: RefreshedSource, oldest: String?, to output: Int32) -> Outcome {
    let began = Timestamp.now
    let start = MonotonicClock.milliseconds
    var counts = (read: 0, new: 0)
    var status = ExitStatus.done
    var message: String?
    var place: String?
    do throws(ToolError) {
      let state = try PlaceFile()
      // A plugin keeps no such file: its place is a tweet's id.
      if let known = source.place, !source.isPlugin { try state.write(known) }
      let isStored: Bool
      (status, isStored) = try pull(source, oldest: oldest, state: state.path, to: output, &counts, &message)
      // What tw-stream has passed on has its place; what got lost behind it must be asked for again.
      if isStored, !settings.isOlder, !source.isPlugin { place = try state.read() }
    } catch {
      status = error.status
      message = error.message
    }
    let run = RefreshRun(
      beganAt: began, milliseconds: MonotonicClock.milliseconds - start, read: counts.read, new: counts.new,
      status: status, message: message)
    return Outcome(run: run, place: place)
  }

  /// Runs the pipeline to its end and stores what it brings.
  ///
  /// - Returns: how its programs ended, and whether all that tw-stream passed on is stored; `message` says why, where
  ///   they failed.
  private func pull(
    _ source: RefreshedSource, oldest: String?, state: String, to output: Int32, _ counts: inout (read: Int, new: Int),
    _ message: inout String?
  ) throws(ToolError) -> (status: ExitStatus, isStored: Bool) {
    let said = try HeldFile()
    let errors = settings.isVerbose ? nil : said.descriptor
    let raw = try makePipe()
    let records = try makePipe()
    let input = InputFile(descriptor: records.reading, label: source.name.source)
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(null) }
    let account = source.name.account
    let variables = ["TW_SERVICE": source.name.service, "TW_ACCOUNT": account.isEmpty ? nil : account]
    let sender = ChildProcess(
      [stream] + words(for: source, oldest: oldest, state: state), named: "tw-stream", input: null,
      output: raw.writing, errors: errors, variables: variables)
    let parser = ChildProcess(
      [parse], named: "tw-parse", input: raw.reading, output: records.writing, errors: errors)
    let fault = errno
    for end in [raw.reading, raw.writing, records.writing] { close(end) }
    guard var sender, var parser else {
      throw .inputOutput("cannot run tw-stream and tw-parse: \(describe(errno: fault))")
    }
    var add = AddRun(
      into: try TweetWriter(try TweetStore(settings.store, .readWrite)), passing: .round, progress: nil,
      bad: try BadRecords(rejectsPath: nil, inputs: []), to: RecordWriter(descriptor: output),
      feed: source.name.source)
    do throws(ToolError) {
      try add.read(input, maxRecord: Self.maxRecord)
      try add.commit()
    } catch {
      counts = add.tweets
      throw error
    }
    counts = add.tweets
    // Who was told to stop does not wait for what is left of the round.
    if Interruption.signal != nil { throw .tryLater("interrupted") }
    let endings = [sender.wait(), parser.wait()]
    let isStored = endings[1].status == .done || endings[1].status == .someBad
    message = add.gap
    var worst = add.finish()
    for (name, ending) in zip(["tw-stream", "tw-parse"], endings) {
      // Killed by somebody, or by a machine short of memory: the next time it may live.
      let status = ending.status ?? .tryLater
      if status == .done { continue }
      message = Self.lastMessage(in: said) ?? "\(name) ended \(ending)"
      if status != .someBad { return (status, isStored) }
      worst = .someBad
    }
    return (worst, isStored)
  }

  private func words(for source: RefreshedSource, oldest: String?, state: String) -> [String] {
    var words = ["--once"]
    if settings.isOlder {
      words += ["--pages", "1"]
      if let oldest { words += ["--until-id", oldest] }
    } else if !source.isPlugin {
      words += ["--state", state]
    } else if let newest = source.place {
      words += ["--since-id", newest]
    }
    if let budget = settings.budget { words += ["--budget", budget] }
    return words + ["--", source.name.source]
  }

  /// The last line that a child wrote, without the child's name.
  private static func lastMessage(in said: borrowing HeldFile) -> String? {
    said.rewind(toLast: mostSaid)
    guard let bytes = try? StateFile.read(said.descriptor, name: "messages") else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let line = lines.last(where: { $0.contains { !$0.isWhitespace } }) else { return nil }
    guard let colon = line.firstRange(of: ": "), line[..<colon.lowerBound].hasPrefix("tw-") else { return String(line) }
    return String(line[colon.upperBound...])
  }
}
