import TweetCore
import TweetDisplay

/// `html`: one page, whole in itself, that needs no script and loads nothing.
struct PageFormat: DocumentFormat, ~Copyable {
  private let title: String
  private let locale: ReaderLocale
  private let hasAvatars: Bool
  private let hasPhotos: Bool
  private var articles: PageArticles
  private var isEmpty = true

  /// - Parameters:
  ///   - locale: the language of the page, but not of what people wrote.
  ///   - photos: whether the photos of tweets are in the page, and not only links to them.
  ///   - hasAvatars: whether the pictures of authors, or their initials, stand beside tweets.
  ///   - folder: where the pictures are; `nil` for initials only.
  ///   - warnings: whether what stands behind a warning is shown before it is opened.
  init(
    title: String, _ locale: ReaderLocale, hasAvatars: Bool, photos: Bool, folder: PictureFolder?,
    warnings: WarningChoice
  ) {
    self.title = title
    self.locale = locale
    self.hasAvatars = hasAvatars
    hasPhotos = photos && folder != nil
    articles = PageArticles(
      locale, pictures: hasAvatars ? PagePictures(folder) : nil,
      photos: photos ? folder.map { InlinePictures($0) } : nil, warnings: warnings)
  }

  mutating func begin(_ output: inout ByteBuffer) {
    output.append(
      """
      <!DOCTYPE html>
      <html lang="\(locale.wordsLanguage)"\(locale.isRightToLeft ? " dir=\"rtl\"" : "")>
      <head>
      <meta charset="utf-8">
      <title>
      """)
    append(text: title, to: &output)
    // A reader's browser would keep to this policy even if a tweet could bring a tag into the page.
    output.append(
      """
      </title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <meta name="generator" content="tw-render">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
      <style>

      """)
    PageStyle.append(to: &output)
    if hasPhotos { PageStyle.appendForPhotos(to: &output) }
    if !hasAvatars { PageStyle.appendWithoutAvatars(to: &output) }
    output.append(
      """
      </style>
      </head>
      <body>
      <main class="h-feed">
      <h1 class="p-name" dir="auto">
      """)
    append(text: title, to: &output)
    output.append("</h1>\n")
  }

  mutating func finish(_ output: inout ByteBuffer) {
    if isEmpty {
      output.append("<p class=\"note\">")
      locale.append(.tweets, count: 0, to: &output)
      output.append("</p>\n")
    }
    output.append("</main>\n</body>\n</html>\n")
  }

  private func append(text: String, to output: inout ByteBuffer) {
    text.withBytes { output.append(markup: $0, newline: " ") }
  }

  mutating func append(_ tweet: JSONValue, to output: inout ByteBuffer) {
    isEmpty = false
    articles.append(tweet, to: &output)
  }

  static var showsNotifications: Bool { true }
  static var marksDeletions: Bool { true }

  mutating func append(_ record: JSONValue, _ kind: OtherRecord, to output: inout ByteBuffer) {
    isEmpty = false
    articles.append(record, kind, to: &output)
  }
}
