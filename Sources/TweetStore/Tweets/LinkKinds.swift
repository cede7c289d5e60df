package import TweetCore

/// Copies the kinds of links that tw-linkcheck found from the media store to the tweet store: `list --links` needs an
/// index in the order of tweets.
package enum LinkKinds {
  /// How many links are copied in one transaction.
  private static let batch = 2000
  /// Links are stored some time after they were checked, and not in that order. So each copy begins this many
  /// milliseconds before the end of the last one.
  private static let overlap: Int64 = 3_600_000

  /// Copies the kinds found since the last copy.
  /// - Parameters:
  ///   - media: the path of the media store. If there is no such file, nothing is done.
  ///   - tweets: the path of the tweet store.
  ///   - note: gets a message when the media store is damaged.
  package static func copy(
    from media: String, to tweets: String, note: @escaping (String) -> Void
  ) throws(ToolError) {
    guard Database.exists(media), Database.exists(tweets) else { return }
    let links = try MediaStore(media, note: note)
    let store = try TweetStore(tweets, .readOnly)
    let known = try store.database.first("SELECT max(checked_at) FROM link_kinds") { $0.time(0) }

    var last = (time: known.map { Timestamp(milliseconds: $0.milliseconds - overlap).rfc3339 } ?? "", url: "")
    while true {
      let checked = try links.checkedLinks(after: last.time, last.url, limit: batch)
      var new: [CheckedLink] = []
      for link in checked where try !store.hasKind(of: link) { new.append(link) }
      if !new.isEmpty {
        let writer = try TweetStore(tweets, .readWrite)
        try writer.database.write { () throws(ToolError) in
          for link in new { try writer.setKind(of: link) }
        }
      }
      guard checked.count == batch, let end = checked.last else { return }
      last = (end.checkedAt, end.url)
    }
  }
}

/// The kind of thing behind a link, and when it was found.
struct CheckedLink {
  var url: String
  var kind: String
  var checkedAt: String
}

extension TweetStore {
  fileprivate func hasKind(of link: CheckedLink) throws(ToolError) -> Bool {
    try database.first("SELECT kind FROM link_kinds WHERE url = ?", .text(link.url)) { $0.text(0) } == link.kind
  }

  fileprivate func setKind(of link: CheckedLink) throws(ToolError) {
    try database.run(
      sql: RowSum.linkKinds.insert(["?1", "?2", "?3"], or: "OR REPLACE "), .text(link.url), .text(link.kind),
      .text(link.checkedAt))
    try database.run(
      "UPDATE tweet_urls SET kind = ?2 WHERE url = ?1 AND kind IS NOT ?2", .text(link.url), .text(link.kind))
  }
}
