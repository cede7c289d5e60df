import ArgumentParser
import TweetCLI
import TweetCore
import TweetNet

/// Adds verdicts to links: a ``LivePipeline`` with ``LinkLookups``.
@main
struct TwLinkcheck: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-linkcheck",
    abstract: "Find out where links lead and whether they work.",
    usage: "tw-linkcheck [<options>] [<file> | <url> ...]",
    discussion: """
      EXAMPLES:
        tw-linkcheck --titles https://www.swift.org/
        tw-cache list | tw-linkcheck --fail-on dead > checked.ndjson

      To each link of a tweet, and of the tweet that it retweets, it adds where the link leads, whether it works, and what \
      kind of thing is there. Operands that contain '://' are URLs, and so are 'host/path' and 'spotify:track:ID' if there \
      is no such file; each gives one 'link' record.
      """,
    version: Version.number)

  @Option(
    help: ArgumentHelp("Make at most this many requests to one host at the same time (default: 8).", valueName: "n"),
    transform: LookupOptions.positive)
  var jobsPerHost = 8

  @Option(
    help: ArgumentHelp(
      "Use a stored verdict again for this time (default: 1d); a failure that may pass, for an hour at most.",
      valueName: "duration"), transform: DurationOption.parseOrZero)
  var maxAge = 86_400_000

  @Flag(help: "Do not use or store verdicts.")
  var noCache = false

  @Flag(help: "Read pages to get their titles.")
  var titles = false

  @Flag(help: "Also write the redirects of each link, as 'chain'.")
  var chain = false

  @Option(
    help: ArgumentHelp(
      "End with status 1 if a link has one of these verdicts: ok, dead, blocked, limited, error, unknown.",
      valueName: "verdict,..."),
    completion: CompletionOffers.completion(ofListsOf: LinkVerdict.allCases.map(\.rawValue)),
    transform: TwLinkcheck.verdicts)
  var failOn: Set<LinkVerdict> = []

  @OptionGroup var request: RequestOptions
  @OptionGroup var lookup: LookupOptions
  @OptionGroup var input: InputOptions

  var isQuiet: Bool { input.quiet }

  func validate() throws {
    if noCache, request.offline { throw ValidationError("--offline and --no-cache leave nothing to use") }
  }

  mutating func execute() throws(ToolError) -> ExitStatus {
    let settings = try LookupSettings(
      jobs: lookup.jobs, jobsPerHost: jobsPerHost, hostInterval: lookup.hostInterval, retries: lookup.retries,
      timeout: lookup.timeout, headers: request.headers, allowsPrivate: lookup.allowPrivate, proxy: lookup.proxy,
      caFile: try lookup.authorities())
    let age = request.offline ? Int.max : request.recheck ? 0 : maxAge
    let cache =
      noCache ? nil : try LinkCache(path: try lookup.mediaStorePath, maxAge: age, accepted: request.accept)
    let lookups = try LinkLookups(settings, request, wantsTitles: titles, showsChain: chain, cache: cache)
    var pipeline = LivePipeline(lookups, patience: lookup.patience)

    let urls = input.files.compactMap(PlainAddress.url(ofOperand:))
    let files = input.files.filter { PlainAddress.url(ofOperand: $0) == nil }
    let status = try pipeline.run(
      first: urls.map(Self.linkRecord), files: files.isEmpty && urls.isEmpty ? ["-"] : files, options: input)
    let hasFailed = pipeline.lookups.isIncomplete || !failOn.isDisjoint(with: pipeline.lookups.seen)
    return status == .done && hasFailed ? .someBad : status
  }

  private static func linkRecord(_ operand: String) -> String {
    let url = LinkAddress.withoutCredentials(operand)
    var record = ByteBuffer(capacity: url.utf8.count + 32)
    record.append("{\"tw\":\"link\",\"url\":")
    record.appendJSONString(url)
    record.append("}")
    return record.string
  }

  private static func verdicts(_ text: String) throws -> Set<LinkVerdict> {
    var verdicts: Set<LinkVerdict> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let verdict = LinkVerdict(rawValue: String(name)) else {
        let known = LinkVerdict.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(name)' is not a verdict (\(known))")
      }
      verdicts.insert(verdict)
    }
    return verdicts
  }
}
