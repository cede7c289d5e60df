import ArgumentParser
import TweetCLI
import TweetCore

/// Turns tweets in any known shape into records.
@main
struct TwParse: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-parse",
    abstract: "Turn tweets of any known shape into records, one a line.",
    discussion: """
      Recognises X API v2 pages, stream lines and flattened tweets, X API v1.1 tweets and search pages, and the kit's \
      own records; one JSON document a line or many, or an array of any length.
      """,
    version: Version.number)

  @OptionGroup var input: InputOptions

  @Flag(help: "Stop at the first bad record, with status 65.")
  var strict = false

  func execute() throws(ToolError) -> ExitStatus {
    var writer = RecordWriter()
    var mapper = TweetMapper()
    let parallel = ParallelParse(maxRecord: input.maxRecord)
    return try input.forEachRecord(
      writer: &writer, isStrict: strict,
      front: { file, writer, bad throws(ToolError) in
        // What a context said holds for the files behind it too; and the first bad record must stop all.
        if mapper.hasContext || strict { return FrontPart() }
        return try parallel.parseFront(of: file, to: &writer, bad: &bad)
      },
      { record, writer throws(ToolError) in
        let reason = mapper.map(record, into: &writer.buffer)
        try writer.flushIfLarge()
        return reason
      })
  }
}
