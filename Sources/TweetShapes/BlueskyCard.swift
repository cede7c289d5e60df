import TweetCore

/// What a post shows of something that is not a post: its address, and what its card says under v2's names.
struct BlueskyCard {
  let address: [UInt8]
  private let title: JSONValue?
  private let description: JSONValue?
  private let image: JSONValue?

  /// - Parameter external: the card of a link: `uri`, `title`, `description`, `thumb`.
  init(external: JSONValue) {
    address = Array(external["uri"]?.rawString ?? .empty)
    (title, description, image) = (external["title"], external["description"], external["thumb"])
  }

  /// The result is `nil` for a record that has no page, is gone, or is not to be shown.
  /// - Parameter record: a view of a feed, a list, a starter pack or a labeler; or only its address.
  init?(record: JSONValue) {
    guard let address = BlueskyAddress(record["uri"]), let page = address.page, record["notFound"]?.bool != true,
      record["blocked"]?.bool != true, record["detached"]?.bool != true,
      !BlueskyMarks(record, author: record["creator"], record: nil).hides(toAnonymous: false)
    else { return nil }
    self.address = page
    // A labeler has the name of its account, a starter pack that of its record.
    let owner = record["creator"]
    title =
      record["displayName"] ?? record["name"] ?? record["record"]?["name"] ?? owner?["displayName"] ?? owner?["handle"]
    description = record["description"] ?? record["record"]?["description"]
    image = record["avatar"]
  }

  /// Appends the members of the card.
  func append(to out: inout ByteBuffer) {
    out.member("title", title)
    out.member("description", description)
    if let image, image.isString, !image.isBlank { out.array("images") { $0.element { $0.member("url", image) } } }
  }
}

extension BlueskyAddress {
  /// The page of the record at bsky.app; `nil` for records that have none there. The inside of a JSON string.
  var page: [UInt8]? {
    let profile = "https://bsky.app/profile/" + String(decoding: did, as: UTF8.self)
    let key = String(decoding: key, as: UTF8.self)
    switch String(decoding: collection, as: UTF8.self) {
    case "app.bsky.feed.generator": return Array("\(profile)/feed/\(key)".utf8)
    case "app.bsky.graph.list": return Array("\(profile)/lists/\(key)".utf8)
    case "app.bsky.graph.starterpack":
      return Array("https://bsky.app/starter-pack/\(String(decoding: did, as: UTF8.self))/\(key)".utf8)
    case "app.bsky.labeler.service": return Array(profile.utf8)
    default: return nil
    }
  }
}
