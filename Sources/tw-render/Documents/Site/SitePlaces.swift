import TweetCore
import TweetDisplay

/// Where the tweets of a site are, as seen from the page that is being written.
final class SitePlaces {
  let plan: SitePlan
  /// The page that is being written; `nil` for the first page of the site.
  private var current: Int?
  /// What leads from the page's folder to the site's: empty, or `../`.
  private(set) var root: StaticString = ""

  /// Gives the anchor of a tweet.
  private let anchor: (Int) -> [UInt8]?

  init(_ plan: SitePlan, anchor: @escaping (Int) -> [UInt8]?) { (self.plan, self.anchor) = (plan, anchor) }

  /// A page is begun.
  /// - Parameter page: `nil` for the first page of the site.
  func begin(_ page: Int?) {
    current = page
    root = page.map { !plan.pages[$0].isMonth } == true ? "../" : ""
  }

  /// Appends the address of a tweet of the site.
  /// - Returns: whether the site has it; if not, nothing was appended.
  func appendPlace(_ service: JSONValue?, _ id: JSONValue?, to output: inout ByteBuffer) -> Bool {
    guard let index = plan.index(of: tweetKey(service, id)) else { return false }
    if !plan.has(index, on: current) { appendPage(Int(plan.pageOf[index]), to: &output) }
    output.append("#")
    output.append(anchorOf: id, service: service)
    return true
  }

  /// Whether the page that is being written has a tweet.
  func isHere(_ service: JSONValue?, _ id: JSONValue?) -> Bool {
    plan.index(of: tweetKey(service, id)).map { plan.has($0, on: current) } ?? false
  }

  /// Appends the address of the tweet of the site that an address elsewhere leads to.
  /// - Returns: whether the site has it; if not, nothing was appended.
  func appendPlace(at url: ByteView, to output: inout ByteBuffer) -> Bool {
    guard let index = plan.index(ofAddress: url), let anchor = anchor(index) else { return false }
    if !plan.has(index, on: current) { appendPage(Int(plan.pageOf[index]), to: &output) }
    output.append("#")
    output.append(anchor)
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
