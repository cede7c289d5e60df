import ArgumentParser
import TweetCLI
import TweetCore
import TweetNet

/// The tool, or the process that decodes pictures for it.
@main
struct TwAvatar {
  static func main() {
    if CommandLine.arguments.dropFirst().elementsEqual([DecoderProcess.argument]) { DecoderProcess.serve() }
    AvatarCommand.main()
  }
}

/// Adds pictures to authors and media: a ``LivePipeline`` with ``AvatarLookups``.
struct AvatarCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-avatar",
    abstract: "Fetch and keep the profile pictures of tweets' authors.",
    usage: "tw-avatar [<options>] [<file> ...]",
    discussion: """
      EXAMPLES:
        tw-avatar --export pictures tweets.ndjson > /dev/null
        tw-cache list --limit 20 | tw-avatar | tw-render

      Each picture is fetched once and kept in the store under the SHA-256 of its bytes. Each author who has a picture \
      gets the key 'avatar', with this SHA-256 or with what went wrong.
      """,
    version: Version.number)

  @Option(
    help: ArgumentHelp(
      "Ask the server after this time whether a picture has changed (default: 7d); after a failure, an hour at most.",
      valueName: "duration"), transform: DurationOption.parseOrZero)
  var maxAge = 7 * 86_400_000

  @Option(
    help: ArgumentHelp("Do not fetch larger pictures (default: 2M, at most 500M).", valueName: "size"),
    transform: Self.pictureSize)
  var maxBytes = 2 << 20

  @Option(
    help: ArgumentHelp("Fetch this size, if there are several.", valueName: "size")
  )
  var size: PictureSize?

  @Option(
    help: ArgumentHelp("Also write the pictures as files into this directory.", valueName: "directory"),
    completion: .directory)
  var export: String?

  @Flag(help: "Also fetch photos, and the preview pictures of videos.")
  var media = false

  @OptionGroup var lookup: LookupOptions
  @OptionGroup var input: InputOptions

  var isQuiet: Bool { input.quiet }

  mutating func execute() throws(ToolError) -> ExitStatus {
    let settings = try LookupSettings(
      jobs: lookup.jobs, hostInterval: lookup.hostInterval, retries: lookup.retries, timeout: lookup.timeout,
      allowsPrivate: lookup.allowPrivate, proxy: lookup.proxy, caFile: try lookup.authorities())
    // What the setting says counts where nobody asks for pictures; who runs this tool does. A wrong one is an error here too.
    _ = try Settings.load().hasAvatars
    let directory = export ?? Paths.environment("TW_AVATAR_DIR")
    let files = try directory.map { path throws(ToolError) in try PictureExport(directory: path) }
    let lookups = try AvatarLookups(
      settings, choice: PictureChoice(size: size, maxAge: maxAge, maxBytes: maxBytes, hasMedia: media),
      cache: try PictureCache(path: try lookup.mediaStorePath), export: files)
    var pipeline = LivePipeline(lookups, patience: lookup.patience)
    let status = try pipeline.run(files: input.inputs, options: input)
    return status == .done && pipeline.lookups.isIncomplete ? .someBad : status
  }

  /// A picture is kept in memory and stored in one piece, and SQLite's limit is 1 000 000 000 bytes.
  private static func pictureSize(_ text: String) throws -> Int {
    let size = try ByteSize.parse(text)
    guard size <= 500 << 20 else { throw ValidationError("'\(text)' is too large: 500M at most") }
    return size
  }
}
