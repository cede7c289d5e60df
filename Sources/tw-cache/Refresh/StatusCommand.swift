import ArgumentParser
import Libc
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

/// `tw-cache status`: whether the refreshes of all sources go well, for people and for programs that watch them.
struct StatusCommand: MessagingCommand {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case text, json, prometheus
  }

  static let configuration = CommandConfiguration(
    commandName: "status",
    abstract: "Show how the refreshes of all sources go, those that fail first.",
    discussion: """
      EXAMPLES:
        tw-cache status
        tw-cache status --format json | jq 'select(.failing_since)'

      Each line has service, account, source, state, the last success, how many tweets were new in the last 24 hours, since when \
      it fails, when it is refreshed next, and the last error, with tabs between them. The status is 1 if a source fails.
      """)

  @Option(help: ArgumentHelp("How to print it.", valueName: "format"))
  var format = Format.text

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let store = try store.open(showsIncoming: false)
    let now = Timestamp.shown
    let totals = try store.runTotals(
      since: Timestamp(milliseconds: now.milliseconds - 86_400_000), at: now)
    let all = try SourceHealth.all(in: store).map { SourceStatus($0, totals[$0.source.key]) }
    if all.isEmpty { Diagnostics.note("no source is registered: 'tw-cache source add SOURCE' does that") }
    let statuses = all.filter(\.isFailing) + all.filter { !$0.isFailing }
    var output = RecordWriter()
    switch format {
    case .text where isatty(1) == 1:
      let rows = statuses.map { $0.cells { Age($0, at: now).text } }
      if !rows.isEmpty { output.buffer.append(AlignedTable.words([SourceStatus.heading] + rows)) }
    case .text:
      for status in statuses { output.buffer.append(status.cells(\.rfc3339).joined(separator: "\t") + "\n") }
    case .json:
      for status in statuses { status.appendJSON(to: &output.buffer) }
    case .prometheus:
      for family in SourceStatus.families(statuses, at: now) { family.append(to: &output.buffer) }
    }
    try output.flush()
    return statuses.contains(where: \.isFailing) ? .someBad : .done
  }
}

/// How long ago something was, or when it will be, for people: `4m ago`, `in 3d`.
struct Age {
  private static let units: [(name: String, seconds: Int64)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]
  let text: String

  init(_ time: Timestamp, at now: Timestamp) {
    let distance = (time.milliseconds - now.milliseconds) / 1000
    let unit = Self.units.first { abs(distance) >= $0.seconds } ?? ("s", 1)
    let amount = "\(abs(distance) / unit.seconds)\(unit.name)"
    text = distance > 0 ? "in \(amount)" : distance == 0 ? "now" : "\(amount) ago"
  }
}
