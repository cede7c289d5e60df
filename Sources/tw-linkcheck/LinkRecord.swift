import TweetCore
import TweetStore

/// The links of records, and the keys that a check adds to them.
struct LinkRecord {
  /// Whether the `chain` key is written.
  let showsChain: Bool

  /// The objects of a record that are a link: those of a tweet and of the tweet that it retweets, or a `link` record
  /// itself.
  static func links(in record: JSONValue) -> [(object: JSONValue, url: String)] {
    if record["tw"]?.equals("link") == true {
      return url(in: record).map { [(record, $0)] } ?? []
    }
    guard record["tw"]?.equals("tweet") == true else { return [] }
    var links = links(ofTweet: record)
    if let references = record["referenced_tweets"] {
      for reference in references.elements where reference["type"]?.equals("retweeted") == true {
        links += Self.links(ofTweet: reference)
      }
    }
    return links
  }

  private static func links(ofTweet tweet: JSONValue) -> [(object: JSONValue, url: String)] {
    guard let urls = tweet["entities"]?["urls"] else { return [] }
    return urls.elements.compactMap { object in url(in: object).map { (object, $0) } }
  }

  /// The service's own expansion is preferred: it saves a request to the service's shortener.
  private static func url(in object: JSONValue) -> String? {
    object["expanded_url"]?.nonEmptyString ?? object["url"]?.nonEmptyString
  }

  /// The key of a URL's look-up.
  static func key(of url: String) -> String { LinkAddress.withoutFragment(LinkAddress.withoutCredentials(url)) }

  /// Appends the record with the keys that `results`, by key, give to its links. All else keeps its bytes.
  func append(_ record: JSONValue, _ results: [String: LinkResult], to buffer: inout ByteBuffer) {
    var edits = RecordEdits()
    for (object, url) in Self.links(in: record) {
      guard let result = results[Self.key(of: url)] else { continue }
      let fields = fields(of: result, url: url)
      for field in fields {
        if let json = field.json { edits.set(field.key, in: object, to: json) }
      }
      // An earlier check wrote it, and this one did not find it. The link itself stays, so no object becomes empty.
      edits.remove(from: object) { name in fields.contains { $0.json == nil && $0.isOurs && name.equals($0.key) } }
    }
    edits.apply(to: record, into: &buffer)
  }

  private struct Field {
    let key: StaticString
    /// `nil` when there is no such key.
    let json: [UInt8]?
    /// Whether only link checks write this key. X writes `title` too.
    var isOurs = true
  }

  /// In the order that tweet(5) gives.
  private func fields(of result: LinkResult, url: String) -> [Field] {
    let unwound = LinkAddress.inheritingFragment(result.unwoundURL, from: url)
    let finding = LinkKind.find(result)
    let canonical = CanonicalURL.make(unwound)
    return [
      Field(key: "unwound_url", json: Self.string(unwound)),
      Field(key: "status", json: result.status.map { Array(String($0).utf8) }),
      Field(key: "content_type", json: result.contentType.map(Self.string)),
      Field(key: "title", json: result.title.map(Self.string), isOurs: false),
      Field(key: "verdict", json: Self.string(result.verdict.rawValue)),
      Field(key: "link_kind", json: finding.map { Self.string($0.kind.rawValue) }),
      Field(key: "link_kind_by", json: finding.map { Self.string($0.evidence.rawValue) }),
      Field(key: "music_id", json: Self.musicID(of: result, finding).map(Self.string)),
      Field(key: "canonical_url", json: canonical == unwound ? nil : canonical.map(Self.string)),
      Field(key: "redirects", json: Array(String(result.redirects).utf8)),
      Field(key: "chain", json: showsChain ? LinkChain.encode(result.chain) : nil),
      Field(key: "checked_at", json: Self.string(result.checkedAt.rfc3339)),
      Field(key: "error", json: result.error.map(Self.string)),
    ]
  }

  /// The identifier of the music that the link leads to, from the URL where it ended, else from that where it began.
  static func musicID(of result: LinkResult, _ finding: LinkKind.Finding?) -> String? {
    guard let finding, [.music, .audio, .playlist].contains(finding.kind) else { return nil }
    return MusicServices.identifier(of: result.unwoundURL) ?? MusicServices.identifier(of: result.url)
  }

  private static func string(_ text: String) -> [UInt8] {
    var buffer = ByteBuffer(capacity: text.utf8.count + 2)
    buffer.appendJSONString(text)
    return buffer.array
  }
}

/// The chain of a check as JSON: `[{"url":"…","status":301},…]`, in records and in the store.
enum LinkChain {
  static func encode(_ chain: [LinkHop]) -> [UInt8] {
    var buffer = ByteBuffer(capacity: 256)
    buffer.append("[")
    for (index, hop) in chain.enumerated() {
      buffer.append(index == 0 ? "{\"url\":" : ",{\"url\":")
      buffer.appendJSONString(hop.url)
      buffer.append(",\"status\":")
      buffer.append(decimal: hop.status)
      buffer.append("}")
    }
    buffer.append("]")
    return buffer.array
  }

  /// - Returns: `nil` for what `encode` did not make.
  static func decode(_ text: String) -> [LinkHop]? {
    guard let document = try? JSONDocument(text) else { return nil }
    var chain: [LinkHop] = []
    for element in document.root.elements {
      guard let url = element["url"]?.string, let status = element["status"]?.integer else { return nil }
      chain.append(LinkHop(url: url, status: status))
    }
    return chain
  }
}
