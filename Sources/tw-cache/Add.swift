import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct Add: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Store records and pass them on: what was printed is on disk.",
    discussion: """
      A record is printed when its transaction is on disk. Where input pauses that is at once; where it is plentiful \
      many records share a transaction. Tweets that were deleted, and retweets of them, are neither stored nor printed.
      """)

  @OptionGroup var input: InputOptions
  @OptionGroup var store: StoreOptions

  @Flag(help: "Pass on only what was not there before.")
  var newOnly = false

  func execute() throws(ToolError) -> ExitStatus {
    Diagnostics.isQuiet = input.quiet
    var run = AddRun(
      into: try TweetWriter(try TweetStore(try store.path, .readWrite)), newOnly: newOnly,
      bad: try BadRecords(rejectsPath: input.rejects, inputs: input.inputs))
    let isMissing = try run.read(input)
    let status = run.finish()
    return isMissing ? .noInput : status
  }
}
