import Libc
import MediaStore
import TweetCLI
import TweetCore

/// The links of records, and the members that a check adds to them.
struct LinkRecord {
  /// An object of a record that is a link, the URL that is checked for it, and when it was posted, as the record has
  /// it.
  typealias Link = (object: JSONValue, url: String, postedAt: JSONValue?)

  /// This many links of one record are checked: a post of X has 25 000 characters at most, and a link counts 23 of
  /// them.
  static let maxLinks = 2048

  /// Whether the `chain` member is written.
  let showsChain: Bool
  /// Whether the `page_text` member is.
  let showsText: Bool

  /// The links of a record that are checked: those of a tweet and of the tweets that it retweets and quotes, or a
  /// `link` record itself. A link to the tweet's own pictures, or to the tweet that it quotes, is none: what is there
  /// is in the record.
  static func links(in record: JSONValue) -> (links: [Link], isComplete: Bool) {
    if record["tw"]?.equals("link") == true { return (url(in: record).map { [(record, $0, nil)] } ?? [], true) }
    guard record["tw"]?.equals("tweet") == true else { return ([], true) }
    var tweets: [JSONValue] = []
    append(record, depth: 0, to: &tweets)
    var links: [Link] = []
    for tweet in tweets {
      guard let urls = tweet["entities"]?["urls"] else { continue }
      for object in urls.elements {
        guard let url = url(in: object), !isOwn(object, url, tweets) else { continue }
        if links.count == maxLinks { return (links, false) }
        links.append((object, url, tweet["created_at"]))
      }
    }
    return (links, true)
  }

  /// A retweet of a tweet with a quote has three tweets.
  private static let maxDepth = 2

  private static func append(_ tweet: JSONValue, depth: Int, to tweets: inout [JSONValue]) {
    tweets.append(tweet)
    guard depth < maxDepth, let references = tweet["referenced_tweets"] else { return }
    for reference in references.elements {
      guard let type = reference["type"], type.equals("retweeted") || type.equals("quoted") else { continue }
      append(reference, depth: depth + 1, to: &tweets)
    }
  }

  private static func isOwn(_ object: JSONValue, _ url: String, _ tweets: [JSONValue]) -> Bool {
    if object["media_key"] != nil { return true }
    let id = PostAddress.id(in: url)
    return tweets.contains { tweet in
      if let id, let own = tweet["id"], own.rawString.elementsEqual(id.utf8) { return true }
      return tweet["url"]?.nonEmptyString == url
    }
  }

  /// The service's own expansion is preferred: it saves a request to the service's shortener.
  private static func url(in object: JSONValue) -> String? {
    object["expanded_url"]?.nonEmptyString ?? object["url"]?.nonEmptyString
  }

  /// A `link` record of an address.
  static func record(of address: String) -> [UInt8] {
    let url = LinkAddress.withoutCredentials(address)
    var record = ByteBuffer(capacity: url.utf8.count + 32)
    record.object {
      $0.member("tw", "link")
      $0.member("url", url)
    }
    return record.array
  }

  /// The key of a URL's look-up.
  static func key(of url: String) -> String { LinkAddress.withoutFragment(LinkAddress.withoutCredentials(url)) }

  /// Appends the record with the members that `answers`, by key, give to its links. All else keeps its bytes.
  func append(_ record: JSONValue, _ answers: LiveAnswers<LinkAnswer>, to buffer: inout ByteBuffer) {
    var edits = RecordEdits()
    for (object, url, _) in Self.links(in: record).links {
      guard let answer = answers[Self.key(of: url)], !answer.isUnasked || object["verdict"] == nil else { continue }
      // What an earlier check wrote. The link itself stays, so no object becomes empty.
      edits.remove(from: object) { CheckMembers.contain($0, hasTitle: answer.hasTitle) }
      edits.append(members: answer.members(forLink: url, showsChain: showsChain, showsText: showsText), to: object)
    }
    edits.apply(to: record, into: &buffer)
  }
}

/// Addresses of posts on X: `https://x.com/NAME/status/ID`, also of one of its pictures.
enum PostAddress {
  /// The id of the post; `nil` if the URL is no such address.
  static func id(in url: String) -> Substring? {
    guard mayBePost(url), let scheme = url.utf8.firstIndex(of: UInt8(ascii: ":")),
      url[scheme...].utf8.starts(with: "://".utf8)
    else { return nil }
    let rest = url.utf8[scheme...].dropFirst(3)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")),
      hosts.contains(Hosts.bare(url[rest.startIndex..<slash].lowercased()))
    else { return nil }
    let parts = url[slash...].prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
    // `/NAME/status/ID`, `/NAME/statuses/ID`, `/i/web/status/ID`, each with `/photo/1` and the like after it.
    guard let at = parts.dropFirst().prefix(2).firstIndex(where: { $0 == "status" || $0 == "statuses" }),
      at + 1 < parts.count, parts[at + 1].utf8.allSatisfy(\.isASCIIDigit)
    else { return nil }
    return parts[at + 1]
  }

  private static let hosts: Set<String> = ["x.com", "twitter.com"]

  /// Whether `/status` is in it. Most URLs are no posts, and this is quick.
  private static func mayBePost(_ url: String) -> Bool {
    guard url.utf8.count < 200 else { return false }
    return url.withBytes { bytes in
      var offset = 0
      while let slash = bytes.firstIndex(of: UInt8(ascii: "/"), from: offset) {
        if bytes.extracting(slash...).starts(with: "/status".utf8) { return true }
        offset = slash + 1
      }
      return false
    }
  }
}
