import TweetCore
import TweetDisplay

/// `json-feed`: a feed by JSON Feed 1.1 (<https://www.jsonfeed.org/version/1.1/>), an item on a line for each tweet.
/// Other records are no items.
struct JSONFeedFormat: PostFormat, ~Copyable {
  private let title: String
  private var markup: TweetMarkup
  private var decoder = StringDecoder()
  private var text = ByteBuffer()
  private var hasItems = false

  /// - Parameters:
  ///   - now: the time that ends of polls are seen from.
  ///   - photos: where the photos are that become part of the items; `nil` for links to them only.
  ///   - warnings: whether what stands behind a warning is shown before it is opened.
  init(title: String, now: Timestamp, photos: PictureFolder?, warnings: WarningChoice) {
    self.title = title
    markup = TweetMarkup(ReaderLocale(nil), now: now, warnings: warnings, isAlone: true)
    markup.photos = photos.map { InlinePictures($0) }
  }

  mutating func begin(_ output: inout ByteBuffer) {
    output.append("{\"version\":\"https://jsonfeed.org/version/1.1\",\"title\":")
    text.removeAll()
    title.withBytes { text.append(visible: $0) }
    appendText(to: &output)
    output.append(",\"items\":[\n")
  }

  mutating func finish(_ output: inout ByteBuffer) { output.append("]}\n") }

  mutating func append(_ record: JSONValue, to output: inout ByteBuffer) {
    let tweet = TweetFields(record)
    markup.setService(of: tweet)
    // An item ends its line, so that a reader of a live pipe has it whole.
    if hasItems { output.append(",") }
    hasItems = true
    output.object { output in
      output.key("id")
      text.removeAll()
      text.append(feedIDOf: tweet.id, service: tweet.service)
      appendText(to: &output)
      appendAddress("url", to: &output) { $0.appendPlainAddress(of: tweet, to: &$1) }
      output.key("content_html")
      text.removeAll()
      markup.appendEntry(tweet, to: &text)
      appendText(to: &output)
      output.string("date_published") { $0.append(TweetTimes(tweet).posted) }
      if let edit = tweet.editedAt { output.string("date_modified") { $0.append(edit) } }
      if let language = TweetLanguage(record["lang"]) { output.string("language") { $0.append(language.tag) } }
      appendAuthor(tweet, record["author"], to: &output)
      appendTags(tweet, to: &output)
      appendAttachments(tweet.retweeted ?? tweet, to: &output)
    }
    output.append("\n")
  }

  /// Appends what is in `text` as a string.
  private mutating func appendText(to output: inout ByteBuffer) {
    output.append(UInt8(ascii: "\""))
    text.withBytes { output.appendJSONEscaped($0) }
    output.append(UInt8(ascii: "\""))
  }

  /// Appends a member whose value is an address, if there is one that may be linked.
  private mutating func appendAddress(
    _ key: StaticString, to output: inout ByteBuffer, _ body: (inout TweetMarkup, inout ByteBuffer) -> Bool
  ) {
    text.removeAll()
    guard body(&markup, &text) else { return }
    output.key(key)
    appendText(to: &output)
  }

  private mutating func appendAuthor(_ tweet: TweetFields, _ author: JSONValue?, to output: inout ByteBuffer) {
    output.array("authors") { output in
      output.element { output in
        output.key("name")
        text.removeAll()
        markup.appendPlainFullName(tweet.author, to: &text)
        appendText(to: &output)
        appendAddress("url", to: &output) { $0.appendPlainProfile(tweet.author, to: &$1) }
        let picture = decoder.decode(author?["profile_image_url"], limit: .max)
        appendAddress("avatar", to: &output) { SafeAddress.append(picture, to: &$1) }
      }
    }
  }

  private mutating func appendTags(_ tweet: TweetFields, to output: inout ByteBuffer) {
    output.array("tags") { output in
      for tag in tweet.tags() {
        output.append(",")
        text.removeAll()
        text.append(visible: decoder.decode(tag))
        appendText(to: &output)
      }
    }
  }

  private mutating func appendAttachments(_ tweet: TweetFields, to output: inout ByteBuffer) {
    guard let media = tweet.attachments?["media"] else { return }
    output.array("attachments") { output in
      for item in media.elements {
        let url = decoder.decode(MediaFields(item).address, limit: .max)
        guard let type = MediaType(url) else { continue }
        text.removeAll()
        guard SafeAddress.append(url, to: &text) else { continue }
        output.element { output in
          output.key("url")
          appendText(to: &output)
          output.string("mime_type") { $0.append(type.name) }
        }
      }
    }
  }
}
