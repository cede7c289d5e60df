/// What a person can do. The raw value is its name after `:`.
enum Action: String, CaseIterable {
  case down, up
  case pageDown = "page-down"
  case pageUp = "page-up"
  case first, last
  case nextUnread = "next-unread"
  case open, back, unfold, thread, author, link, page
  case search
  case searchNext = "search-next"
  case searchPrevious = "search-previous"
  case limit
  case nextFeed = "next-feed"
  case previousFeed = "previous-feed"
  case reply, quote, retweet, like, bookmark, post, delete, follow, undo
  case label, copy, raw, pipe
  case refresh, redraw, command, help, suspend, quit

  /// What it does, in a few words.
  var help: String {
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
    case .link: "open a link of the tweet by its number"
    case .page: "open the tweet's page in the browser"
    case .search: "find the next tweet with these words"
    case .searchNext: "find the next one"
    case .searchPrevious: "find the one before"
    case .limit: "only the tweets that a query finds"
    case .nextFeed: "the next feed"
    case .previousFeed: "the feed before"
    case .reply: "answer the tweet in your editor"
    case .quote: "quote the tweet in your editor"
    case .retweet: "retweet it"
    case .like: "like it"
    case .bookmark: "bookmark it"
    case .post: "write a post in your editor"
    case .delete: "delete your tweet"
    case .follow: "follow the author"
    case .undo: "take the last act back"
    case .label: "give a label (+later) or take it away (-later)"
    case .copy: "copy the tweet's address"
    case .raw: "the record, in your pager"
    case .pipe: "give the record to a command"
    case .refresh: "ask the sources now"
    case .redraw: "draw the screen anew"
    case .command: "a command by its name"
    case .help: "this list"
    case .suspend: "stop; fg goes on"
    case .quit: "leave"
    }
  }

  /// The keys that do it, the one that is shown first. Where less(1), vi(1) and mutt(1) agree, these are theirs; those of
  /// Mastodon's readers are taken for what they do not have.
  var keys: [Key] {
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
    case .link: [.character("o")]
    case .page: [.character("v")]
    case .search: [.character("/")]
    case .searchNext: [.character("n")]
    case .searchPrevious: [.character("N")]
    case .limit: [.character("&")]
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
    case .copy: [.character("y")]
    case .raw: [.character("e")]
    case .pipe: [.character("|")]
    case .refresh: [.character("R")]
    case .redraw: [.control("l")]
    case .command: [.character(":")]
    case .help: [.character("?")]
    case .suspend: [.control("z")]
    case .quit: [.character("q"), .control("c")]
    }
  }

  /// The action of a key; `nil` if it has none.
  static let byKey: [Key: Action] = {
    var found: [Key: Action] = [:]
    for action in allCases { for key in action.keys { found[key] = action } }
    return found
  }()
}

extension Key {
  /// As it is written in lists of keys.
  var name: String {
    switch self {
    case .character(" "): "Space"
    case .character(let letter): String(letter)
    case .control(let letter): "^" + letter.uppercased()
    case .enter: "Enter"
    case .escape: "Esc"
    case .tab: "Tab"
    case .backspace: "Backspace"
    case .delete: "Del"
    case .up: "Up"
    case .down: "Down"
    case .left: "Left"
    case .right: "Right"
    case .home: "Home"
    case .end: "End"
    case .pageUp: "PgUp"
    case .pageDown: "PgDn"
    case .click: "click"
    case .wheelUp, .wheelDown: "wheel"
    case .paste: "paste"
    }
  }
}
