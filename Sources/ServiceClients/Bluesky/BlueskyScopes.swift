import Services
import TweetCore

/// What the kit asks an account for (AT Protocol, "Permissions"): no more than it uses. `transition:generic` would be
/// all that an app password may do, and is to go.
enum BlueskyScopes {
  /// What the account's server asks Bluesky for the account. Each method of `app.bsky` that a request has must be here.
  private static let methods = [
    "app.bsky.actor.getProfile", "app.bsky.actor.getProfiles", "app.bsky.bookmark.createBookmark",
    "app.bsky.bookmark.deleteBookmark", "app.bsky.bookmark.getBookmarks", "app.bsky.feed.getActorLikes",
    "app.bsky.feed.getAuthorFeed", "app.bsky.feed.getFeed", "app.bsky.feed.getListFeed", "app.bsky.feed.getPostThread",
    "app.bsky.feed.getPosts", "app.bsky.feed.getTimeline", "app.bsky.feed.searchPosts",
    "app.bsky.feed.searchPostsV2", "app.bsky.graph.getFollowers", "app.bsky.graph.getFollows",
    "app.bsky.graph.getLists",
    "app.bsky.notification.listNotifications",
  ]

  /// The records that it puts and deletes, which needs all three actions.
  private static let collections = [
    RecordAddress.post, RecordAddress.like, RecordAddress.repost, RecordAddress.follow, BlueskyGates.threadGate,
    BlueskyGates.postGate,
  ]

  static var all: [String] {
    [
      "atproto", "repo?" + form("collection", collections),
      "rpc?" + form("lxm", methods) + "&aud=\(BlueskyRequests.appView.replacing("#", with: "%23"))",
      "blob?accept=image/*&accept=video/*",
    ]
  }

  private static func form(_ name: String, _ values: [String]) -> String {
    values.map { "\(name)=\($0)" }.joined(separator: "&")
  }
}
