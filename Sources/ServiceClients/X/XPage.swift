package import Services
import TweetCore
package import TweetNet
package import TweetServices

extension FeedPage {
  /// Reads a page of the X API v2: an object with `data` and `meta`.
  ///
  /// - Parameters:
  ///   - answer: a 2xx answer.
  ///   - range: posts outside its ids are removed.
  ///   - known: posts that are removed, because the page before had them.
  ///   - limit: the most posts of the page; `nil` keeps all.
  ///   - isOrdered: whether pages are in the order of ids.
  /// - Returns: `nil` when the answer is not a page.
  package init?(
    v2 answer: HTTPResponse, _ range: PageRange = PageRange(), known: Set<PostID> = [], limit: Int? = nil,
    isOrdered: Bool = true
  ) {
    guard let page = answer.document?.read({ FeedPage(v2: $0, range, known: known, limit: limit, isOrdered) }) else {
      return nil
    }
    self = page
  }

  private init?(v2 root: JSONValue, _ range: PageRange, known: Set<PostID>, limit: Int?, _ isOrdered: Bool) {
    let meta = root["meta"]
    let id: (JSONValue) -> String? = { $0["id"]?.nonEmptyString }
    guard root.isObject,
      let posts = PagePosts(root["data"], range, known: known, limit: limit, isOrdered: isOrdered, id: id)
    else { return nil }
    self.init(posts, nextToken: meta?["next_token"]?.nonEmptyString)
    if root["data"] == nil, meta == nil {
      guard let error = ServiceProblem(message: root) else { return nil }
      problem = error.toolError
    }
    guard count > 0 || root["errors"] != nil else { return }
    var edits = RecordEdits()
    if count < sent { edits.set("data", in: root, to: posts.array) }
    var buffer = ByteBuffer()
    edits.apply(to: root, into: &buffer)
    lines = [Line(bytes: buffer.withBytes { $0.onOneLine }, posts: count)]
  }

  /// Reads a page of the X API v1.1: an array of posts, or an object whose `statuses` are one. Each post becomes a
  /// line, as on a v1.1 stream; what a search says beside its posts is left out.
  package init?(
    v1 answer: HTTPResponse, _ range: PageRange = PageRange(), known: Set<PostID> = [], limit: Int? = nil
  ) {
    guard let page = answer.document?.read({ FeedPage(v1: $0, range, known: known, limit: limit) }) else { return nil }
    self = page
  }

  private init?(v1 root: JSONValue, _ range: PageRange, known: Set<PostID>, limit: Int?) {
    let list = root.isArray ? root : root["statuses"]
    if list == nil {
      guard let problem = ServiceProblem(message: root) else { return nil }
      self.init(PagePosts(), nextToken: nil)
      self.problem = problem.toolError
      return
    }
    guard let posts = PagePosts(list, range, known: known, limit: limit, id: { $0.v1ID }) else { return nil }
    // `max_id` is inclusive. Timelines remove posts after counting, so only an empty page is the last; a search says
    // whether more follows.
    let isLast = root.isObject && root["search_metadata"]?["next_results"] == nil
    let next = isLast ? nil : posts.oldestID?.inclusiveEnd
    self.init(posts, nextToken: next)
    lines = posts.shown.map { Line(bytes: $0.line) }
  }

  init(_ posts: PagePosts, nextToken: String?) {
    self.init(
      count: posts.shown.count, kept: posts.kept, sentIDs: posts.sentIDs, newestID: posts.newestID,
      oldestID: posts.oldestID, nextToken: nextToken)
  }
}

extension GapPage {
  /// A page of X API v2's search: `{"data":[…],"includes":{…},"meta":{…}}`.
  init?(v2 answer: HTTPResponse) {
    guard let page = answer.document?.read({ GapPage(v2: $0) }) else { return nil }
    self = page
  }

  private init?(v2 root: JSONValue) {
    guard root.isObject, root["data"] != nil || root["meta"] != nil, let posts = Self.posts(root["data"]) else {
      return nil
    }
    var head = ByteBuffer()
    head.append("{\"data\":[")
    var tail = ByteBuffer()
    tail.append("]")
    for (key, value) in root.members where key.equals("includes") || key.equals("errors") {
      tail.key(key)
      tail.append(value.line)
    }
    tail.append("}")
    self.init(posts, frame: (head.array, tail.array), nextToken: root["meta"]?["next_token"]?.nonEmptyString)
  }

