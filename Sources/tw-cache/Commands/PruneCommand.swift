import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct PruneCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove old data, and give its space back to the file system.",
    usage: "tw-cache prune [<options>]",
    discussion: """
      EXAMPLES:
        tw-cache prune --older-than 365d
        tw-cache prune --quiet --max-size 10G

      Pictures and links are removed too, since they can be fetched again. With both options, everything that one of them \
      selects is removed.
      """)

  /// Pictures and links may use one part in four of the allowed size. They can be fetched again; tweets cannot.
  private static let mediaPart = 4

  @Option(
    help: ArgumentHelp(
      "Remove tweets posted before this time, and links checked and pictures fetched before it: 365d, a date.",
      valueName: "time"),
    transform: TimeOption.parse)
  var olderThan: Timestamp?

  @Option(
    help: ArgumentHelp(
      "Remove the oldest data until both databases together are not larger than this.", valueName: "size"),
    transform: ByteSize.parse)
  var maxSize: Int?

  @Flag(help: "Remove nothing: say what would be removed.")
  var dryRun = false

  @OptionGroup var store: StoreOptions

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if olderThan == nil && maxSize == nil { throw ValidationError("say --older-than or --max-size") }
  }

  var isQuiet: Bool { messages.quiet }

  func execute() throws(ToolError) -> ExitStatus {
    let path = try store.path
    // Fails if the store is missing: it must not be created.
    _ = try store.open()
    let mediaPath = Paths.mediaStore(besides: path)
    if dryRun { return try foresee(path, mediaPath) }
    var (media, mediaSize) = (0, 0)
    if MediaStore.exists(mediaPath) {
      let store = try MediaStore(mediaPath, note: Diagnostics.warn)
      if let olderThan { media += try store.prune(before: olderThan) }
      if let maxSize { media += try store.prune(downTo: maxSize / Self.mediaPart) }
      mediaSize = try store.bytesInUse()
    }
    let progress = WorkProgress(isQuiet: isQuiet)
    var tweets = try Pruning(try TweetStore(path, .readWrite), ignoring: try ignoredLabels()) { done, all, noun in
      progress?.update(done, of: all, noun)
    }
    if let olderThan { try tweets.remove(before: olderThan) }
    if let maxSize { try tweets.remove(downTo: max(0, maxSize - mediaSize)) }
    try tweets.shrink()
    progress?.clear()
    Diagnostics.note("removed \(tweets.tweets) tweets, \(tweets.users) users, \(media) pictures and links")
    return .done
  }

  /// The labels that tweets get without a person: they keep no tweet.
  private func ignoredLabels() throws(ToolError) -> [TweetLabel] { try [.unread] + Settings.load().newLabels }

  /// Prints what would be removed.
  private func foresee(_ path: String, _ mediaPath: String) throws(ToolError) -> ExitStatus {
    let tweets = try TweetStore(path, .readOnly)
    var output = RecordWriter()
    if let olderThan {
      output.buffer.append("tweets\t\(try Pruning.count(in: tweets, before: olderThan, ignoring: ignoredLabels()))\n")
      let media =
        MediaStore.exists(mediaPath)
        ? try MediaStore(mediaPath, note: Diagnostics.warn).countPruned(before: olderThan) : 0
      output.buffer.append("pictures and links\t\(media)\n")
    }
    if let maxSize {
      let media = MediaStore.exists(mediaPath) ? try MediaStore(mediaPath, note: Diagnostics.warn).bytesInUse() : 0
      let kept = min(media, maxSize / Self.mediaPart)
      output.buffer.append("tweets, about\t\(try Pruning.count(in: tweets, downTo: max(0, maxSize - kept)))\n")
      output.buffer.append("bytes of pictures and links\t\(media - kept)\n")
    }
    try output.flush()
    return .done
  }
}
