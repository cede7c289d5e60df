import TweetCore
import TweetNet

/// What a page says for those who show a card of it: by Open Graph (ogp.me), by the names of X's cards, or by its own
/// description.
struct PageCard: Equatable, Sendable {
  /// In Unicode scalars.
  private static let longestDescription = 1000
  private static let longestAddress = 2048
  /// X's kinds of cards (developer.x.com, "About Twitter Cards").
  private static let types: Set<String> = ["summary", "summary_large_image", "app", "player"]

  /// Of X's kinds.
  private(set) var type: String?
  /// All of them bounded, on one line and without control characters. Of several names the first of these lists counts.
  var title: String? { texts["og:title"] ?? texts["twitter:title"] }
  var description: String? { texts["og:description"] ?? texts["twitter:description"] ?? texts["description"] }
  /// The name of the site.
  var site: String? { texts["og:site_name"] }
  /// The address of the picture, as it stands there.
  private var imageText: String? {
    texts["og:image"] ?? texts["og:image:url"] ?? texts["twitter:image"] ?? texts["twitter:image:src"]
  }
  private var texts: [String: String] = [:]

  private static let names: Set<String> = [
    "og:title", "twitter:title", "og:description", "twitter:description", "description", "og:site_name", "og:image",
    "og:image:url", "twitter:image", "twitter:image:src",
  ]

  /// Takes the content of a `meta` element. Of several with one name the first counts.
  mutating func take(_ content: String, of name: String) {
    if name == "twitter:card" {
      let value = content.lowercased()
      if type == nil, Self.types.contains(value) { type = value }
    }
    guard Self.names.contains(name), texts[name] == nil else { return }
    if name.contains("image") {
      if content.utf8.count <= Self.longestAddress { texts[name] = content }
    } else {
      texts[name] = PageTitle.tidy(
        content, limit: name.hasSuffix("description") ? Self.longestDescription : PageTitle.limit)
    }
  }

  /// The address of the picture; `nil` if there is none of the web.
  /// - Parameter page: the address of the page.
  func image(of page: String) -> String? {
    guard let text = imageText, let address = WebAddress(text, relativeTo: page) else { return nil }
    return LinkAddress.withoutCredentials(address.url)
  }
}
