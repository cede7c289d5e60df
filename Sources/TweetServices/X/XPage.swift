import TweetCore
package import TweetNet

/// A page of posts as the service sent it, and what paging needs to know of it.
package struct XPage {
  /// The answer's bytes as one line, cut to the posts asked for.
  package let line: [UInt8]
  /// Posts on the line.
  package let count: Int
  /// The newest and the oldest post of the whole page, by id.
  package let newestID: String?
  package let oldestID: String?
  /// Asks for the next (older) page; `nil` on the last. An empty page may have one.
  package let nextToken: String?
  /// What a 200 answer without posts complains of: the account is gone, protected, suspended.
  package let problem: ServiceProblem?

  /// - Parameters:
  ///   - response: a 2xx answer.
  ///   - limit: posts beyond so many are taken off; `nil` keeps all.
  /// - Returns: `nil` when the answer is no page.
  package init?(_ response: HTTPResponse, limit: Int? = nil) {
    guard !response.truncated, let document = try? JSONDocument(response.body), document.root.isObject else {
      return nil
    }
    let root = document.root
    let meta = root["meta"]
    // The post with the largest id is the newest: ids grow with time, and comparing lengths first compares numbers.
    let ids = root.list("data").compactMap { $0["id"]?.string }.sorted { ($0.count, $0) < ($1.count, $1) }
    newestID = meta?["newest_id"]?.nonEmptyString ?? ids.last
    oldestID = meta?["oldest_id"]?.nonEmptyString ?? ids.first
    nextToken = meta?["next_token"]?.nonEmptyString
    problem = root["data"] == nil && meta == nil ? ServiceProblem(message: root) : nil
    count = min(ids.count, limit ?? .max)
    line = Self.line(root, keeping: count < ids.count ? count : nil)
  }

  private static func line(_ root: JSONValue, keeping limit: Int?) -> [UInt8] {
    var edits = RecordEdits()
    if let limit, let data = root["data"] {
      var kept = ByteBuffer()
      kept.append("[")
      for (index, post) in data.elements.prefix(limit).enumerated() {
        if index > 0 { kept.append(",") }
        kept.append(post.raw)
      }
      kept.append("]")
      edits.set("data", in: root, to: kept.array)
    }
    var buffer = ByteBuffer()
    edits.apply(to: root, into: &buffer)
    // JSON has raw newlines only between its parts.
    return buffer.array.map { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") ? UInt8(ascii: " ") : $0 }
  }

  /// The id in the answer to a look-up of one account.
  ///
  /// - Returns: the id, or what the service says instead.
  package static func userID(_ response: HTTPResponse) -> Result<String, ServiceProblem> {
    if let document = try? JSONDocument(response.body), let id = document.root["data"]?["id"]?.nonEmptyString {
      return .success(id)
    }
    return .failure(ServiceProblem(response))
  }
}
