import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct Check: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Look whether the store is whole.",
    discussion: """
      Prints each fault on a line; nothing, when there is none. The full-text index is compared with the texts too, \
      which on a large store takes a while that writers have to wait.
      """)

  @OptionGroup var store: StoreOptions

  @Flag(help: "Save what can be read into a new store, and put it in the place of the old one, which is kept.")
  var repair = false

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  func execute() throws(ToolError) -> ExitStatus {
    Diagnostics.isQuiet = quiet
    let path = try store.path
    if repair { return try repair(path) }
    var output = RecordWriter()
    var faults = 0
    _ = try TweetStore(path, .readOnly)
    try TweetStore(path, .readWrite).check { fault in
      faults += 1
      output.buffer.append(Printable.line(fault) + "\n")
    }
    try output.flush()
    if faults > 0 { Diagnostics.warn("'\(path)' is damaged: 'tw-cache check --repair' saves what can be read") }
    return faults == 0 ? .done : .someBad
  }

  private func repair(_ path: String) throws(ToolError) -> ExitStatus {
    let repair = try Repair(path, recover: RecoverCommand.run)
    Diagnostics.note(
      "saved \(repair.tweets) tweets and \(repair.users) users; \(repair.lost) rows could not be read")
    Diagnostics.note("the damaged store is now '\(repair.old)'")
    return repair.lost == 0 ? .done : .someBad
  }
}
