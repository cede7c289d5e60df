import ArgumentParser
import TweetCLI
import TweetCore

/// `tw doctor`: what does not work, and the command that mends it. What needs a database or the network is asked from
/// the tools that have them.
struct DoctorCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Look for what does not work, and name the command that mends it.",
    usage: "tw doctor [--offline] [--json]",
    discussion: """
      EXAMPLES:
        tw doctor
        tw doctor --offline --json | jq -r 'select(.state == "fault") | .mend'

      Each line has 'ok', 'note' or 'fault', what it is about, and what was found. A note is about what not everybody needs. The \
      status is 1 if there is a fault. Nothing is changed, no secret is printed, and nothing is billed.
      """)

  @Flag(help: "Ask no service whether it answers.")
  var offline = false

  @Flag(help: "Print JSON, an object per finding.")
  var json = false

  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let programs = Programs()
    // A config file that cannot be read is a finding; the usual store is looked at then.
    let store = (try? Settings.load())?.tweetStore ?? Paths.dataDirectory + "/tw.db"
    var report = DoctorReport(isJSON: json)
    try report.add(try ToolsCheck(programs: programs).findings())
    try report.add(try LibrariesCheck(programs: programs).findings())
    try report.add(HelperProgramsCheck.findings())
    try report.add(SettingsCheck().findings())
    try report.add(try AccountsCheck(programs: programs).findings())
    if !offline { try report.add(try ServicesCheck(programs: programs).findings()) }
    try report.add(ClockCheck.findings())
    try report.add(try StoresCheck(programs: programs, path: store).findings())
    try report.add(try OutboxCheck(programs: programs).findings())
    try report.add(try SourcesCheck(programs: programs).findings(store))
    try report.add(TerminalCheck.findings())
    return report.hasFaults ? .someBad : .done
  }
}

/// The findings as they are printed.
private struct DoctorReport: ~Copyable {
  let isJSON: Bool
  private(set) var hasFaults = false
  private var writer = RecordWriter()

  init(isJSON: Bool) { self.isJSON = isJSON }

  /// Prints them at once: some checks take a moment. After a signal there are no others.
  mutating func add(_ findings: [Finding]) throws(ToolError) {
    if Interruption.signal != nil { throw .tryLater("interrupted") }
    for finding in findings {
      if finding.state == .fault { hasFaults = true }
      if isJSON { finding.appendJSON(to: &writer.buffer) } else { finding.appendText(to: &writer.buffer) }
    }
    try writer.flush()
  }
}
