import Libc
import Services
import TweetCLI
import TweetCore
import TweetStore

/// One poll round of sources that one tw-stream can poll: runs `tw-stream --once SOURCE… | tw-parse` and stores the
/// records as they come.
struct RefreshRound {
  /// The options that hold for all rounds.
  struct Settings {
    /// The path of the store.
    var store: String
    /// Whether to fetch the page before the oldest stored tweet, not what is new.
    var isOlder: Bool
    /// The value of tw-stream's `--budget`.
    var budget: String?
    /// The value of tw-stream's `--account`; `nil` for the account of each source; a token of the environment
    /// takes precedence.
    var account: String?
    /// Whether the children's messages go to standard error.
    var isVerbose: Bool
    /// The labels that new tweets get.
    var newLabels: [TweetLabel]
    /// The tweets that are stored and not printed.
    var hidden: HiddenTweets
  }

  /// What a round may spend of what is left today.
  struct Pace {
    /// How many rounds are left today, this one among them.
    let rounds: Int
    /// Percent of a day's part that other sources need.
    let keep: Int
  }

  /// The result of a round.
  struct Result {
    /// How each source did.
    var outcomes: [RoundTally.Outcome]
    /// That records were bad, if it is not known of which source they are.
    var loss: String?
  }

  private static let maxRecord = 16 << 20
  /// The last bytes of tw-parse's messages: this many are read.
  private static let mostMessageBytes = 64 << 10
  /// Bytes of the sources of one tw-stream: the kernel bounds a command line (Linux: 2 MiB with the environment).
  private static let mostArgumentBytes = 256 << 10

  let settings: Settings
  let stream: String
  let parse: String

  /// Finds the programs.
  /// - Throws: `ToolError.configuration` if one is not installed.
  init(_ settings: Settings, _ programs: Programs) throws(ToolError) {
    self.settings = settings
    stream = try programs.required("stream")
    parse = try programs.required("parse")
  }

  /// Divides sources into those that one round can have together: all of one service and account. A plugin may be told
  /// of one post to begin after, and so is a round of older posts, so these have a round of their own.
  func groups(_ sources: [RefreshedSource]) -> [[RefreshedSource]] {
    struct Owner: Hashable {
      let service: String
      let account: String
    }
    var groups: [[RefreshedSource]] = []
    var last: [Owner: (index: Int, bytes: Int)] = [:]
    for source in sources {
      let owner = Owner(service: source.name.service, account: source.name.account)
      let bytes = source.name.source.utf8.count + 1
      if source.isPlugin || settings.isOlder {
        groups.append([source])
      } else if let group = last[owner], group.bytes + bytes <= Self.mostArgumentBytes {
        groups[group.index].append(source)
        last[owner]?.bytes += bytes
      } else {
        last[owner] = (groups.count, bytes)
        groups.append([source])
      }
    }
    return groups
  }

  /// Runs the round, and records how each source did.
  ///
  /// - Parameters:
  ///   - sources: one of ``groups(_:)``.
  ///   - oldest: the id of the oldest stored tweet of the only source, if older ones are fetched.
  ///   - pace: `nil` spends what the budget has.
  ///   - output: a descriptor for the new tweets and notices.
  func run(
    _ sources: [RefreshedSource], oldest: String?, pace: Pace?, to output: Int32
  ) throws(ToolError) -> Result {
    let tally = RoundTally(sources, try TweetStore(settings.store, .readWrite), isOlder: settings.isOlder)
    var loss: String?
    var failure: (status: ExitStatus, message: String?) = (.done, nil)
    do throws(ToolError) {
      failure = try runPipeline(sources, oldest: oldest, pace, to: output, tally)
    } catch {
      failure = (error.status, error.message)
    }
    if sources.count > 1, failure.status == .done || failure.status == .someBad {
      loss = failure.status == .someBad ? failure.message ?? (tally.hasFaults ? nil : "some records were bad") : nil
      // For the sources that have not ended, which there should be none of.
      failure = (.tryLater, "tw-stream ended before it polled this source")
    }
    let isInterrupted = Interruption.signal != nil
    return Result(
      outcomes: try tally.finish(failure.status, failure.message, isInterrupted: isInterrupted), loss: loss)
  }

