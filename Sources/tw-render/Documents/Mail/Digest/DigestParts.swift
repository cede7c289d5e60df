import TweetCLI
import TweetCore
import TweetDisplay

/// What a digest says.
struct DigestLook {
  let title: String
  let locale: ReaderLocale
  /// Whether the pictures of authors, or their initials, stand beside tweets; whether photos are shown.
  let hasAvatars, hasPhotos: Bool
  /// Where the pictures are; `nil` for none.
  let folder: PictureFolder?
  /// Whether what stands behind a warning is in the message.
  let warnings: WarningChoice
}

/// The two forms of a digest, as text and as HTML. They wait on disk: the subject, which stands before them, has the
/// number of tweets.
final class DigestParts {
  let text: RecordSpool
  let html: RecordSpool
  let pictures: DigestPictures?
  private(set) var count = 0
  /// Whether there is a tweet or a notification.
  private(set) var hasAny = false
  /// A hash of all text.
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  private let locale: ReaderLocale
  private let hasAvatars: Bool
  private var plain: MailText
  private var articles: PageArticles
  private var markup = ByteBuffer()
  private var styled = ByteBuffer()
  private var failure: ToolError?

  init(_ look: DigestLook, in folder: String) throws(ToolError) {
    text = try RecordSpool(in: folder)
    html = try RecordSpool(in: folder)
    (locale, hasAvatars) = (look.locale, look.hasAvatars)
    plain = MailText(look.locale, now: .shown, warnings: look.warnings)
    let pictures = look.folder.map { DigestPictures($0) }
    self.pictures = pictures
    articles = PageArticles(
      look.locale, pictures: look.hasAvatars ? PagePictures(at: pictures) : nil,
      photos: look.hasPhotos ? pictures : nil, warnings: look.warnings, isMail: true)
  }

  /// Throws what went wrong with a tweet.
  func check() throws(ToolError) { if let failure { throw failure } }

  /// Brings all bytes to the disk.
  func finish() throws(ToolError) {
    try text.finish()
    try html.finish()
  }

  /// Appends a tweet.
  func append(_ tweet: JSONValue) {
    count += 1
    append(post: tweet)
  }

  func append(notification: JSONValue) { NotificationPost.document(notification, locale)?.read { append(post: $0) } }

  private func append(post record: JSONValue) {
    hasAny = true
    do throws(ToolError) {
      try appendText(of: record)
      try appendMarkup(of: record)
    } catch {
      failure = failure ?? error
    }
  }

  private func appendText(of record: JSONValue) throws(ToolError) {
    let tweet = TweetFields(record)
    markup.removeAll()
    plain.setService(of: tweet)
    markup.append("\n------------------------------------------------------------\n")
    if tweet.retweeted != nil { markup.append("↻ ") }
    plain.appendFullName(tweet.author, to: &markup)
    if let time = tweet.createdAt {
      markup.append(" · ")
      locale.appendLasting(time, to: &markup)
    }
    markup.append("\n\n")
    plain.append(tweet, to: &markup)
    let start = markup.count
    markup.append("\n")
    if plain.appendAddress(of: tweet, to: &markup) { markup.append("\n") } else { markup.truncate(to: start) }
    markup.withBytes { for byte in $0 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 } }
    _ = try markup.withBytes { (bytes) throws(ToolError) in try text.append(bytes) }
  }

  private func appendMarkup(of record: JSONValue) throws(ToolError) {
    styled.removeAll()
    styled.append(
      """
      <tr><td style="padding:16px 0;border-top:1px solid #99a3ad">
      <table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr>

      """)
    if hasAvatars {
      styled.append("<td valign=\"top\" width=\"54\" style=\"width:54px\">")
      markup.removeAll()
      articles.appendFace(TweetFields(record), to: &markup)
      markup.withBytes { InlineStyles.append($0, to: &styled) }
      styled.append("</td>\n")
    }
    styled.append("<td valign=\"top\" style=\"word-break:break-word;overflow-wrap:anywhere\">")
    markup.removeAll()
    articles.appendInside(record, to: &markup)
    markup.withBytes { InlineStyles.append($0, to: &styled) }
    styled.append("</td>\n</tr></table>\n</td></tr>\n")
    _ = try styled.withBytes { (bytes) throws(ToolError) in try html.append(bytes) }
  }
}

/// The tweets and notifications of the input as parts of a digest. Other records are no part of it.
struct DigestFormat: DocumentFormat {
  static let showsNotifications = true

  let parts: DigestParts

  mutating func append(_ record: JSONValue, _ kind: OtherRecord, to output: inout ByteBuffer) {
    if kind == .notification { parts.append(notification: record) }
  }

  mutating func append(_ tweet: JSONValue, to output: inout ByteBuffer) { parts.append(tweet) }
}

/// The pictures of a message: parts of it, which the text names by `cid:` (RFC 2392), each once.
final class DigestPictures: PictureAddresses {
  /// Servers take messages of some 25 MB, and base64 makes pictures larger by a third. Further ones are links or
  /// initials.
  private static let mostBytes = 8 << 20

  private let folder: PictureFolder
  private var sizes: [PictureKey: (width: Int, height: Int)] = [:]
  /// In the order in which they are shown.
  private(set) var keys: [(key: PictureKey, kind: PictureFolder.Kind)] = []
  private var bytes = 0

  init(_ folder: PictureFolder) { self.folder = folder }

  func append(
    _ key: PictureKey, _ kind: PictureFolder.Kind, to output: inout ByteBuffer
  ) -> (width: Int, height: Int)? {
    guard let size = sizes[key] ?? take(key, kind) else { return nil }
    output.append("cid:\(Self.name(of: key))")
    return size
  }

  private func take(_ key: PictureKey, _ kind: PictureFolder.Kind) -> (width: Int, height: Int)? {
    guard let picture = folder.read(key, kind), bytes + picture.png.count <= Self.mostBytes else { return nil }
    bytes += picture.png.count
    keys.append((key, kind))
    sizes[key] = (picture.width, picture.height)
    return (picture.width, picture.height)
  }

  /// The file of a picture; `nil` if it is not there any more.
  func read(_ key: PictureKey, _ kind: PictureFolder.Kind) -> [UInt8]? { folder.read(key, kind)?.png }

  /// The name of a part.
  static func name(of key: PictureKey) -> String { "\(key.name)@tw.invalid" }
}

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
