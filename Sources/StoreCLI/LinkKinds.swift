import MediaStore
import TweetCLI
package import TweetCore
package import TweetStore

/// The kinds of links that tw-linkcheck found. Writers copy them from the media store to the tweet store, where an
/// index is in the order of tweets; readers look at those that are not copied yet.
package enum LinkKinds {
  /// How many links are copied in one transaction.
  private static let batch = 2000
  /// Links are stored some time after they were checked, and not in that order. So each copy begins this many
  /// milliseconds before the end of the last one.
  private static let overlap: Int64 = 3_600_000

  /// Copies the kinds found since the last copy.
  /// - Parameters:
  ///   - media: the path of the media store. If there is no such file, nothing is done.
  ///   - tweets: the path of the tweet store, which is there.
  ///   - note: gets a message when the media store is damaged.
  static func copy(
    from media: String, to tweets: String, note: @escaping (String) -> Void
  ) throws(ToolError) {
    guard MediaStore.exists(media) else { return }
    let store = try TweetStore(tweets, .readWrite, showsIncoming: false)
    try forEachBatch(from: media, in: store, note) { (new) throws(ToolError) in try store.store(kindsOf: new) }
  }

  /// The links whose kinds are not copied yet.
  static func unstored(
    from media: String, in tweets: borrowing TweetStore, note: @escaping (String) -> Void
  ) throws(ToolError) -> [CheckedLink] {
    var links: [CheckedLink] = []
    try forEachBatch(from: media, in: tweets, note) { links += $0 }
    return links
  }

  private static func forEachBatch(
    from media: String, in store: borrowing TweetStore, _ note: @escaping (String) -> Void,
    _ body: ([CheckedLink]) throws(ToolError) -> Void
  ) throws(ToolError) {
    guard MediaStore.exists(media) else { return }
    let links = try MediaStore(media, note: note)
    let known = try store.lastCheckOfKinds
    var last = (time: known.map { Timestamp(milliseconds: $0.milliseconds - overlap).rfc3339 } ?? "", url: "")
    while true {
      let checked = try links.kinds(after: last.time, last.url, limit: batch)
      var new: [CheckedLink] = []
      for found in checked {
        let link = CheckedLink(url: found.url, kind: found.kind, checkedAt: found.checkedAt)
        if try !store.hasKind(of: link) { new.append(link) }
      }
      if !new.isEmpty { try body(new) }
      guard checked.count == batch, let end = checked.last else { return }
      last = (end.checkedAt, end.url)
    }
  }

  /// Copies what tw-linkcheck has found to a store that was just written. Without it lists find the same, and take
  /// longer.
  package static func copyIfPossible(to path: String) {
    do throws(ToolError) {
      try copy(from: Paths.mediaStore(besides: path), to: path, note: Diagnostics.warn)
    } catch {
      Diagnostics.note("the kinds of links are not copied: \(error.message ?? "")")
    }
  }
}

extension TweetQuery {
  /// Finds what its parts say of links: the kinds that the store does not have yet, and the hosts that links ended at
  /// when tw-linkcheck checked them.
  /// - Parameter note: gets a message when the media store is damaged.
  package mutating func resolveLinks(
    in store: borrowing TweetStore, note: @escaping (String) -> Void
  ) throws(ToolError) {
    let media = Paths.mediaStore(besides: store.path)
    if needsLinkKinds { addKinds(try LinkKinds.unstored(from: media, in: store, note: note)) }
    guard MediaStore.exists(media) else { return }
    try resolveHosts { (host) throws(ToolError) in
      try MediaStore(media, note: note).links { host.has($0) }
    }
  }
}
