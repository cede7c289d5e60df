import TweetCore
import TweetDisplay

/// What the first page of a site has above its newest tweets: how many tweets there are, and a way to each month.
struct SiteFront {
  private let frame: SiteFrame
  private var plan: SitePlan { frame.places.plan }
  private var locale: ReaderLocale { frame.locale }

  init(_ frame: SiteFrame) { self.frame = frame }

  func append(to output: inout ByteBuffer) {
    output.append("<p class=\"note\">")
    locale.append(.tweets, count: plan.tweets.count, to: &output)
    if let first = plan.months.first, let last = plan.months.last {
      output.append(" · ")
      appendMonth(of: first, to: &output)
      if first != last {
        output.append(" – ")
        appendMonth(of: last, to: &output)
      }
    }
    output.append("</p>\n")
    appendChoices(to: &output)
    appendMonths(to: &output)
    if plan.tweets.isEmpty { return }
    output.append("<h2 class=\"day\">")
    locale.append(.newest, to: &output)
    output.append("</h2>\n")
  }

  /// Appends the ways to pages that have some of all tweets; the hashtags fold.
  private func appendChoices(to output: inout ByteBuffer) {
    let isTag = { (page: Int) in if case .tag = plan.pages[page].kind { true } else { false } }
    let tags = plan.choices.filter(isTag).sorted { count(of: $0) > count(of: $1) }
    for page in plan.choices where !isTag(page) {
      appendChoice(page, page == plan.choices.first ? "<div class=\"views\">\n" : "", to: &output)
    }
    if plan.choices.count > tags.count { output.append("</div>\n") }
    if tags.isEmpty { return }
    output.append("<details class=\"views\"><summary># ")
    locale.append(count: tags.count, to: &output)
    output.append("</summary>\n<div>\n")
    for page in tags { appendChoice(page, "", to: &output) }
    output.append("</div>\n</details>\n")
  }

  private func count(of last: Int) -> Int { plan.count(from: last - plan.pages[last].part) }

  private func appendChoice(_ page: Int, _ start: StaticString, to output: inout ByteBuffer) {
    output.append(start)
    output.append("<a href=\"")
    frame.places.appendPage(page, to: &output)
    output.append("\"><bdi>")
    frame.appendName(of: page - plan.pages[page].part, to: &output)
    output.append("</bdi> <span class=\"note\">")
    locale.append(count: count(of: page), to: &output)
    output.append("</span></a>\n")
  }

  private func appendMonth(of page: Int, to output: inout ByteBuffer) {
    locale.appendMonth(Timestamp(milliseconds: plan.tweets[plan.pages[page].range.lowerBound].time), to: &output)
  }

  /// Appends the months, the newest year first. A bar shows how many tweets a month has, against the month that has
  /// most.
  private func appendMonths(to output: inout ByteBuffer) {
    let months = plan.months.map { page in
      (page: page, month: SiteMonth(plan.tweets[plan.pages[page].range.lowerBound]), count: plan.count(from: page))
    }
    let most = months.map(\.count).max() ?? 1
    output.append("<nav class=\"months\">\n")
    let newest = months.last?.month.year
    let later = months.lastIndex { $0.month.year != newest }.map { $0 + 1 } ?? 0
    var end = months.count
    while end > 0 {
      let year = months[end - 1].month.year
      let start = months[..<end].lastIndex { $0.month.year != year }.map { $0 + 1 } ?? 0
      // The years before would stand between a reader and the first tweet.
      if end < months.count, end == later {
        output.append("<details><summary>")
        output.append(decimal: year)
        if months[0].month.year < year {
          output.append(" – ")
          output.append(decimal: months[0].month.year)
        }
        output.append("</summary>\n")
      }
      output.append("<h2>")
      output.append(decimal: year)
      output.append("</h2>\n<ol>\n")
      var next = start
      for month in 1...12 {
        if next < end, months[next].month.month == month {
          append(months[next].page, months[next].count, most, to: &output)
          next += 1
        } else {
          append(emptyMonth: month, of: year, to: &output)
        }
      }
      output.append("</ol>\n")
      end = start
    }
    if later > 0 { output.append("</details>\n") }
    if let undated = plan.pages.first, case .undated = undated.kind {
      output.append("<p><a href=\"undated.html\">")
      locale.append(.undated, to: &output)
      output.append("</a> <span class=\"note\">")
      locale.append(.tweets, count: plan.count(from: 0), to: &output)
      output.append("</span></p>\n")
    }
    output.append("</nav>\n")
  }

  private func append(_ page: Int, _ count: Int, _ most: Int, to output: inout ByteBuffer) {
    output.append("<li><a href=\"")
    frame.places.appendPage(page, to: &output)
    output.append("\"><span>")
    locale.appendMonthName(Timestamp(milliseconds: plan.tweets[plan.pages[page].range.lowerBound].time), to: &output)
    output.append("</span> <span class=\"note\">")
    locale.append(compact: count, to: &output)
    output.append("</span><i class=\"w")
    output.append(decimal: max(1, (count * 12 + most - 1) / most))
    output.append("\"></i></a></li>\n")
  }

  private func append(emptyMonth month: Int, of year: Int, to output: inout ByteBuffer) {
    var day = ByteBuffer(capacity: 64)
    day.append(decimal: year, width: 4)
    day.append("-")
    day.append(decimal: month, width: 2)
    day.append("-15")
    output.append("<li class=\"none\"><span>")
    if let time = Timestamp(day: day.string) { locale.appendMonthName(time, to: &output) }
    output.append("</span></li>\n")
  }
}
