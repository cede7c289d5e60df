import TweetCore
import TwitterText

/// What a `context` record says about the raw lines after it, as bytes to be copied into records.
struct FeedContext: Equatable, Sendable {
  /// The service, as the inside of a JSON string.
  private(set) var service = Array("x".utf8)
  /// The part of a post's link before its path, as the inside of a JSON string.
  private(set) var site = Array("https://x.com/".utf8)
  /// `,"feeds":["…"]`, or nothing.
  private(set) var feeds: [UInt8] = []
  /// `,"retrieved_at":"…"`, or nothing.
  private(set) var retrieved: [UInt8] = []

  /// `,"account":"…"`, the account that asked, or nothing.
  private(set) var account: [UInt8] = []

  /// The same account in lower case; empty if it is not known.
  private(set) var accountName = ""

  /// `,"viewer":{…}` of a post of the source, which the account has liked or bookmarked, or nothing.
  private(set) var viewer: [UInt8] = []

  /// Whether a record of the service that has no entities is known to have none.
  private(set) var hasKnownEntities = true

  /// Whether the lines are what a service shows to readers without an account. Of lines without a context nobody knows.
  private(set) var isAnonymous = false

  /// Whether a context of this input says where its lines are from. Then they are of no other service.
  var isGiven = false

  /// Whether ids are those of X or tw-local. Of the service of a plugin nobody knows the form.
  private(set) var hasNumericIDs = true

  /// Without a context lines are those of X.
  init() {}

  /// - Parameter record: a `context` record.
  init(_ record: JSONValue) {
    isGiven = true
    if let name = record["service"], name.isString {
      service = Array(name.rawString)
      hasNumericIDs = name.equals("x") || name.equals("local")
      hasKnownEntities = FoundEntities.areKnown(of: name.rawString)
    }
    let base = record["base"]?.string ?? ""
    if service != Array("x".utf8), !base.isEmpty {
      var text = ByteBuffer(capacity: base.utf8.count + 1)
      text.appendJSONString(base.hasSuffix("/") ? base : base + "/")
      site = Array(text.array.dropFirst().dropLast())
    }
    if let feed = record["feed"], feed.isString {
      feeds = Self.members { $0.array("feeds") { $0.element(feed) } }
    }
    isAnonymous = record["account"]?.nonEmptyString == nil
    if let name = record["account"], let text = name.nonEmptyString {
      account = Self.members { $0.member("account", name) }
      accountName = text.lowercased()
    }
    if let feed = record["feed"], feed.equals("likes") || feed.equals("bookmarks") {
      let mark: StaticString = feed.equals("likes") ? "liked" : "bookmarked"
      viewer = Self.members { text in
        text.object("viewer") { viewer in
          viewer.append(account)
          viewer.member(mark, true)
        }
      }
    }
    if let at = record["at"], at.isString {
      retrieved = Self.members { $0.member("retrieved_at", at) }
    }
  }

  /// Of what somebody's program kept of an account of Mastodon; `nil` when its server is not known.
  init?(archiveOf owner: JSONValue) {
    guard let host = owner["url"]?.string.flatMap(ByteBuffer.host) else { return nil }
    var text = ByteBuffer(capacity: host.utf8.count + 16)
    text.appendJSONString("mastodon:" + host)
    service = Array(text.array.dropFirst().dropLast())
    if let name = owner["username"] ?? owner["acct"], let text = name.nonEmptyString {
      account = Self.members { $0.member("account", name) }
      accountName = text.lowercased()
    }
  }

  /// The feed that the next posts are from; empty for none.
  mutating func setFeed(_ feed: String) {
    feeds = feed.isEmpty ? [] : Array(",\"feeds\":[\"\(feed)\"]".utf8)
  }

  /// Whether a name, as a service writes it, is that of the account that asked. The account's own may have a host.
  func isAccount(_ name: JSONValue) -> Bool {
    guard let name = name.nonEmptyString?.lowercased(), !accountName.isEmpty else { return false }
    return accountName == name || accountName.hasPrefix(name + "@")
  }

  /// The bytes of some members, each with a comma before it.
  private static func members(_ body: (inout ByteBuffer) -> Void) -> [UInt8] {
    var text = ByteBuffer(capacity: 256)
    body(&text)
    return text.array
  }
}

extension ByteBuffer {
  /// Appends `,"service":…,"url":…` of a post.
  /// - Parameters:
  ///   - id: the inside of a JSON string; so is `username`.
  ///   - username: the author's; the link works without it.
  mutating func appendServiceAndLink(
    _ context: FeedContext, id: ByteView, username: ByteView?
  ) {
    member("service", inside: context.service)
    string("url") { out in
      out.append(context.site)
      if let username, !username.isEmpty { out.append(knownInside: username) } else { out.append("i") }
      out.append("/status/")
      out.append(id)
    }
  }
}
