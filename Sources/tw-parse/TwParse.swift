import ArgumentParser
import TweetCLI
import TweetCore
import TweetShapes

/// `tw-parse`, as its program starts it.
package enum TwParse {
  package static func main() { ParseCommand.main() }
}

/// Maps tweets of any known shape to records.
struct ParseCommand: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-parse",
    abstract: "Turn tweets of any known shape into records, one per line.",
    usage: "tw-parse [<options>] [<file> ...]",
    discussion: """
      EXAMPLES:
        tw-parse tweets.json | tw-render
        tw-parse twitter.zip | tw-cache add > /dev/null

      Reads tweets of X API v2 and v1.1, Gnip, Mastodon and Bluesky, and the kit's own records: one JSON document per \
      line, documents over several lines, or one array, compressed or not. A file may also be an archive of an account, as \
      X, Mastodon or Bluesky hands it out, or the folder of one.
      """,
    version: Version.number)

  @Flag(help: "Stop at the first bad record, with status 65.")
  var strict = false

  @Option(
    help: ArgumentHelp("Print only records of these types.", valueName: "type,..."),
    completion: CompletionOffers.completion(ofListsOf: RecordSelection.known), transform: RecordSelection.parse)
  var only = RecordSelection()

  @Option(
    help: ArgumentHelp(
      "The author of tweets that have no user, as in X's archives.", valueName: "id[:username[:name]]"),
    transform: Owner.parse)
  var owner: ArchiveOwner?

  @Option(
    help: ArgumentHelp(
      "Read every document as this shape, and do not recognise each.", valueName: "shape"))
  var from: TweetShape?

  @Flag(help: "Also print each profile once, as a 'user' record before the first record that has it.")
  var users = false

  @Flag(help: "At the end, report how many documents were read and how many records were printed.")
  var summary = false

  @OptionGroup var input: InputOptions

  var isQuiet: Bool { input.quiet }

  func execute() throws(ToolError) -> ExitStatus {
    var writer = RecordWriter()
    let options = ParseJob.Options(owner: owner, shape: from, selection: only, isCounted: summary, addsProfiles: users)
    var job = ParseJob(options)
    var parallel = ParallelParse(maxRecord: input.maxRecord, options: options)
    // With --users each profile is printed once, and with --strict the first bad record must end the run.
    let isInOrder = strict || users
    var files = FileSummaries()
    let status = try input.forEachRecord(
      writer: &writer, isStrict: strict, formats: .known, fileReason: TweetMapper.missingOwner,
      begin: { file in
        if file.beginsArchive { job.beginArchive() }
        job.beginFile(file.label)
        if summary { files.begin(file.label, leftOut: file.leftOut?.text, job.summary) }
      },
      burst: { scanner, file, writer, bad, progress throws(ToolError) in
        if isInOrder { return nil }
        return try parallel.read(&scanner, of: file, &job, to: &writer, bad: &bad, progress: &progress)
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
    if let text = job.summary.messagesText {
      let start = writer.buffer.count
      writer.buffer.notice("warning", "private-messages", text) { $0.member("count", job.summary.messages) }
      only.apply(to: &writer.buffer, from: start)
      try writer.flush()
      if !isQuiet { Diagnostics.warn(text) }
    }
    if summary {
      for line in files.lines(job.summary) { Diagnostics.warn(line) }
      Diagnostics.warn(job.summary.text)
    }
    return status
  }
}

extension TweetShape: ExpressibleByArgument {}

extension ArchiveFormats {
  /// The exports of X, Mastodon and Bluesky.
  fileprivate static let known = ArchiveFormats(
    isCandidate: ArchiveMembers.isCandidate, members: ArchiveMembers.chosen, sought: ArchiveMembers.sought,
    repositoryMagicLength: RepositoryExport.magicLength,
    mayBeRepository: { RepositoryExport.isCAR($0, isPrefix: true) }, isRepository: { RepositoryExport.isCAR($0) },
    convertRepository: RepositoryExport.write)
}

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
