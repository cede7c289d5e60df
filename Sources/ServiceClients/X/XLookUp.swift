import TweetCore
package import TweetNet
package import TweetServices

/// Looks posts up in the X API, v2 or v1.1.
package struct XLookUp: LookUpSource {
  private let requests: XRequests
  private let version: ServiceAPIVersion

  package init(_ requests: XRequests, _ version: ServiceAPIVersion) {
    self.requests = requests
    self.version = version
  }

  package var batch: Int { 100 }

  package var endpoint: String { version == .v2 ? "tweets" : "statuses/lookup" }

  package func request(_ ids: [String]) -> HTTPRequest {
    switch version {
    case .v2: requests.posts(ids: ids)
    case .v1: requests.v1("statuses/lookup", [("id", ids.joined(separator: ","))])
    }
  }

  package func refusal(_ answer: HTTPResponse) -> Refusal { Refusal(answer) }

  package func read(_ answer: HTTPResponse, _ ids: [String]) -> LookUpAnswer? {
    switch version {
    case .v2: LookUpAnswer(v2: answer, ids)
    case .v1: LookUpAnswer(v1: answer, ids)
    }
  }
}

extension LookUpAnswer {
  /// Errors about posts that were asked for become `deleted` and `hidden` and are removed from the line; others, such
  /// as those about quoted posts, stay.
  fileprivate init?(v2 answer: HTTPResponse, _ ids: [String]) {
    guard let found = answer.document?.read({ LookUpAnswer(v2: $0, ids) }) else { return nil }
    self = found
  }

  private init?(v2 root: JSONValue, _ ids: [String]) {
    guard root.isObject, root["data"] != nil || root["errors"] != nil else { return nil }
    let id: (JSONValue) -> String? = { $0["id"]?.nonEmptyString }
    guard let posts = PagePosts(root["data"], PageRange(), limit: nil, id: id) else { return nil }
    self.init(FeedPage(posts, nextToken: nil))
    var others = ByteBuffer()
    for error in root.list("errors") {
      if let id = Self.id(of: error), ids.contains(id) {
        if error["type"]?.string?.hasSuffix("/resource-not-found") == true {
          deleted.append(id)
        } else {
          let reason = error["detail"]?.nonEmptyString ?? error["title"]?.nonEmptyString ?? "no reason given"
          hidden.append((id, reason))
        }
      } else {
        others.append(others.count == 0 ? "[" : ",")
        others.append(error.raw)
      }
    }
    let answered = Set(posts.shown.compactMap { $0["id"]?.nonEmptyString } + deleted + hidden.map(\.id))
    for id in ids where !answered.contains(id) { hidden.append((id, "the service's answer leaves it out")) }
    guard page.count > 0 || others.count > 0 else { return }
    var edits = RecordEdits()
    if others.count > 0 {
      others.append("]")
      edits.set("errors", in: root, to: others.array)
    } else if root["errors"] != nil {
      edits.remove(from: root) { $0.equals("errors") }
    }
    var buffer = ByteBuffer()
    edits.apply(to: root, into: &buffer)
    page.lines = [FeedPage.Line(bytes: buffer.withBytes { $0.onOneLine }, posts: page.count)]
  }

  /// The post that an error of the parameter `ids` is about.
  private static func id(of error: JSONValue) -> String? {
    guard error["parameter"]?.equals("ids") ?? true else { return nil }
    return error["resource_id"]?.nonEmptyString ?? error["value"]?.nonEmptyString
  }

  /// v1.1 leaves out posts that it does not show, and does not say why.
  fileprivate init?(v1 answer: HTTPResponse, _ ids: [String]) {
    guard let page = FeedPage(v1: answer) else { return nil }
    guard let document = try? JSONDocument(answer.body), document.isArray else { return nil }
    self.init(page)
    self.page.nextToken = nil
    let found = Set(document.elements.compactMap { $0.v1ID })
    hidden = ids.filter { !found.contains($0) }.map { ($0, "it is gone, or not shown to this account") }
  }
}
