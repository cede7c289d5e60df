import TweetCore
import TweetDisplay

/// Where the tweets of a site are, as seen from the page that is being written.
final class SitePlaces {
  let plan: SitePlan
  /// The page that is being written; `nil` for the first page of the site.
  private var current: Int?
  /// What leads from the page's folder to the site's: empty, or `../`.
  private(set) var root: StaticString = ""

  init(_ plan: SitePlan) { self.plan = plan }

  /// A page is begun.
  /// - Parameter page: `nil` for the first page of the site.
  func begin(_ page: Int?) {
    current = page
    root = page.map { plan.pages[$0].kind == .thread } == true ? "../" : ""
  }

  /// Appends the address of a tweet of the site.
  /// - Returns: whether the site has it; if not, nothing was appended.
  func appendPlace(_ service: JSONValue?, _ id: JSONValue?, to output: inout ByteBuffer) -> Bool {
    guard let index = plan.index(of: tweetKey(service, id)) else { return false }
    if current == nil || Int(plan.threadPageOf[index]) != current {
      appendPage(Int(plan.pageOf[index]), to: &output)
    }
    output.append("#")
    output.append(anchorOf: id, service: service)
    return true
  }

  /// Appends the address of a page; nothing for the current one.
  func appendPage(_ page: Int, to output: inout ByteBuffer) {
    guard page != current else { return }
    output.append(root)
    output.append(plan.pages[page].name)
    output.append(".html")
  }

  /// Appends what leads from a tweet to its thread, and to its place in its month.
  func appendLinks(_ service: JSONValue?, _ id: JSONValue?, _ locale: ReaderLocale, to output: inout ByteBuffer) {
    guard let index = plan.index(of: tweetKey(service, id)) else { return }
    output.append("<p class=\"places\">")
    let thread = Int(plan.threadPageOf[index])
    if thread >= 0, thread != current {
      output.append("<a href=\"")
      appendPage(thread, to: &output)
      output.append("#")
      output.append(anchorOf: id, service: service)
      output.append("\">")
      locale.append(.thread, to: &output)
      output.append("</a> ")
    }
    output.append("<a class=\"permalink\" rel=\"bookmark\" href=\"")
    appendPage(Int(plan.pageOf[index]), to: &output)
    output.append("#")
    output.append(anchorOf: id, service: service)
    output.append("\" title=\"")
    locale.append(.permalink, to: &output)
    output.append("\"><span aria-hidden=\"true\">#</span></a></p>\n")
  }
}
