package import TweetCore

/// What a tool must know of a tweet to act on it: where it is, what a person knows it by, where its links lead.
package struct TweetTarget: Sendable, Equatable {
  package struct Link: Sendable, Equatable {
    package let url: String
    /// Whether it leads to a song, an album or a list of songs.
    package let isMusic: Bool

    package init(url: String, isMusic: Bool) { (self.url, self.isMusic) = (url, isMusic) }
  }

  package let service: String
  package let id: String
  /// The address of its page.
  package private(set) var url: String?
  /// The id of the tweet that its conversation began with.
  package private(set) var conversation: String?
  /// The account that saw it.
  package private(set) var account: String?
  /// The author's user name.
  package private(set) var username: String?
  /// The first words of its text.
  package private(set) var words: String?
  package private(set) var links: [Link] = []

  /// Letters of ``words``, and how many links are kept.
  private static let (longestWords, mostLinks) = (60, 20)
  /// A longer address is nothing that a person opens.
  private static let longestAddress = 4096

  /// - Parameters:
  ///   - record: a record of a tweet. A retweet stands for what it retweets, since that is what people like and answer.
  ///   - service: that of a tweet which does not say it.
  /// - Returns: `nil` if the tweet has no id.
  package init?(_ record: JSONValue, service outer: String? = nil) {
    let service = record["service"]?.nonEmptyString ?? outer ?? "x"
    let account = record["viewer"]?["account"]?.nonEmptyString
    if let retweeted = record.retweeted, retweeted["text"] != nil, let original = Self(retweeted, service: service) {
      self = original
      self.account = self.account ?? account
      return
    }
    guard let id = record["id"]?.nonEmptyString else { return nil }
    (self.service, self.id, self.account) = (service, id, account)
    url = Self.address(record["url"])
    conversation = record["conversation_id"]?.nonEmptyString
    username = record["author"]?["username"]?.nonEmptyString
    words = record["text"]?.nonEmptyString.map { String($0.prefix(Self.longestWords)) }
    if let urls = record["entities"]?["urls"] { for link in urls.elements { append(link) } }
    if let card = record["extra"]?["card"] { append(card) }
  }

  private mutating func append(_ link: JSONValue) {
    let addresses = [link["unwound_url"], link["expanded_url"], link["url"]]
    guard links.count < Self.mostLinks, let url = addresses.lazy.compactMap(Self.address).first else { return }
    guard !links.contains(where: { $0.url == url }) else { return }
    let kind = link["link_kind"]
    links.append(Link(url: url, isMusic: kind?.equals("music") == true || kind?.equals("playlist") == true))
  }

  /// The text of an address that a browser may be given: of the web, without white space and control characters.
  private static func address(_ value: JSONValue?) -> String? {
    guard let text = value?.nonEmptyString, text.utf8.count <= longestAddress, isWebAddress(text) else { return nil }
    return text
  }

  /// Whether a text is the address of a page of the web and nothing else, whatever program gets it as a word.
  package static func isWebAddress(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    guard start.hasPrefix("https://") || start.hasPrefix("http://") else { return false }
    return text.unicodeScalars.allSatisfy { $0.value > 0x20 && $0.value != 0x7F && !$0.properties.isWhitespace }
  }

  /// How messages name it: `@jack: just setting up my twttr`.
  package var label: String {
    let author = username.map { "@\($0)" } ?? "\(service):\(id)"
    return words.map { "\(author): \(Printable.line($0))" } ?? author
  }
}

extension TweetTarget {
  /// Appends the members of a JSON object that ``init(stored:)`` reads.
  func append(to out: inout ByteBuffer) {
    out.member("service", service)
    out.member("id", id)
    out.member("url", url)
    out.member("conversation_id", conversation)
    out.member("account", account)
    out.member("username", username)
    out.member("text", words)
    out.array("links") {
      for link in links {
        $0.element {
          $0.member("url", link.url)
          if link.isMusic { $0.member("music", true) }
        }
      }
    }
  }

  /// - Returns: `nil` for an object without service and id.
  init?(stored object: JSONDocument) {
    guard let service = object["service"]?.nonEmptyString, let id = object["id"]?.nonEmptyString else { return nil }
    (self.service, self.id) = (service, id)
    url = object["url"]?.nonEmptyString
    conversation = object["conversation_id"]?.nonEmptyString
    account = object["account"]?.nonEmptyString
    username = object["username"]?.nonEmptyString
    words = object["text"]?.nonEmptyString
    links = object.list("links").compactMap { link in
      link["url"]?.nonEmptyString.map { Link(url: $0, isMusic: link["music"]?.bool ?? false) }
    }
  }
}
