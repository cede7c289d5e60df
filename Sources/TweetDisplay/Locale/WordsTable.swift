/// The kit's own words that stand in rows. `{0}` stands for a number, a name or a time.
package enum Phrase: CaseIterable, Sendable {
  /// Who has retweeted a tweet.
  case retweeted
  /// After the names of those who have retweeted a tweet: how many more have.
  case moreRetweeters
  /// Whom a tweet answers.
  case replyingTo
  /// A tweet that answers one of which nothing is known.
  case reply
  /// What has changed about a tweet.
  case update
  /// What was deleted.
  case deleted
  case photo, video, gif, audio
  /// Something else than these that a tweet has besides its text.
  case medium
  /// How many have voted.
  case votes
  /// After the number of votes: nobody can vote any more.
  case closed
  /// After the number of votes: until when people can vote.
  case closes
  /// Marks of a tweet or its author.
  case verified, edited, protected, isDeleted, sensitive
  /// In which countries a tweet is not shown; without countries; and because of a copyright.
  case withheldIn, withheld, copyright
  case followers, following, tweets
  /// All counts of a tweet, and the ids of its versions.
  case replies, retweets, quotes, likes, bookmarks, views, versions
  /// Since when there is a profile, or a state of the connection.
  case since
  /// The state of the connection.
  case live, polling, waiting, down
  /// How many tweets are new.
  case new
  /// After how many are new: when they came.
  case atTime
  /// How long it is until the next poll round.
  case nextIn
  /// When the next poll round is.
  case nextAt
  /// The same of the next try after a failure.
  case nextTryIn, nextTryAt
  /// Who may see a tweet: the author's followers; others whom the author chose.
  case followersOnly, isPrivate
  /// Of a picture that is not there.
  case notFetched
  /// How many rows of a text are left out.
  case moreRows
  /// What a link leads to.
  case music
  /// What tw-linkcheck found out about a link.
  case linkDead, linkBlocked, linkLimited, linkError, linkUnknown
  /// What leads to the other tweets of a thread, and to a tweet's own place.
  case thread, permalink
  /// The tweets that were posted last, and those whose time is not known.
  case newest, undated
  /// The tweets that neither answer nor repeat another one, and those with pictures and videos.
  case withoutReplies, media
  /// The field in which words are searched, and that no tweet has them.
  case search, nothingFound
  /// What somebody did that the reader is told of.
  case liked, followed, asksToFollow, mentioned, replied, quoted, pollEnded, posted, editedPost, reacted
  /// Why a tweet does not show the one that it quotes.
  case quoteGone, quoteWithdrawn, quoteBlocked, quoteMuted, quotePending, quoteRefused, quoteHidden
}

/// The phrases in the languages of the tables, a file for each in the folder `Words`. Plural forms are as in
/// ``LocaleTable``.
enum WordsTable {
  static func text(_ phrase: Phrase, _ language: TableLanguage) -> StaticString {
    switch language {
    case .en: english(phrase)
    case .de: german(phrase)
    case .fr: french(phrase)
    case .es: spanish(phrase)
    case .ja: japanese(phrase)
    case .ar: arabic(phrase)
    case .zh: chinese(phrase)
    case .ru: russian(phrase)
    case .pt: portuguese(phrase)
    case .it: italian(phrase)
    case .ko: korean(phrase)
    case .he: hebrew(phrase)
    case .hi: hindi(phrase)
    case .tr: turkish(phrase)
    }
  }
}
