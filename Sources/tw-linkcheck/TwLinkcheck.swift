import ArgumentParser
import MediaStore
import TweetCLI
import TweetCore
import TweetNet

/// `tw-linkcheck`, as its program starts it.
package enum TwLinkcheck {
  package static func main() { LinkcheckCommand.main() }
}

/// Adds verdicts to links: a ``LivePipeline`` with ``LinkLookups``.
struct LinkcheckCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-linkcheck",
    abstract: "Find out where links lead and whether they work.",
    usage: "tw-linkcheck [<options>] [<file> | <url> ...]",
    discussion: """
      EXAMPLES:
        tw-linkcheck --titles https://www.swift.org/
        tw-cache list | tw-linkcheck --fail-on dead > checked.ndjson

      To each link of a tweet, and of the tweet that it retweets, it adds where the link leads, whether it works, and what \
      kind of thing is there. A line that is not a record may be an address. Operands that contain '://' are URLs, and so are 'host/path' and 'spotify:track:ID' if there \
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
    help: ArgumentHelp("Check only links that match one of these regular expressions.", valueName: "regex"))
  var include: [String] = []

  @Option(help: ArgumentHelp("Check no links that match one of these regular expressions.", valueName: "regex"))
  var exclude: [String] = []

  @Option(
    help: ArgumentHelp("Print only records that have a link with one of these verdicts.", valueName: "verdict,..."),
    completion: CompletionOffers.completion(ofListsOf: LinkVerdict.allCases.map(\.rawValue)),
    transform: { try LinkcheckCommand.list($0, of: "verdict") })
  var verdict: Set<LinkVerdict> = []

  @Option(
    help: ArgumentHelp("Print only records that have a link of one of these kinds.", valueName: "kind,..."),
    completion: CompletionOffers.completion(ofListsOf: LinkKind.allCases.map(\.rawValue)),
    transform: { try LinkcheckCommand.list($0, of: "kind of link") })
  var onlyKind: Set<LinkKind> = []

  @Flag(help: "Print only records that have a link with another verdict than at the check before.")
  var changed = false

  @Flag(help: "Print each record when its look-ups are complete, without regard to the order.")
  var unordered = false

  @Flag(help: "At the end, print a table of the links by verdict and kind on standard error.")
  var summary = false

  @Option(
    help: ArgumentHelp(
      "End with status 1 if a link has one of these verdicts: \(LinkVerdict.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "verdict,..."),
    completion: CompletionOffers.completion(ofListsOf: LinkVerdict.allCases.map(\.rawValue)),
    transform: { try LinkcheckCommand.list($0, of: "verdict") })
  var failOn: Set<LinkVerdict> = []

  @OptionGroup var request: RequestOptions
  @OptionGroup var saving: SaveOptions
  @OptionGroup var lookup: LookupOptions
  @OptionGroup var input: InputOptions

  var isQuiet: Bool { input.quiet }

  func validate() throws {
    if noCache, request.offline { throw ValidationError("--offline and --no-cache leave nothing to use") }
    if noCache, changed || !request.recheck.isEmpty {
      throw ValidationError("--changed and --recheck need the stored verdicts that --no-cache leaves out")
    }
    if request.offline, saving.save != nil { throw ValidationError("--offline and --save exclude each other") }
  }

  mutating func execute() throws(ToolError) -> ExitStatus {
    let settings = try LookupSettings(
      jobs: lookup.jobs, jobsPerHost: jobsPerHost, hostInterval: lookup.hostInterval, retries: lookup.retries,
      timeout: lookup.timeout, headers: request.headers, allowsPrivate: lookup.allowPrivate, proxy: lookup.proxy,
      caFile: try lookup.authorities(), countsHosts: lookup.hostStats)
    let pages = try saving.archive()
    let cache =
      noCache
      ? nil
      : try LinkCache.open(
        path: try lookup.mediaStorePath, maxAge: request.offline ? Int.max : maxAge, accepted: request.accept,
        rechecked: request.recheck, pages: pages)
    let choice = LinkChoice(
      wantsTitles: titles || pages != nil, showsChain: chain, archive: try request.archive(),
      findsCopies: request.wayback, makesCopies: request.waybackSave,
      selection: LinkSelection(included: try patterns(include), excluded: try patterns(exclude)),
      filter: LinkFilter(verdicts: verdict, kinds: onlyKind, isChanged: changed))
    let lookups = try LinkLookups(
      settings, request, choice, cache: cache, pages: pages, progress: isQuiet ? nil : LookupProgress(noun: "links"))
    var pipeline = LivePipeline(lookups, patience: lookup.patience, isOrdered: !unordered)

    let status = try run(&pipeline)
    if Interruption.signal == nil {
      if summary { Diagnostics.write(pipeline.lookups.counts.table) }
      if lookup.hostStats { Diagnostics.write(pipeline.lookups.hosts.hostTable) }
    }
    let hasFailed = pipeline.lookups.isIncomplete || !failOn.isDisjoint(with: pipeline.lookups.counts.verdicts)
    return status == .done && hasFailed ? .someBad : status
  }

  /// Runs the pipeline. What was found is stored also if nobody reads its output to the end.
  private func run(_ pipeline: inout LivePipeline<LinkLookups>) throws(ToolError) -> ExitStatus {
    let urls = input.files.compactMap(PlainAddress.url(ofOperand:))
    let files = input.files.filter { PlainAddress.url(ofOperand: $0) == nil }
    let result: Result<ExitStatus, ToolError>
    do throws(ToolError) {
      result = .success(
        try pipeline.run(
          first: urls.map(LinkRecord.record(of:)), files: files.isEmpty && urls.isEmpty ? ["-"] : files, options: input)
      )
    } catch {
      result = .failure(error)
    }
    // After a signal the tool does not wait for a busy store.
    switch result {
    case .failure(let error) where error != .readerGone: throw error
    default:
      if Interruption.signal == nil { try pipeline.lookups.close() }
      return try result.get()
    }
  }

  private func patterns(_ texts: [String]) throws(ToolError) -> [Pattern] {
    var patterns: [Pattern] = []
    for text in texts { patterns.append(try Pattern(text)) }
    return patterns
  }

  /// The values of a list such as `dead,error`.
  static func list<Value: RawRepresentable<String> & CaseIterable & Hashable>(
    _ text: String, of noun: String
  ) throws -> Set<Value> {
    var values: Set<Value> = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let value = Value(rawValue: String(name)) else {
        let known = Value.allCases.map(\.rawValue).joined(separator: ", ")
        throw ValidationError("'\(name)' is not a \(noun) (\(known))")
      }
      values.insert(value)
    }
    return values
  }
}
