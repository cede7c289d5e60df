import ArgumentParser
import Libc
import TweetCLI
import TweetCore
import TweetNet
import TweetPictures
import TweetStore

/// The tool, or the process that decodes pictures for it.
package enum TwAvatar {
  package static func main() {
    if ProgramWords.texts.dropFirst().elementsEqual([DecoderProcess.argument]) { DecoderProcess.serve() }
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
    help: ArgumentHelp(
      "Write the picture of this user of the store to standard output, such as '@jack', and no records.",
      valueName: "user"))
  var get: String?

  @Option(
    help: ArgumentHelp("Also write the pictures as files into this directory.", valueName: "directory"),
    completion: .directory)
  var export: String?

  @Flag(help: "Also fetch photos, and the preview pictures of videos.")
  var media = false

  @Option(
    help: ArgumentHelp(
      "Take pictures that an unpacked archive of X has, in this directory, without a request.", valueName: "directory"),
    completion: .directory)
  var archive: String?

  @Flag(help: "Also put a small PNG of each picture into the record, as a data URI.")
  var inline = false

  @Flag(help: "Neither use nor keep what is stored.")
  var noCache = false

  @Option(
    help: ArgumentHelp("Make at most this many requests to one host at the same time (default: 8).", valueName: "n"),
    transform: LookupOptions.positive)
  var jobsPerHost = 8

  @OptionGroup var lookup: LookupOptions
  @OptionGroup var input: InputOptions

  var isQuiet: Bool { input.quiet }

  func validate() throws {
    if get == nil { return }
    if export != nil || inline || media || !input.files.isEmpty {
      throw ValidationError("--get writes one picture: it goes with no file, --export, --inline or --media")
    }
    if isatty(1) == 1 { throw ValidationError("--get writes a picture, which a terminal cannot show: redirect it") }
  }

  mutating func execute() throws(ToolError) -> ExitStatus {
    let settings = try LookupSettings(
      jobs: lookup.jobs, jobsPerHost: jobsPerHost, hostInterval: lookup.hostInterval, retries: lookup.retries,
      timeout: lookup.timeout, allowsPrivate: lookup.allowPrivate, proxy: lookup.proxy,
      caFile: try lookup.authorities(), countsHosts: lookup.hostStats)
    // What the setting says counts where nobody asks for pictures; who runs this tool does. A wrong one is an error
    // here too.
    _ = try Settings.load().hasAvatars
    let directory = get == nil ? export ?? Paths.environment("TW_AVATAR_DIR") : nil
    let files = try directory.map { path throws(ToolError) in try PictureExport(directory: path) }
    let tweets = try lookup.tweetStorePath
    var lookups = try AvatarLookups(
      settings,
      choice: PictureChoice(
        size: size, maxAge: maxAge, maxBytes: maxBytes, hasMedia: media, isInline: inline,
        folder: try archive.map { (path) throws(ToolError) in try ArchivePictures(path) }),
      cache: try PictureCache(
        path: noCache ? nil : Paths.mediaStore(besides: tweets), needsBytes: directory != nil || get != nil),
      profiles: NewestProfiles(path: tweets), export: files)
    if let get { return try write(get, of: try TweetStore(tweets, .readOnly), &lookups) }
    var pipeline = LivePipeline(lookups, patience: lookup.patience)
    let status = try pipeline.run(files: input.inputs, options: input)
    if lookup.hostStats, Interruption.signal == nil { Diagnostics.write(pipeline.lookups.hosts.hostTable) }
    let failures = pipeline.lookups.failures
    if failures.count > 0, pipeline.lookups.found == 0, Interruption.signal == nil {
      Diagnostics.note(
        failures.count == 1
          ? "the picture could not be fetched: \(failures.reason)"
          : "none of \(failures.count) pictures could be fetched; of the last one: \(failures.reason)")
    }
    return status == .done && pipeline.lookups.isIncomplete ? .someBad : status
  }

  /// Writes the picture of a user to standard output.
  private func write(
    _ user: String, of tweets: borrowing TweetStore, _ lookups: inout AvatarLookups
  ) throws(ToolError) -> ExitStatus {
    let key = try NamedUser(user).pictureKey(in: tweets)
    switch try lookups.bytes(key) {
    case nil: return .done
    case .success(let bytes):
      var writer = RecordWriter()
      writer.buffer.append(bytes)
      try writer.flush()
      return .done
    case .failure(let failure):
      Diagnostics.warn("no picture of '\(user)': \(failure.code)")
      return .someBad
    }
  }

  /// A picture is kept in memory and stored in one piece, and SQLite's limit is 1 000 000 000 bytes.
  private static func pictureSize(_ text: String) throws -> Int {
    let size = try ByteSize.parse(text)
    guard size <= 500 << 20 else { throw ValidationError("'\(text)' is too large: 500M at most") }
    return size
  }
}
