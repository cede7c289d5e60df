import ArgumentParser
import MediaStore
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct CheckCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find the faults of a damaged store.",
    usage: "tw-cache check [<options>] [<time> ...]",
    discussion: """
      EXAMPLES:
        tw-cache check
        tw-cache check --repair

      Prints each fault on a line, and nothing if there is none. With --trace it prints file, table and row of each place \
      where the word is, with tabs between them. With --repair it prints, one per line, the records that \
      could not be saved: whether they are lost or altered, tweet or user, service and id, with tabs between them.
      """)

  @Flag(help: "Save all that is sound into a new store, and use that one; the old one is kept.")
  var repair = false

  @Flag(help: "Look only at what takes a moment: kinds and versions of the files, the log, the schema, the lock.")
  var quick = false

  @Option(
    help: ArgumentHelp(
      "Print where a word is: in rows of the store, its other files, what lies beside it, and saved pages.",
      valueName: "word"))
  var trace: String?

  @Flag(help: "Look only whether the clock can be believed: what removes old copies asks this first.")
  var clock = false

  @Argument(
    help: ArgumentHelp("With --clock: times of the past, such as the days of copies.", valueName: "time"),
    transform: TimeOption.parse)
  var times: [Timestamp] = []

  @OptionGroup var store: StoreOptions

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if [repair, quick, clock, trace != nil].count(where: \.self) > 1 {
      throw ValidationError("--repair, --quick, --clock and --trace exclude each other")
    }
    if trace?.isEmpty == true { throw ValidationError("--trace needs a word") }
    if !clock, !times.isEmpty { throw ValidationError("times go with --clock") }
  }

  /// - Throws: `ToolError.configuration` if the clock is not believed.
  private func checkClock(_ path: String) throws(ToolError) -> ExitStatus {
    var doubt = times.max().flatMap { ClockTrust.doubt(("one of these times", $0), at: .shown, knowsPauses: false) }
    if doubt == nil, TweetStore.exists(path) { doubt = try store.open().clockDoubt() }
    if let doubt { throw .configuration("\(doubt): one of them is wrong") }
    return .done
  }

  /// Seconds that a quick check waits for the lock.
  private static let lockTimeout = 3

  func execute() throws(ToolError) -> ExitStatus {
    let path = try store.path
    if repair { return try repair(path) }
    if let trace {
      // It says what is wrong with a file that cannot be used.
      _ = try store.open(showsIncoming: false)
      var run = TraceRun(trace)
      try run.run(path)
      return run.count == 0 ? .done : .someBad
    }
    if clock { return try checkClock(path) }
    var faults: [[String]] = []
    func report(_ fault: String) { faults.append([fault]) }
    let tweets = try store.open(showsIncoming: false, looksAtLog: false)
    if quick {
      try tweets.checkQuickly(lockTimeout: Self.lockTimeout, report)
      try checkMediaKind(path, report)
    } else {
      let progress = WorkProgress(isQuiet: isQuiet)
      try tweets.check(progress: { progress?.update($0, of: $1, $2) }, report)
      progress?.clear()
    }
    try RecordWriter.print(rows: faults)
    if !faults.isEmpty { Diagnostics.warn("'\(path)' is damaged: 'tw-cache check --repair' saves what is sound") }
    return faults.isEmpty ? .done : .someBad
  }

  private func checkMediaKind(_ path: String, _ report: (String) -> Void) throws(ToolError) {
    let path = Paths.mediaStore(besides: path)
    guard MediaStore.exists(path) else { return }
    do throws(ToolError) {
      try MediaStore.checkKind(of: path)
    } catch .badData(let message) {
      report(message)
    } catch .configuration(let message) {
      report(message)
    }
  }

  private func repair(_ path: String) throws(ToolError) -> ExitStatus {
    let progress = WorkProgress(isQuiet: isQuiet)
    let repair = try Repair(path) { progress?.update($0, of: $1, $2) }
    progress?.clear()
    if repair.isHealthy {
      Diagnostics.note("'\(path)' has no faults: nothing was changed")
      return .done
    }
    var rows = repair.altered.map { ["altered", $0.type, $0.service, $0.id] }
    rows += repair.lost.map { ["lost", $0.type, $0.service, $0.id] }
    rows += repair.losses.rows.map { ["lost", "rows", $0.table, String($0.count)] }
    if !repair.losses.isAllUnknown { rows += repair.losses.unknown.map { ["lost", "rows", $0, "unknown"] } }
    try RecordWriter.print(rows: rows + repair.losses.notCopied.map { ["lost", "other", $0] })
    Diagnostics.note(
      "saved \(repair.tweets) tweets and \(repair.users) users; \(repair.altered.count) records are altered, "
        + "\(repair.lost.count) are lost")
    if repair.lostPages > 0 {
      Diagnostics.note("\(repair.lostPages) pages of the file are missing or empty: what was on them is not known")
    }
    if !repair.losses.rows.isEmpty {
      let rows = repair.losses.rows.map { "\($0.count) of \($0.table)" }.joined(separator: ", ")
      Diagnostics.note("rows that are lost besides: \(rows)")
    }
    if repair.losses.isAllUnknown {
      Diagnostics.note("SQLite could not count the rows of the damaged store: whether others are lost is not known")
    } else if !repair.losses.unknown.isEmpty {
      Diagnostics.note(
        "how many rows are lost is not known, since SQLite could not count them: "
          + repair.losses.unknown.joined(separator: ", "))
    }
    if !repair.losses.notCopied.isEmpty {
      let names = repair.losses.notCopied.map { Printable.line($0) }.joined(separator: ", ")
      Diagnostics.note("not copied, since they are not tw's or cannot be read: \(names)")
    }
    if let rejects = repair.rejects { Diagnostics.note("the altered records are in '\(rejects)'") }
    Diagnostics.note("the damaged store is now '\(repair.old)'")
    let isWhole = repair.altered.isEmpty && repair.lost.isEmpty && repair.lostPages == 0 && repair.losses.isEmpty
    return isWhole ? .done : .someBad
  }
}
