import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct CheckCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Find the faults of a damaged store.",
    discussion: """
      EXAMPLES:
        tw-cache check
        tw-cache check --repair

      Prints each fault on a line, and nothing if there is none. The full-text index is compared with the texts, and \
      programs that write have to wait for that.
      """)

  @Flag(help: "Save all that can be read into a new store, and use that one; the old one is kept.")
  var repair = false

  @OptionGroup var store: StoreOptions

  @OptionGroup var messages: MessageOptions

  var isQuiet: Bool { messages.quiet }

  func execute() throws(ToolError) -> ExitStatus {
    let path = try store.path
    if repair { return try repair(path) }
    var output = RecordWriter()
    var faults = 0
    try store.openForChanges().check { fault in
      faults += 1
      output.buffer.append(Printable.line(fault) + "\n")
    }
    try output.flush()
    if faults > 0 { Diagnostics.warn("'\(path)' is damaged: 'tw-cache check --repair' saves what can be read") }
    return faults == 0 ? .done : .someBad
  }

  private func repair(_ path: String) throws(ToolError) -> ExitStatus {
    let repair = try Repair(path, recover: SQLiteRecovery.run)
    Diagnostics.note(
      "saved \(repair.tweets) tweets and \(repair.users) users; \(repair.lost) rows could not be read")
    Diagnostics.note("the damaged store is now '\(repair.old)'")
    return repair.lost == 0 ? .done : .someBad
  }
}
