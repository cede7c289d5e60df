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

  @Flag(help: "Keep tweets that were deleted, marked and out of lists.")
  var keepDeleted = false

  @Flag(help: "Do not wait for the disk: faster, but what was printed may be lost when the machine crashes.")
  var noSync = false

  func execute() throws(ToolError) -> ExitStatus {
    Diagnostics.isQuiet = input.quiet
    var run = AddRun(
      into: try TweetWriter(try TweetStore(try store.path, .readWrite, syncs: !noSync), keepsDeleted: keepDeleted),
      passing: newOnly ? .new : .all, progress: input.quiet ? nil : Progress(inputs: input.inputs),
      bad: try BadRecords(rejectsPath: input.rejects, inputs: input.inputs))
    let isMissing = try run.read(input)
    let status = run.finish()
    return isMissing ? .noInput : status
  }
}
