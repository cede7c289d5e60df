import TweetCLI
import TweetCore

/// Reads all records, then writes a message of them: `mail`.
struct DigestRun {
  let look: DigestLook
  let filter: PostFilter
  let from: MailAddress?
  let to: [MailAddress]
  /// Whether no message is written if there is no tweet.
  let needsTweets: Bool

  func execute(_ input: InputOptions) throws(ToolError) -> ExitStatus {
    let parts = try DigestParts(look, in: Paths.temporary)
    let printer = Shared(try DocumentPrinter(DigestFormat(parts: parts), filter))
    var writer = RecordWriter()
    let status = try input.forEachRecord(writer: &writer, printsRecords: false) {
      (record, writer) throws(ToolError) in
      let fault = try printer.value.print(record, to: &writer)
      try parts.check()
      return fault
    }
    // A message that was sent cannot be sent whole any more.
    if Interruption.signal != nil || ![.done, .someBad].contains(status) { return status }
    try printer.value.finish(&writer)
    try parts.check()
    if needsTweets, !parts.hasAny { return .someBad }
    try parts.finish()
    try DigestMessage(look, from: from, to: to, parts).write(to: &writer)
    return status
  }
}
