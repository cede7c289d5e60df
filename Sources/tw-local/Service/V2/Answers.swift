import TweetCore

/// What answers of v2 are made of.
extension Service {
  func view(_ selection: Selection) -> PostView { PostView(reader: reader, selection: selection) }

  /// `data`, `includes` and `errors`, each only where there is something in it.
  /// - Parameters:
  ///   - asList: whether `data` is an array.
  ///   - includes: what ``PostView/includes(for:)`` returned.
  ///   - missing: errors about what was not found.
  func members(
    _ objects: [JSON], asList: Bool, includes: JSON.Members = [], missing: [JSON] = []
  ) -> JSON.Members {
    var members: JSON.Members = []
    if asList {
      if !objects.isEmpty { members.append(("data", .array(objects))) }
    } else if let object = objects.first {
      members.append(("data", object))
    }
    var errors = missing
    for member in includes {
      if member.key == "errors", case .array(let more) = member.value { errors += more } else { members.append(member) }
    }
    if !errors.isEmpty { members.append(("errors", .array(errors))) }
    return members
  }

  /// A page of posts.
  /// - Parameters:
  ///   - posts: newest first, one more than `count` where there are more.
  ///   - byLikes: whether the posts of the page are ordered by their likes.
  func page(
    _ posts: [Post], count: Int, _ selection: Selection, byLikes: Bool = false
  ) throws -> ServerResponse {
    let shown = Array(posts.prefix(count))
    var meta: JSON.Members = []
    if let newest = shown.first, let oldest = shown.last {
      meta += [("newest_id", .id(newest.id)), ("oldest_id", .id(oldest.id))]
    }
    meta += pageMeta(shownIDs: shown.map(\.id), hasMore: posts.count > count)
    let view = view(selection)
    let includes = try view.includes(for: shown)
    let ordered = byLikes ? shown.sorted { ($0.counts.likes, $0.id) > ($1.counts.likes, $1.id) } : shown
    let members = members(try ordered.map(view.object), asList: true, includes: includes)
    return ServerResponse(json: .object(members + [("meta", .object(meta))]))
  }

  /// `result_count`, and `next_token` where there are more.
  func pageMeta(shownIDs: [Int], hasMore: Bool = false) -> JSON.Members {
    var meta: JSON.Members = [("result_count", .number(shownIDs.count))]
    if hasMore, let last = shownIDs.last { meta.append(("next_token", .string(PageToken.token(after: last)))) }
    return meta
  }

  /// An answer that only says that something does not exist; as on X, with status 200.
  func notFound(_ kind: String, id: Int) -> ServerResponse {
    ServerResponse(json: ["errors": [Problem.notFound(kind, parameter: "id", value: String(id))]])
  }
}
