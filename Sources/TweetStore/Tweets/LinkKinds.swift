package import TweetCore

/// Takes what tw-linkcheck found behind links from the store of pictures and links over to the tweets: lists by it need an
/// index in the order of tweets, which another file cannot have.
package enum LinkKinds {
  /// How many links a transaction takes over.
  private static let batch = 2000
  /// Milliseconds that are looked at again.
  private static let overlap: Int64 = 3_600_000

  /// Takes over what was found since the last time.
  /// - Parameters:
  ///   - media: the store of pictures and links; nothing is done when there is none.
  ///   - tweets: the store of tweets.
  package static func take(from media: String, to tweets: String) throws(ToolError) {
    guard Database.exists(media), Database.exists(tweets) else { return }
    let links = try MediaStore(media)
    let store = try TweetStore(tweets, .readOnly)
    let known = try store.database.first("SELECT max(checked_at) FROM link_kinds") { $0.time(0) }
    // Links are stored a while after they were checked, and not in that order.
    var last = (time: known.map { Timestamp(milliseconds: $0.milliseconds - overlap).rfc3339 } ?? "", url: "")
    while true {
      let kinds = try links.kinds(behind: last.time, last.url, most: batch)
      var news: [CheckedKind] = []
      for link in kinds where try !store.knows(link) { news.append(link) }
      if !news.isEmpty {
        let writer = try TweetStore(tweets, .readWrite)
        try writer.database.write { () throws(ToolError) in
          for link in news { try writer.note(link) }
        }
      }
      guard kinds.count == batch, let end = kinds.last else { return }
      last = (end.checkedAt, end.url)
    }
  }
}

/// What kind of thing is behind a link.
struct CheckedKind {
  var url: String
  var kind: String
  var checkedAt: String
}

extension TweetStore {
  fileprivate func knows(_ link: CheckedKind) throws(ToolError) -> Bool {
    try database.first("SELECT kind FROM link_kinds WHERE url = ?", .text(link.url)) { $0.text(0) } == link.kind
  }

  fileprivate func note(_ link: CheckedKind) throws(ToolError) {
    try database.run(
      "INSERT OR REPLACE INTO link_kinds (url, kind, checked_at) VALUES (?, ?, ?)", .text(link.url), .text(link.kind),
      .text(link.checkedAt))
    try database.run(
      "UPDATE tweet_urls SET kind = ?2 WHERE url = ?1 AND kind IS NOT ?2", .text(link.url), .text(link.kind))
  }
}
