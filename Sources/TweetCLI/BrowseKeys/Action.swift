/// What a person can do. The raw value is its name after `:` and in the settings.
package enum Action: String, CaseIterable, Sendable {
  case down, up
  case pageDown = "page-down"
  case pageUp = "page-up"
  case first, last
  case nextUnread = "next-unread"
  case open, back, unfold, thread, author, profile, link, page, play, save
  case search
  case searchNext = "search-next"
  case searchPrevious = "search-previous"
  case limit, filter, query
  case labelList = "label-list"
  case nextFeed = "next-feed"
  case previousFeed = "previous-feed"
  case reply, quote, retweet, like, bookmark, post, delete, follow, undo
  case label
  case markRead = "mark-read"
  case copy, raw, pipe
  case account, refresh, redraw, command, help, suspend, quit

  /// What it does, in a few words.
  package var help: String {
    switch self {
    case .down: "the next tweet"
    case .up: "the tweet before"
    case .pageDown: "a page down"
    case .pageUp: "a page up"
    case .first: "the newest tweet, and what waits above"
    case .last: "the last tweet"
    case .nextUnread: "the next unread tweet"
    case .open: "read the tweet"
    case .back: "back to where you were"
    case .unfold: "what is behind the warning"
    case .thread: "the thread of the tweet"
    case .author: "the author's tweets in the store"
    case .profile: "who wrote it: the profile, and the posts in the store"
    case .link: "open a link of the tweet by its number"
    case .page: "open the tweet's page in the browser"
    case .play: "play the music that the tweet links to, or stop it"
    case .save: "save the tweet's pictures in a folder"
    case .search: "find the next tweet with these words"
    case .searchNext: "find the next one"
    case .searchPrevious: "find the one before"
    case .limit: "only the tweets that a query finds"
    case .filter: "only the tweets that a command lets through"
    case .query: "what a saved query finds"
    case .labelList: "the tweets with a label"
    case .nextFeed: "the next feed"
    case .previousFeed: "the feed before"
    case .reply: "answer the tweet"
    case .quote: "quote the tweet"
    case .retweet: "retweet it, or take that back"
    case .like: "like it, or take that back"
    case .bookmark: "bookmark it, or take that back"
    case .post: "write a post"
    case .delete: "delete your tweet"
    case .follow: "follow the author, or stop it"
    case .undo: "take the last act back"
    case .label: "give a label (+later) or take it away (-later)"
    case .markRead: "mark the tweet as read or unread"
    case .copy: "copy the tweet's address"
    case .raw: "the record, in your pager"
    case .pipe: "give the record to a command"
    case .account: "read and write as another account"
    case .refresh: "ask the sources now"
    case .redraw: "draw the screen anew"
    case .command: "a command by its name"
    case .help: "this list"
    case .suspend: "stop; fg goes on"
    case .quit: "leave"
    }
  }

  /// The keys that do it where no setting says otherwise, the one that is shown first. Where less(1), vi(1) and mutt(1)
  /// agree, these are theirs; those of Mastodon's readers are taken for what they do not have.
  package var usualKeys: [Key] {
    switch self {
    case .down: [.character("j"), .down]
    case .up: [.character("k"), .up]
    case .pageDown: [.character(" "), .pageDown, .control("f")]
    case .pageUp: [.character("-"), .pageUp, .control("b")]
    case .first: [.character("g"), .home]
    case .last: [.character("G"), .end]
    case .nextUnread: [.tab]
    case .open: [.enter, .right]
    case .back: [.escape, .left, .backspace]
    case .unfold: [.character("x")]
    case .thread: [.character("t")]
    case .author: [.character("a")]
    case .profile: [.character("p")]
    case .link: [.character("o")]
    case .page: [.character("v")]
    case .play: [.character("m")]
    case .save: [.character("S")]
    case .search: [.character("/")]
    case .searchNext: [.character("n")]
    case .searchPrevious: [.character("N")]
    case .limit: [.character("&")]
    case .filter: [.character("|")]
    case .query: [.character("s")]
    case .labelList: [.character("L")]
    case .nextFeed: [.character("]")]
    case .previousFeed: [.character("[")]
    case .reply: [.character("r")]
    case .quote: [.character("Q")]
    case .retweet: [.character("b")]
    case .like: [.character("f")]
    case .bookmark: [.character("B")]
    case .post: [.character("c")]
    case .delete: [.character("d")]
    case .follow: [.character("F")]
    case .undo: [.character("u")]
    case .label: [.character("l")]
    case .markRead: [.character("U")]
    case .copy: [.character("y")]
    case .raw: [.character("e")]
    case .pipe: [.character("!")]
    case .account: [.character("A")]
    case .refresh: [.character("R")]
    case .redraw: [.control("l")]
    case .command: [.character(":")]
    case .help: [.character("?")]
    case .suspend: [.control("z")]
    case .quit: [.character("q"), .control("c")]
    }
  }

  /// What an action is done with.
  package enum Subject: Sendable {
    case tweet, ownTweet, link, music, picture, list
    /// Something that another tool did a moment ago.
    case act
    case program
  }

  /// What it is done with: the help lists first what can be done with the tweet under the cursor.
  package var subject: Subject {
    switch self {
    case .open, .unfold, .thread, .author, .profile, .page, .reply, .quote, .retweet, .like, .bookmark, .follow, .label,
      .markRead, .copy,
      .raw,
      .pipe:
      .tweet
    case .delete: .ownTweet
    case .link: .link
    case .play: .music
    case .save: .picture
    case .undo: .act
    case .account, .post, .refresh, .redraw, .command, .help, .suspend, .quit: .program
    default: .list
    }
  }
}