  /// A page of X API v1.1's search: `{"statuses":[…],…}`. The next one begins below the oldest id.
  init?(v1 answer: HTTPResponse) {
    guard let posts = answer.document?["statuses"]?.read({ Self.posts($0) }) else { return nil }
    self.init(posts, nextToken: posts.reduce(nil) { PostID.older($0, $1.id) }?.inclusiveEnd)
  }

  private static func posts(_ list: JSONValue?) -> [Post]? {
    let id: (JSONValue) -> String? = { ($0["id_str"]?.looseInteger ?? $0["id"]?.looseInteger).map { String($0) } }
    guard let posts = PagePosts(list, PageRange(), limit: nil, id: id) else { return nil }
    return zip(posts.sentIDs, posts.shown).map { Post(id: $0, json: $1.line) }
  }
}

/// Which posts of a page are shown.
struct PagePosts {
  /// Those shown, in the service's order.
  let shown: [JSONValue]
  /// How many lie in the range asked for.
  let kept: Int
  /// The ids of all posts.
  let sentIDs: [PostID]
  let newestID: PostID?
  let oldestID: PostID?

  /// No posts.
  init() { (shown, kept, sentIDs, newestID, oldestID) = ([], 0, [], nil, nil) }

  /// - Parameters:
  ///   - list: the array of the posts; `nil` for a page without posts.
  ///   - range: posts outside its ids are not shown, and neither are those that are `known`.
  ///   - limit: the most posts that are shown; `nil` shows all.
  ///   - id: the id of a post; `nil` for a value that is not a post.
  /// - Returns: `nil` if this is not a list of posts: nobody could say how many were sent, or where the next page
  ///   begins.
  init?(
    _ list: JSONValue?, _ range: PageRange, known knownIDs: Set<PostID> = [], limit: Int?, isOrdered: Bool = true,
    id: (JSONValue) -> String?
  ) {
    guard list?.isArray ?? true else { return nil }
    var known: [(post: JSONValue, id: PostID)] = []
    for post in list.map({ Array($0.elements) }) ?? [] {
      guard let id = id(post) else { return nil }
      known.append((post, isOrdered ? PostID(id) : .text(id, order: nil)))
    }
    let inRange =
      isOrdered
      ? known.filter { post in
        range.sinceID?.isOlder(than: post.id) ?? true && range.untilID.map { post.id.isOlder(than: $0) } ?? true
      } : Array(known.prefix { $0.id != range.sinceID })
    let inside = inRange.filter { !knownIDs.contains($0.id) }
    let cut = limit.map { inside.prefix($0) } ?? inside[...]
    shown = cut.map(\.post)
    kept = inside.count
    sentIDs = known.map(\.id)
    // If the limit cut the page, the next request goes on below what is shown; else below the page's oldest post.
    let seen = cut.count < inside.count ? cut : known[...]
    // Without an order the first one is the latest.
    newestID = isOrdered ? inside.reduce(nil) { PostID.newer($0, $1.id) } : inside.first?.id
    oldestID = seen.reduce(nil) { PostID.older($0, $1.id) }
  }

  /// The posts shown as a JSON array.
  var array: [UInt8] {
    var buffer = ByteBuffer()
    buffer.append("[")
    for (index, post) in shown.enumerated() {
      if index > 0 { buffer.append(",") }
      buffer.append(post.raw)
    }
    buffer.append("]")
    return buffer.array
  }
}

extension JSONValue {
  /// The id of a v1.1 post. The number is exact here, though not in JavaScript.
  var v1ID: String? { self["id_str"]?.nonEmptyString ?? self["id"]?.integer.map { String($0) } }
}

/// X's ids are numbers that tell the time.
extension PostID {
  /// The oldest id that a post of that time can have; `nil` for a time that no id contains.
  static func first(at time: Timestamp) -> PostID? {
    Snowflake.tells(of: time) ? .number(Snowflake.first(at: time)) : nil
  }

  /// The newest id that a post from before that time can have; `nil` for a time that no id contains.
  static func last(before time: Timestamp) -> PostID? {
    Snowflake.tells(of: time) ? .number(max(0, Snowflake.first(at: time) - 1)) : nil
  }

  /// What v1.1's `max_id` is for the posts before this one: it is inclusive.
  var inclusiveEnd: String? {
    guard case .number(let number) = self else { return nil }
    return String(max(0, number - 1))
  }
}
