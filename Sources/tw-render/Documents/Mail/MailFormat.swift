import TweetCore
import TweetDisplay

/// `mbox`: a message for each tweet, in a mailbox that mail programs open: replies are threads there.
///
/// The file is RFC 4155's with the quoting of "mboxrd": each body line of `From `, after any number of `>`, gets one
/// `>` more, so that it can be taken away again. Messages are MIME in UTF-8, as they stand if their lines are short
/// enough, else quoted-printable. Addresses are below `.invalid`, so that no reply goes anywhere (RFC 2606 §2).
struct MailFormat: PostFormat, ~Copyable {
  private static let longestSubject = 72
  /// RFC 5322 §2.1.1, without the line break. One is left for a `>`.
  private static let longestLine = 997
  /// Of a field that stands on one line.
  private static let longestAddress = 900

  private var text: MailText
  private var decoder = StringDecoder()
  private var words = ByteBuffer()
  private var titles: TweetTitle

  /// - Parameters:
  ///   - now: the time that ends of polls are seen from.
  ///   - warnings: whether what stands behind a warning is in the message.
  init(now: Timestamp, warnings: WarningChoice) {
    // A subject is seen before the message is opened.
    titles = TweetTitle(ReaderLocale(nil), warnings: .fold)
    text = MailText(ReaderLocale(nil), now: now, warnings: warnings)
  }

  mutating func append(_ record: JSONValue, to output: inout ByteBuffer) {
    let tweet = TweetFields(record)
    text.setService(of: tweet)
    let time = MailTime(TweetTimes(tweet).posted)
    output.append("From tw@localhost.invalid ")
    time.appendPostmark(to: &output)
    output.append("\nDate: ")
    time.appendDate(to: &output)
    output.append("\nFrom: ")
    words.removeAll()
    words.append(firstWordsOf: decoder.decode(tweet.author.name, limit: 1024), most: 100)
    if words.count == 0 { words.append(firstWordsOf: decoder.decode(tweet.author.username, limit: 1024), most: 100) }
    MailHeader.append(phrase: words.withBytes { $0 }, to: &output)
    let isNamed = words.count > 0
    words.removeAll()
    MailHeader.append(local: decoder.decode(tweet.author.username ?? tweet.author.id, limit: 64), to: &words)
    words.append("@")
    MailHeader.append(domain: tweet.service, to: &words)
    if !isNamed { output.append("<") }
    words.withBytes { isNamed ? MailHeader.append(address: $0, to: &output) : output.append($0) }
    output.append(isNamed ? "\nSubject: " : ">\nSubject: ")
    words.removeAll()
    titles.append(tweet, most: Self.longestSubject, to: &words)
    MailHeader.append(text: words.withBytes { $0 }, to: &output)
    output.append("\nMessage-ID: ")
    MailHeader.append(messageID: tweet.id, of: tweet.service, to: &output)
    appendReferences(tweet, record["conversation_id"], to: &output)
    words.removeAll()
    if text.appendAddress(of: tweet, to: &words), words.count <= Self.longestAddress,
      words.withBytes({ $0.allSatisfy { $0 < 0x80 } })
    {
      // RFC 5064.
      output.append("\nArchived-At: <")
      words.withBytes { output.append($0) }
      output.append(">")
    }
    var body = ByteBuffer()
    appendBody(tweet, to: &body)
    Self.append(body: body, to: &output)
  }

  /// `In-Reply-To` and `References` (RFC 5322 §3.6.4): the conversation's first tweet and the one that is answered. A
  /// retweet belongs below what it repeats, a quote below what it quotes.
  private func appendReferences(_ tweet: TweetFields, _ conversation: JSONValue?, to output: inout ByteBuffer) {
    let parent = (tweet.reference("replied_to") ?? tweet.reference("retweeted") ?? tweet.reference("quoted"))?["id"]
    guard let parent, parent.isString, !parent.rawString.isEmpty else { return }
    output.append("\nIn-Reply-To: ")
    MailHeader.append(messageID: parent, of: tweet.service, to: &output)
    output.append("\nReferences: ")
    if tweet.reference("replied_to") != nil, let conversation, conversation.isString, !conversation.hasBytes(of: parent)
    {
      MailHeader.append(messageID: conversation, of: tweet.service, to: &output)
      output.append("\n ")
    }
    MailHeader.append(messageID: parent, of: tweet.service, to: &output)
  }

  // MARK: Body

  private mutating func appendBody(_ tweet: TweetFields, to body: inout ByteBuffer) {
    text.append(tweet, to: &body)
    let start = body.count
    body.append("\n-- \n")
    if text.appendAddress(of: tweet, to: &body) { body.append("\n") } else { body.truncate(to: start) }
  }

  /// Appends the rest of the header, and the body.
  private static func append(body: borrowing ByteBuffer, to output: inout ByteBuffer) {
    output.append("\nMIME-Version: 1.0\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: ")
    body.withBytes { bytes in
      let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      let isShort = lines.allSatisfy { $0.count <= longestLine }
      output.append(isShort ? "8bit\n\n" : "quoted-printable\n\n")
      var encoder = QuotedPrintable()
      for line in lines.dropLast(bytes.last == UInt8(ascii: "\n") ? 1 : 0) {
        let line = ByteView(rebasing: line)
        if isPostmark(line) { output.append(">") }
        if isShort {
          output.append(line)
          output.append("\n")
        } else {
          encoder.append(line, to: &output)
          encoder.append(("\n" as StaticString).bytes, to: &output)
        }
      }
    }
    output.append("\n")
  }

  /// Whether a line is `From `, after any number of `>`.
  private static func isPostmark(_ line: ByteView) -> Bool {
    line.drop { $0 == UInt8(ascii: ">") }.starts(with: "From ".utf8)
  }
}
