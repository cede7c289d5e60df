import TweetCore
import TwitterText

/// A link that an account has in its profile.
struct ProfileLink {
  /// Where in the profile.
  enum Place: String { case url, description, fields }

  var url: String
  var place: Place
  /// When the server found that the page links back; `nil` if it did not look, or found nothing.
  var verifiedAt: String?

  /// More than this many links of a profile are not looked at: no service lets a person have as many.
  private static let most = 100

  /// The links in the profile of a `user` record.
  static func all(of user: JSONValue) -> [ProfileLink] {
    var found: [ProfileLink] = []
    func add(_ url: String?, _ place: Place, verifiedAt: String? = nil) {
      guard let url, !url.isEmpty, found.count < most, !found.contains(where: { $0.url == url }) else { return }
      found.append(ProfileLink(url: url, place: place, verifiedAt: verifiedAt))
    }
    func add(_ entities: JSONValue?, _ place: Place) {
      for link in entities?["urls"]?.elements.map({ $0 }) ?? [] {
        add((link["unwound_url"] ?? link["expanded_url"] ?? link["url"])?.nonEmptyString, place)
      }
    }
    let entities = user["entities"]
    // What an account of the fediverse has as its address is its own page.
    let isOwnPage = user["service"]?.string?.hasPrefix("mastodon:") == true
    add(entities?["url"], .url)
    if entities?["url"] == nil, !isOwnPage { add(user["url"]?.nonEmptyString, .url) }
    for field in user["extra"]?["fields"]?.elements.map({ $0 }) ?? [] {
      guard let value = field["value"]?.nonEmptyString else { continue }
      for url in links(inHTML: value) { add(url, .fields, verifiedAt: field["verified_at"]?.nonEmptyString) }
    }
    add(entities?["description"], .description)
    if entities?["description"] == nil, let text = user["description"]?.nonEmptyString {
      for url in links(inText: text) { add(url, .description) }
    }
    return found
  }

  /// The addresses of the links in a field, which is HTML; in one without a link those in its text.
  private static func links(inHTML value: String) -> [String] {
    var found: [String] = []
    var rest = value[...]
    while let mark = rest.firstRange(of: "href=\"") {
      rest = rest[mark.upperBound...]
      found.append(String(rest.prefix { $0 != "\"" }).replacing("&amp;", with: "&"))
    }
    return found.isEmpty ? links(inText: value) : found
  }

  private static func links(inText text: String) -> [String] {
    let bytes = Array(text.utf8)
    return bytes.withBytes { view in
      TextEntities.find(in: view, .urls).map { String(decoding: view.extracting($0.bytes), as: UTF8.self) }
    }
  }
}
