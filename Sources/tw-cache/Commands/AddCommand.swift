import ArgumentParser
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct AddCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "add",
    abstract: "Store records, and print them when they are on disk.",
    usage: "tw-cache add [<options>] [<file> ...]",
    discussion: """
      EXAMPLES:
        tw-parse tweets.json | tw-cache add > /dev/null
        tw-stream '#swift' | tw-parse | tw-cache add --new-only | tw-render

      When input pauses, a record is stored and printed at once. When much input is waiting, many records share one \
      transaction. Tweets that were deleted, and retweets of them, are neither stored nor printed.
      """)

  @Flag(help: "Print only what was not in the store before.")
  var newOnly = false

  @Flag(help: "Keep tweets that were deleted; 'list' leaves them out.")
  var keepDeleted = false

  @Flag(help: "Do not wait for the disk: faster, but a crash of the machine may lose what was printed.")
  var noSync = false

  @Option(
    help: ArgumentHelp("Save in this file the checkpoints that 'tw-stream --resume' prints.", valueName: "file"),
    completion: .file())
  var state: String?

  @OptionGroup var store: StoreOptions
  @OptionGroup var input: InputOptions

  var isQuiet: Bool { input.quiet }

  func validate() throws {
    if noSync, state != nil {
      throw ValidationError("--state and --no-sync exclude each other: a checkpoint must not outlive its tweets")
    }
  }

  func execute() throws(ToolError) -> ExitStatus {
    let path = try store.path
    let checkpoints: CheckpointSaver? = if let state { try CheckpointSaver(state) } else { nil }
    var run = AddRun(
      into: try TweetWriter(
        try TweetStore(path, .readWrite, syncs: !noSync), keepsDeleted: keepDeleted,
        newLabels: try Settings.load().newLabels),
      printing: newOnly ? .new : .all, progress: input.quiet ? nil : Progress(inputs: input.inputs),
      bad: try BadRecords(rejectsPath: input.rejects, inputs: input.inputs), isLive: true,
      observer: checkpoints)
    let missing = try run.read(input)
    checkpoints?.finish()
    LinkKinds.copyIfPossible(to: path)
    let status = run.finish()
    return missing ?? status
  }
}
