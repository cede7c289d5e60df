import Services
import TweetCore
import TweetNet
import TweetServices

extension PageRange {
  /// The range of a search for the posts of a gap. X takes no ids beside a time.
  init(_ range: BackfillRange) {
    self.init()
    size = range.size
    token = range.token
    if let id = range.sinceID {
      sinceID = id
      untilID = range.untilID
    } else {
      let oldest = Timestamp(milliseconds: Timestamp.now.milliseconds - Self.reach)
      since = range.since.map { max($0, oldest) } ?? oldest
    }
  }

  /// Recent search goes back seven days; a minute less, for the time until the service looks at its clock.
  private static let reach: Int64 = 7 * 86_400_000 - 60_000
}

extension BackfillPage {
  /// A page of X API v2's search: `{"data":[…],"includes":{…},"meta":{…}}`.
  init?(v2 response: HTTPResponse) {
    guard !response.truncated, let document = try? JSONDocument(response.body), document.isObject,
      let page = document.read({ BackfillPage(v2: $0) })
    else { return nil }
    self = page
  }

  private init?(v2 root: JSONValue) {
    guard root["data"] != nil || root["meta"] != nil else { return nil }
    var head = ByteBuffer()
    head.append("{\"data\":[")
    var tail = ByteBuffer()
    tail.append("]")
    for (key, value) in root.members where key.equals("includes") || key.equals("errors") {
      tail.key(key)
      tail.append(value.rawOnOneLine)
    }
    tail.append("}")
    guard let posts = Self.posts(root["data"]) else { return nil }
    self.init(
      posts, frame: (head.array, tail.array),
      nextToken: root["meta"]?["next_token"]?.nonEmptyString)
  }

  /// A page of X API v1.1's search: `{"statuses":[…],…}`. The next one begins below the oldest id.
  init?(v1 response: HTTPResponse) {
    guard !response.truncated, let document = try? JSONDocument(response.body), let list = document["statuses"],
      let posts = list.read({ Self.posts($0) })
    else { return nil }
    self.init(posts, frame: nil, nextToken: posts.reduce(nil) { PostID.older($0, $1.id) }?.inclusiveEnd)
  }
}

extension BackfillPage {
  /// - Returns: `nil` if this is not a list of posts: nobody could say how many were sent.
  fileprivate static func posts(_ list: JSONValue?) -> [Post]? {
    guard list?.isArray ?? true else { return nil }
    var posts: [Post] = []
    for element in list.map({ Array($0.elements) }) ?? [] {
      guard let post = Post(element) else { return nil }
      posts.append(post)
    }
    return posts
  }
}

extension BackfillPage.Post {
  /// A post of either API; `nil` without an id.
  init?(_ post: JSONValue) {
    guard let id = post["id_str"]?.looseInteger ?? post["id"]?.looseInteger else { return nil }
    self.init(id: .number(id), json: post.rawOnOneLine)
  }
}

extension JSONValue {
  fileprivate var rawOnOneLine: [UInt8] { onOneLine(raw) }
}