  /// Runs the pipeline to its end and stores its records.
  ///
  /// - Returns: the status of the first of its programs that failed, and what failed.
  private func runPipeline(
    _ sources: [RefreshedSource], oldest: String?, _ pace: Pace?, to output: Int32, _ tally: RoundTally
  ) throws(ToolError) -> (status: ExitStatus, message: String?) {
    let messages = try UnnamedFile()
    // Why a source failed, tw-stream says among its records. Its messages are for people.
    let nothing = ChildProcess.nothing
    let checkpoints = try checkpoints(of: sources)
    let raw = try makePipe()
    let records = try makePipe()
    let input = InputFile(descriptor: records.reading, label: sources[0].name.source)
    let account = sources[0].name.account
    let given = try TweetCore.Settings.load()
    var variables = ServiceVariables(given, of: sources[0].name.service, usual: Services.usual.name).ofChild
    variables["TW_ACCOUNT"] = .some(account.isEmpty ? nil : account)
    let sender = ChildProcess(
      [stream] + arguments(for: sources, oldest: oldest, pace), named: "tw-stream", input: checkpoints.descriptor,
      output: raw.writing, errors: settings.isVerbose ? nil : nothing, variables: variables, keepsCredentials: true)
    let parser = ChildProcess(
      [parse], named: "tw-parse", input: raw.reading, output: records.writing,
      errors: settings.isVerbose ? nil : messages.descriptor)
    let fault = errno
    for end in [raw.reading, raw.writing, records.writing] { close(end) }
    guard var sender, var parser else {
      throw .inputOutput("cannot run tw-stream and tw-parse: \(describe(errno: fault))")
    }
    var add = AddRun(
      into: try TweetWriter(try TweetStore(settings.store, .readWrite), newLabels: settings.newLabels), printing: .new,
      progress: nil,
      bad: try BadRecords(rejectsPath: nil, inputs: []), to: RecordWriter(descriptor: output),
      bound: sources[0].isPlugin ? .context(nil) : .service(sources[0].name.service),
      feed: sources.count == 1 ? sources[0].name.source : nil, hidden: settings.hidden, observer: tally)
    try add.read(input, maxRecord: Self.maxRecord)
    try add.commit()
    // After a signal there is no wait for the end of the round.
    if Interruption.signal != nil { throw .tryLater("interrupted") }
    let (sent, parsed) = (sender.wait(), parser.wait())
    var worst = (status: add.finish(), message: String?.none)
    // Somebody killed it, or the kernel for lack of memory. The next try may succeed.
    let status = sent.status ?? .tryLater
    if status != .done {
      if status != .someBad { return (status, tally.cause ?? "tw-stream ended \(sent)") }
      worst = (status, tally.cause)
    }
    if parsed.status != .done {
      // Of a program that was killed, the last line is no summary.
      let summary = parsed.status == nil ? nil : Self.lastMessage(in: messages)
      worst = (parsed.status ?? .tryLater, summary ?? "tw-parse ended \(parsed)")
    }
    return worst
  }

  /// A file with what tw-stream continues from.
  private func checkpoints(of sources: [RefreshedSource]) throws(ToolError) -> UnnamedFile {
    let file = try UnnamedFile()
    if settings.isOlder { return file }
    var list = CheckpointList()
    for source in sources { list.append(source.checkpointList) }
    let fault = list.document.withBytes { writeAll($0, to: file.descriptor) }
    if fault != 0 { throw .inputOutput("cannot write checkpoints to a file: \(describe(errno: fault))") }
    file.rewind()
    return file
  }

  /// The arguments of tw-stream.
  private func arguments(for sources: [RefreshedSource], oldest: String?, _ pace: Pace?) -> [String] {
    var arguments = ["--once"]
    if settings.isOlder {
      arguments += ["--pages", "1"]
      if let oldest { arguments += ["--until-id", oldest] }
    } else {
      arguments += ["--resume", "/dev/stdin"]
      if let key = sources[0].keyWithoutCursor, let newest = sources[0].checkpointList.checkpoint(of: key)?.newestID {
        arguments += ["--since-id", newest]
      }
    }
    if let pace { arguments += ["--pace", String(pace.rounds), "--keep", String(pace.keep)] }
    if let budget = settings.budget { arguments += ["--budget", budget] }
    if let account = settings.account { arguments += ["--account", account] }
    return arguments + ["--"] + sources.map(\.name.source)
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

/// Services send the newest tweet first; people read the oldest first.
extension UnnamedFile {
  /// A file with more bytes is not sorted: then an archive is being fetched, and nobody watches each tweet.
  private static let mostSorted = 8 << 20

  /// Sorts the tweets by time, oldest first. Of tweets with the same time the last one is the oldest. Other records
  /// come before all tweets.
  func sortByTime() throws(ToolError) {
    guard lseek(descriptor, 0, SEEK_END) <= off_t(Self.mostSorted) else { return }
    rewind()
    let bytes = try StateFile.read(descriptor, name: "records")
    var tweets: [(time: String, index: Int, line: ArraySlice<UInt8>)] = []
    var sorted: [UInt8] = []
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
      if let document = try? JSONDocument(Array(line)), document["tw"]?.equals("tweet") == true {
        tweets.append((document["created_at"]?.string ?? "", tweets.count, line))
      } else {
        sorted += line + [UInt8(ascii: "\n")]
      }
    }
    tweets.sort { ($0.time, $1.index) < ($1.time, $0.index) }
    for tweet in tweets { sorted += tweet.line + [UInt8(ascii: "\n")] }
    rewind()
    let fault = writeAll(sorted, to: descriptor)
    if fault != 0 { throw .inputOutput("cannot write the new tweets to a file: \(describe(errno: fault))") }
  }
}
