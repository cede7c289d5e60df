import ArgumentParser
import TweetCLI
import TweetCore
import TweetShapes

/// Turns tweets in any known shape into records.
@main
struct TwParse: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-parse",
    abstract: "Turn tweets of any known shape into records, one a line.",
    discussion: """
      Recognises X API v2 pages, stream lines and flattened tweets; X API v1.1 tweets, pages and stream messages; Gnip's \
      lines and X's archives; Mastodon's and Bluesky's posts; and the kit's own records. One JSON document a line or \
      many, or an array of any length, compressed or not.
      """,
    version: Version.number)

  @OptionGroup var input: InputOptions

  @Flag(help: "Stop at the first bad record, with status 65.")
  var strict = false

  @Option(
    help: ArgumentHelp("Print only records of these types.", valueName: "type,..."), transform: RecordSelection.parse)
  var only = RecordSelection()

  @Option(
    help: ArgumentHelp("Whose tweets those without a user are, as in X's archives.", valueName: "id[:username[:name]]"),
    transform: Owner.parse)
  var owner: ArchiveOwner?

  @Option(
    help: ArgumentHelp(
      "Take every document for one of this shape, instead of recognising each.", valueName: "shape"))
  var from: TweetShape?

  @Flag(help: "Also print each profile once, as a user record before the first record that has it.")
  var users = false

  @Flag(help: "Say at the end what was read and given.")
  var summary = false

  func execute() throws(ToolError) -> ExitStatus {
    var writer = RecordWriter()
    let options = ParseJob.Options(owner: owner, shape: from, selection: only, isCounted: summary, givesProfiles: users)
    var job = ParseJob(options)
    let parallel = ParallelParse(maxRecord: input.maxRecord, options: options)
    let status = try input.forEachRecord(
      writer: &writer, isStrict: strict,
      front: { file, writer, bad, progress throws(ToolError) in
        // What a context or an account said holds for the files behind it too, as does what profiles were given; the
        // first bad record must stop all.
        if job.hasContext || strict || users { return FrontPart() }
        return try parallel.parseFront(of: file, to: &writer, bad: &bad, summary: &job.summary, progress: &progress)
      },
      { record, writer throws(ToolError) in
        var reason = job.map(record, into: &writer.buffer)
        try writer.flushIfLarge()
        while job.hasMore {
          reason = job.map(record, into: &writer.buffer)
          try writer.flushIfLarge()
        }
        return reason
      })
    if summary { Diagnostics.warn(job.summary.text) }
    return status
  }
}

extension TweetShape: ExpressibleByArgument {}

/// The value of `--owner`.
private enum Owner {
  static func parse(_ text: String) throws -> ArchiveOwner {
    let parts = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false).map(String.init)
    guard let id = parts.first, !id.isEmpty, id.allSatisfy({ $0.isASCII && $0.isNumber }) else {
      throw ValidationError("'\(text)' does not start with an account's id, a number")
    }
    let username = parts.count > 1 ? parts[1] : ""
    return ArchiveOwner(
      id: id, username: username.hasPrefix("@") ? String(username.dropFirst()) : username,
      name: parts.count > 2 ? parts[2] : "")
  }
}
