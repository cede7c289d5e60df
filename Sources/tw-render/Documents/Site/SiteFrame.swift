import TweetCore
import TweetDisplay

/// What all pages of a site have around their tweets: the head, the bar with the search, the ways to other pages.
struct SiteFrame {
  let title: String
  let locale: ReaderLocale
  let places: SitePlaces

  private var plan: SitePlan { places.plan }

  /// Appends a page's beginning, up to its heading.
  /// - Parameters:
  ///   - heading: appends it as text; `nil` for the site's title.
  ///   - page: the page; `nil` for the first page of the site.
  func begin(_ page: Int?, to output: inout ByteBuffer, heading: ((inout ByteBuffer) -> Void)? = nil) {
    let root = places.root
    output.append(
      "<!DOCTYPE html>\n<html lang=\"\(locale.wordsLanguage)\"\(locale.isRightToLeft ? " dir=\"rtl\"" : "")>\n")
    output.append("<head>\n<meta charset=\"utf-8\">\n<title>")
    if let heading {
      heading(&output)
      output.append(" · ")
    }
    appendTitle(to: &output)
    // A page that was opened from a file has files beside it; `'self'` does not name these in all browsers.
    output.append(
      """
      </title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <meta name="generator" content="tw-render">
      <meta http-equiv="Content-Security-Policy" \
      content="default-src 'none'; style-src 'self' file:; img-src 'self' file:; script-src 'self' file:">
      <link rel="stylesheet" href="\(root)style.css">
      <link rel="alternate" type="application/atom+xml" href="\(root)feed.atom">

      """)
    for (relation, neighbour) in page.map({ neighbours(of: $0) }) ?? [] {
      output.append("<link rel=\"\(relation)\" href=\"")
      places.appendPage(neighbour, to: &output)
      output.append("\">\n")
    }
    output.append("<script src=\"\(root)site.js\" defer></script>\n</head>\n<body>\n")
    appendBar(to: &output)
    output.append("<main class=\"h-feed\">\n<h1 class=\"p-name\" dir=\"auto\">")
    if let heading { heading(&output) } else { appendTitle(to: &output) }
    output.append("</h1>\n")
  }

  /// Appends the end of a page.
  func finish(_ page: Int?, to output: inout ByteBuffer) {
    output.append("</main>\n")
    if let page { appendWays(from: page, to: &output) }
    output.append("<footer><a href=\"\(places.root)feed.atom\">Atom</a></footer>\n</body>\n</html>\n")
  }

  private func appendTitle(to output: inout ByteBuffer) {
    title.withBytes { output.append(markup: $0, newline: " ") }
  }

  private func appendBar(to output: inout ByteBuffer) {
    output.append("<header>\n<a href=\"\(places.root)index.html\" rel=\"home\"><bdi>")
    appendTitle(to: &output)
    output.append("</bdi></a>\n<form role=\"search\" hidden data-root=\"\(places.root)\" data-found=\"")
    appendAttribute(.tweets, to: &output)
    output.append("\" data-none=\"")
    appendAttribute(.nothingFound, to: &output)
    output.append("\">\n<input type=\"search\" autocomplete=\"off\" spellcheck=\"false\" placeholder=\"")
    appendAttribute(.search, to: &output)
    output.append("\" aria-label=\"")
    appendAttribute(.search, to: &output)
    output.append("\">\n<div class=\"results\" hidden><p role=\"status\"></p><ol></ol></div>\n</form>\n</header>\n")
  }

  private func appendAttribute(_ phrase: Phrase, to output: inout ByteBuffer) {
    var words = ByteBuffer(capacity: 128)
    locale.append(phrase, to: &words)
    words.withBytes { output.append(markup: $0, newline: " ") }
  }

  // MARK: Ways

  /// Appends the links to the page before and the one after.
  /// - Parameter isAbove: whether they stand above the tweets too: one of the two is enough as a landmark.
  func appendWays(from page: Int, isAbove: Bool = false, to output: inout ByteBuffer) {
    let neighbours = neighbours(of: page)
    if neighbours.isEmpty { return }
    output.append(isAbove ? "<div class=\"ways\">\n" : "<nav class=\"ways\">\n")
    for (relation, neighbour) in neighbours {
      output.append("<a class=\"\(relation)\" rel=\"\(relation)\" href=\"")
      places.appendPage(neighbour, to: &output)
      output.append("\">")
      appendName(of: neighbour, to: &output)
      output.append("</a>\n")
    }
    output.append(isAbove ? "</div>\n" : "</nav>\n")
  }

  /// Appends what a page is called: `November 2021`, and `(2)` if it is not the month's first.
  func appendName(of page: Int, to output: inout ByteBuffer) {
    let page = plan.pages[page]
    switch page.kind {
    case .month: locale.appendMonth(Timestamp(milliseconds: plan.tweets[page.range.lowerBound].time), to: &output)
    case .undated: locale.append(.undated, to: &output)
    case .thread: locale.append(.thread, to: &output)
    case .posts: locale.append(.withoutReplies, to: &output)
    case .media: locale.append(.media, to: &output)
    case .tag(let name): "#\(name)".withBytes { output.append(markup: $0, newline: " ") }
    }
    guard page.part > 0 else { return }
    output.append(" (")
    locale.append(count: page.part + 1, to: &output)
    output.append(")")
  }

  /// The pages before and after one: of months those of the time before and after, of all else only its own.
  private func neighbours(of page: Int) -> [(StaticString, Int)] {
    func isNear(_ other: Int) -> Bool {
      guard plan.pages.indices.contains(other) else { return false }
      let isSame = other - plan.pages[other].part == page - plan.pages[page].part
      return isSame || plan.pages[page].isMonth && plan.pages[other].isMonth
    }
    return [("prev" as StaticString, page - 1), ("next", page + 1)].filter { isNear($0.1) }
  }
}
