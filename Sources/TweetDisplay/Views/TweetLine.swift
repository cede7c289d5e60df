package import TweetCore

/// One tweet on one line: time, handle and text, as long as they are.
package struct TweetLine: ~Copyable {
  /// As many spaces as `HumanTime.appendMinute` writes columns.
  private static let noTime: StaticString = "                "

  private let style: TerminalStyle
  private let clock = HumanTime()
  private var text = StyledText()
  private var body: TweetBody
  private var decoder = StringDecoder()

  package init(_ style: TerminalStyle) {
    self.style = style
    body = TweetBody(glyphs: style.glyphs, form: .line)
  }

  /// Appends `2021-11-03 21:30  @jack: the text`, without a newline. The time is local, and blank if it is not known.
  package mutating func append(_ tweet: TweetFields, to output: inout ByteBuffer) {
    append(time: tweet.createdAt)
    let start = text.count
    if tweet.author.username != nil { text.bytes.append("@") }
    let author = tweet.author.username ?? tweet.author.name ?? tweet.author.id
    if let author {
      Printable.append(decoder.decode(author, limit: 1024), to: &text.bytes)
      Bidi.isolate(&text.bytes, from: start)
      text.mark(.name)
      text.append(": ", .plain)
    }
    let bodyStart = text.count
    body.append(tweet, to: &text)
    print(isolatingFrom: bodyStart, to: &output)
  }

  /// Appends a note, without a newline.
  package mutating func append(note: Note, to output: inout ByteBuffer) {
    append(time: note.time)
    note.appendSign(to: &text, glyphs: style.glyphs)
    let start = text.count
    note.appendWords(to: &text, decoder: &decoder)
    print(isolatingFrom: start, to: &output)
  }

  private mutating func append(time: Timestamp?) {
    if let time { clock.appendMinute(time, to: &text.bytes) } else { text.bytes.append(Self.noTime) }
    text.bytes.append("  ")
    text.mark(.dim)
  }

  /// Prints the line that was put together, its part from `start` on isolated if it has right-to-left letters.
  private mutating func print(isolatingFrom start: Int, to output: inout ByteBuffer) {
    let isRightToLeft = Bidi.isRightToLeft(text.view(from: start))
    text.print(0..<start, in: style, to: &output)
    if isRightToLeft { output.append(Bidi.opening) }
    text.print(start..<text.count, in: style, to: &output)
    if isRightToLeft { output.append(Bidi.closing) }
    text.removeAll()
  }
}
