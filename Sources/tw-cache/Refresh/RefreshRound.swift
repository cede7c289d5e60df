import Libc
import TweetCLI
import TweetCore
import TweetStore

/// One poll round of one source: runs `tw-stream --once SOURCE | tw-parse` and stores the records as they come.
struct RefreshRound {
  /// The options that hold for all rounds.
  struct Settings {
    /// The path of the store.
    var store: String
    /// Whether to fetch the page before the oldest stored tweet, not what is new.
    var isOlder: Bool
    /// The value of tw-stream's `--budget`.
    var budget: String?
    /// Whether the children's messages go to standard error.
    var isVerbose: Bool
  }

  /// The result of a round.
  struct Outcome {
    var run: RefreshRun
    /// The checkpoint for the next round; `nil` keeps the stored one.
    var checkpoint: String?
  }

  private static let maxRecord = 16 << 20
  /// The reason of a failure is in the last bytes of the children's messages: this many are read.
  private static let mostMessageBytes = 64 << 10

  let settings: Settings
  let stream: String
  let parse: String

  /// Finds the programs.
  /// - Throws: `ToolError.configuration` if one is not installed.
  init(_ settings: Settings, _ programs: Programs) throws(ToolError) {
    self.settings = settings
    stream = try Self.find("stream", programs)
    parse = try Self.find("parse", programs)
  }

  private static func find(_ name: String, _ programs: Programs) throws(ToolError) -> String {
    if let path = programs.path(of: name) { return path }
    throw .configuration("cannot find tw-\(name): it is neither beside tw-cache nor on PATH")
  }

  /// Runs the round. The outcome also says what failed.
  ///
  /// - Parameters:
  ///   - oldest: the id of the oldest stored tweet of this source, if older ones are fetched.
  ///   - output: a descriptor for the new tweets and notices.
  func run(_ source: RefreshedSource, oldest: String?, to output: Int32) -> Outcome {
    let began = Timestamp.now
    let start = MonotonicClock.milliseconds
    var counts = (read: 0, new: 0)
    var status = ExitStatus.done
    var message: String?
    var checkpoint: String?
    do throws(ToolError) {
      let directory = try RoundDirectory()
      // A plugin has no such file: its checkpoint is the id of a tweet.
      if let known = source.checkpoint, !source.isPlugin { try directory.write(known) }
      let isStored: Bool
      (status, isStored) = try runPipeline(
        source, oldest: oldest, checkpoint: directory.checkpointPath, to: output, &counts, &message)
      // The checkpoint stands for all that tw-stream has printed. If some of it was not stored, it must be fetched
      // again.
      if isStored, !settings.isOlder, !source.isPlugin { checkpoint = try directory.read() }
    } catch {
      status = error.status
      message = error.message
    }
    let run = RefreshRun(
      beganAt: began, milliseconds: MonotonicClock.milliseconds - start, read: counts.read, new: counts.new,
      status: status, message: message)
    return Outcome(run: run, checkpoint: checkpoint)
  }

  /// Runs the pipeline to its end and stores its records.
  ///
  /// - Returns: the worst status of its programs, and whether all that tw-stream printed is stored. `message` says what
  ///   failed.
  private func runPipeline(
    _ source: RefreshedSource, oldest: String?, checkpoint: String, to output: Int32,
    _ counts: inout (read: Int, new: Int), _ message: inout String?
  ) throws(ToolError) -> (status: ExitStatus, isStored: Bool) {
    let messages = try UnnamedFile()
    let errors = settings.isVerbose ? nil : messages.descriptor
    let raw = try makePipe()
    let records = try makePipe()
    let input = InputFile(descriptor: records.reading, label: source.name.source)
    let null = open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { close(null) }
    let account = source.name.account
    let variables = ["TW_SERVICE": source.name.service, "TW_ACCOUNT": account.isEmpty ? nil : account]
    let sender = ChildProcess(
      [stream] + arguments(for: source, oldest: oldest, checkpoint: checkpoint), named: "tw-stream", input: null,
      output: raw.writing, errors: errors, variables: variables)
    let parser = ChildProcess(
      [parse], named: "tw-parse", input: raw.reading, output: records.writing, errors: errors)
    let fault = errno
    for end in [raw.reading, raw.writing, records.writing] { close(end) }
    guard var sender, var parser else {
      throw .inputOutput("cannot run tw-stream and tw-parse: \(describe(errno: fault))")
    }
    let progress = RoundProgress()
    var add = AddRun(
      into: try TweetWriter(try TweetStore(settings.store, .readWrite)), printing: .new, progress: nil,
      bad: try BadRecords(rejectsPath: nil, inputs: []), to: RecordWriter(descriptor: output),
      feed: source.name.source, observer: progress)
    do throws(ToolError) {
      try add.read(input, maxRecord: Self.maxRecord)
      try add.commit()
    } catch {
      counts = add.tweets
      throw error
    }
    counts = add.tweets
    // After a signal there is no wait for the end of the round.
    if Interruption.signal != nil { throw .tryLater("interrupted") }
    let endings = [sender.wait(), parser.wait()]
    let isStored = endings[1].status == .done || endings[1].status == .someBad
    message = progress.gap
    var worst = add.finish()
    for (name, ending) in zip(["tw-stream", "tw-parse"], endings) {
      // Somebody killed it, or the kernel for lack of memory. The next try may succeed.
      let status = ending.status ?? .tryLater
      if status == .done { continue }
      message = Self.lastMessage(in: messages) ?? "\(name) ended \(ending)"
      if status != .someBad { return (status, isStored) }
      worst = .someBad
    }
    return (worst, isStored)
  }

  /// The arguments of tw-stream.
  private func arguments(for source: RefreshedSource, oldest: String?, checkpoint: String) -> [String] {
    var arguments = ["--once"]
    if settings.isOlder {
      arguments += ["--pages", "1"]
      if let oldest { arguments += ["--until-id", oldest] }
    } else if !source.isPlugin {
      arguments += ["--state", checkpoint]
    } else if let newest = source.checkpoint {
      arguments += ["--since-id", newest]
    }
    if let budget = settings.budget { arguments += ["--budget", budget] }
    return arguments + ["--", source.name.source]
  }

  /// The last line that a child wrote, without the child's name.
  private static func lastMessage(in messages: borrowing UnnamedFile) -> String? {
    messages.rewind(toLast: mostMessageBytes)
    guard let bytes = try? StateFile.read(messages.descriptor, name: "messages") else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    guard let line = lines.last(where: { $0.contains { !$0.isWhitespace } }) else { return nil }
    guard let colon = line.firstRange(of: ": "), line[..<colon.lowerBound].hasPrefix("tw-") else { return String(line) }
    return String(line[colon.upperBound...])
  }
}
