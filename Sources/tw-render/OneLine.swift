import TweetCore
import TweetDisplay

/// The `line` format: time, handle and text of a tweet on one line, as long as it is.
struct OneLine: ~Copyable {
  private let screen: Screen
  private let clock = HumanTime()
  private var text = StyledText()
  private var body: TweetText
  private var decoder = TextDecoder()

  init(_ screen: Screen) {
    self.screen = screen
    body = TweetText(glyphs: screen.isASCII ? .ascii : .unicode, style: .line)
  }

  /// Appends `2021-11-03 21:30  @jack: the text`, without a newline. The time is local, and blank when not known.
  mutating func append(_ tweet: TweetView, to output: inout ByteBuffer) {
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
    end(isolatingFrom: bodyStart, to: &output)
  }

  /// Appends the line of a record that is no tweet.
  mutating func append(note: Note, to output: inout ByteBuffer) {
    append(time: note.time.flatMap { Timestamp(ascii: $0.rawString) })
    text.append(note.sign, note.ink)
    text.bytes.append(" ")
    let start = text.count
    text.bytes.append(note.words)
    Printable.append(decoder.decode(note.value), to: &text.bytes)
    text.mark(.dim)
    end(isolatingFrom: start, to: &output)
  }

  private mutating func append(time: Timestamp?) {
    if let time { clock.appendMinute(time, to: &text.bytes) } else { text.bytes.append("                ") }
    text.bytes.append("  ")
    text.mark(.dim)
  }

  private mutating func end(isolatingFrom start: Int, to output: inout ByteBuffer) {
    let isRightToLeft = Bidi.isRightToLeft(text.view(from: start))
    text.print(0..<start, on: screen, to: &output)
    if isRightToLeft { output.append(Bidi.opening) }
    text.print(start..<text.count, on: screen, to: &output)
    if isRightToLeft { output.append(Bidi.closing) }
    text.removeAll()
  }
}
