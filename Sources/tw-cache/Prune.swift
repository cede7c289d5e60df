import ArgumentParser
import TweetCLI
import TweetCore
import TweetStore

struct Prune: ToolCommand {
  static let configuration = CommandConfiguration(
    abstract: "Take out what is old, and give its room back.",
    discussion: """
      Pictures and links that can be fetched again go too. With both options what either asks for goes.
      """)

  /// Pictures and links may keep this part of what is allowed; tweets cannot be fetched again.
  private static let mediaPart = 4

  @OptionGroup var store: StoreOptions

  @Option(
    help: ArgumentHelp(
      "Take out tweets posted, and pictures and links last looked at, so long ago.", valueName: "time"),
    transform: TimeOption.parse)
  var olderThan: Timestamp?

  @Option(
    help: ArgumentHelp("Take out the oldest until both stores together are no larger.", valueName: "size"),
    transform: ByteSize.parse)
  var maxSize: Int?

  @Flag(name: .shortAndLong, help: "Say nothing but errors.")
  var quiet = false

  func validate() throws {
    if olderThan == nil && maxSize == nil { throw ValidationError("say --older-than or --max-size") }
  }

  func execute() throws(ToolError) -> ExitStatus {
    Diagnostics.isQuiet = quiet
    let path = try store.path
    // A store that is not there is not to be made.
    _ = try TweetStore(path, .readOnly)
    let mediaPath = Paths.mediaStore(besides: path)
    var (media, mediaSize) = (0, 0)
    if MediaStore.exists(mediaPath) {
      let store = try MediaStore(mediaPath)
      if let olderThan { media += try store.prune(before: olderThan) }
      if let maxSize { media += try store.prune(downTo: maxSize / Self.mediaPart) }
      mediaSize = try store.bytesInUse()
    }
    var tweets = try Pruning(try TweetStore(path, .readWrite))
    if let olderThan { try tweets.remove(before: olderThan) }
    if let maxSize { try tweets.remove(downTo: max(0, maxSize - mediaSize)) }
    try tweets.shrink()
    Diagnostics.note("took out \(tweets.tweets) tweets, \(tweets.users) users, \(media) pictures and links")
    return .done
  }
}
