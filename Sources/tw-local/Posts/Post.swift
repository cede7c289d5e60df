import TweetCore

/// A post as it is stored.
struct Post: Sendable {
  var id: Int
  var authorID: Int
  /// As written: links in full, nothing escaped; empty for a retweet, whose text is the original's.
  var text: String
  var createdAt: Timestamp
  /// A language tag, `und` where unknown.
  var language: String
  /// The program it was written with.
  var source: String
  var conversationID: Int
  var replyTo: Int?
  /// Whom it answers. Kept apart from `replyTo`, since that post may be gone.
  var replyToAuthor: Int?
  var quoteOf: Int?
  var retweetOf: Int?
  /// The photo's name, as in `/media/NAME.jpg`.
  var picture: String?
  var counts = Counts()

  /// The link that stands for the rest of a cut text.
  var selfLink: String { OwnLink.to("i/web/status/\(id)") }

  struct Counts: Sendable {
    var likes = 0
    var retweets = 0
    var replies = 0
    var quotes = 0
  }
}

/// A person, program or organisation that posts.
struct Account: Sendable {
  var id: Int
  var username: String
  var name: String
  var description: String
  var location: String
  /// Empty when there is none.
  var url: String
  var isVerified: Bool
  var createdAt: Timestamp
  /// How its profile picture is sent: `png` or `jpg`.
  var pictureFormat: String
  var followers: Int
  var following: Int
}
