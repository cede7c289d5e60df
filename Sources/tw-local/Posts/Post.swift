import TweetCore

/// A stored post.
struct Post: Sendable {
  let id: Int
  let authorID: Int
  /// As written: links in full, nothing escaped. Empty for a retweet, which shows the text of the original.
  let text: String
  let createdAt: Timestamp
  /// A language tag, `und` where unknown.
  var language: String
  /// The program it was written with.
  let source: String
  let conversationID: Int
  var replyTo: Int?
  /// The author of the post it answers. Kept beside `replyTo`, since that post may be deleted.
  var replyToAuthor: Int?
  var quoteOf: Int?
  var retweetOf: Int?
  /// The name of its photo, as in `/media/NAME.png`.
  var photo: String?
  /// The ids of its uploaded pictures, or of its video, in order.
  var media: [Int] = []
  var counts = Counts()

  var hasMedia: Bool { photo != nil || !media.isEmpty }

  /// The link to it that a truncated text ends in.
  var link: String { OwnLink.link(to: "i/web/status/\(id)") }

  struct Counts: Sendable {
    var likes = 0
    var retweets = 0
    var replies = 0
    var quotes = 0
  }
}

/// A person, program or organisation that posts.
struct LocalAccount: Sendable {
  let id: Int
  let username: String
  let name: String
  let description: String
  let location: String
  /// Empty where there is none.
  let url: String
  let isVerified: Bool
  let createdAt: Timestamp
  /// Followers beside those whom the service knows, as the people of the demo have them.
  let followers: Int
  /// The same for whom it follows.
  let following: Int
  /// The id of its profile picture and the extension of that file; `nil` for one that is drawn.
  var picture: String?

  /// How many lists it seems to be on, for answers: the service counts no lists.
  var listed: Int { followers / 40 }
}

/// A list of accounts, read as a timeline.
struct AccountList: Sendable {
  let id: Int
  let ownerID: Int
  let name: String
  let description: String
  let createdAt: Timestamp
}

/// What an author decides about a new post.
struct Draft: Sendable {
  let author: Int
  var text = ""
  var replyTo: Int?
  var quoteOf: Int?
  var retweetOf: Int?
  var photo: String?
  /// The ids of uploaded pictures, in order.
  var media: [Int] = []
  var poll: Poll?
  var source = "tw-local"
  /// A language tag; `nil` to guess it.
  var language: String?
  /// Likes that it has from the start.
  var likes = 0

  struct Poll: Sendable {
    var options: [String]
    /// How long people may vote.
    var minutes: Int

    func end(of post: Post) -> Timestamp {
      Timestamp(milliseconds: post.createdAt.milliseconds + Int64(minutes) * 60_000)
    }
  }
}
