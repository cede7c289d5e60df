import TweetCore

/// Messages between people, which look like posts: an id, a text and a time. They never become records. They are
/// counted, so that whoever reads the file is told.
extension TweetMapper {
  /// Whether a document with a text is a message between people, or a note of Misskey that only some may read.
  mutating func leavesOut(_ document: JSONValue, _ probe: Fields<V1TweetKey>) -> Bool {
    let audience = arena.value(probe, .visibility, in: document)
    let isForFew = audience.map { $0.equals("followers") || $0.equals("specified") } ?? false
    guard isForFew && !arena.isThere(probe, .account) || arena.isAnyThere(probe, from: .sender) else { return false }
    leftOut += 1
    return true
  }

  /// Counts the messages of a document without a text that has nothing else: an export, a page of a conversation.
  /// - Returns: `false` when it is none.
  mutating func leavesOut(messagesOf document: JSONValue) -> Bool {
    guard let count = document.messageCount else { return false }
    leftOut += count
    return true
  }

  /// How many messages were left out since it was asked last.
  package mutating func takeLeftOut() -> Int {
    defer { leftOut = 0 }
    return leftOut
  }
}

extension JSONValue {
  /// How many messages it has, if it is a message or a list of them; else `nil`.
  fileprivate var messageCount: Int? {
    if isMessage { return 1 }
    for (key, value) in members {
      if messageFrames.contains(where: { key.spells($0) }), let count = value.messageCount { return count }
      guard value.isArray, messageLists.contains(where: { key.spells($0) }) else { continue }
      let count = value.elements.reduce(0) { $0 + ($1.messageCount ?? 0) }
      if count > 0 || value.isEmpty { return count }
    }
    return nil
  }

  /// Whether it has a member that only messages have.
  private var isMessage: Bool {
    members.contains { key, value in
      V1TweetKey.ofMessages.contains { key.spells($0.name) }
        || key.spells("$type") && value.isString && value.rawString.starts(with: "chat.bsky.".utf8)
    }
  }
}

extension V1TweetKey {
  /// Members that say who sent a message, to whom, or in which conversation, at the services and in the exports of
  /// other tools. No post has one.
  fileprivate static let ofMessages = Array(allCases[sender.rawValue...])
}

/// Members with one message or conversation, and with a list of them.
private let messageFrames: [StaticString] = ["dmConversation", "event", "message", "lastMessage"]
private let messageLists: [StaticString] = [
  "messages", "direct_messages", "direct_message_events", "dm_events", "events", "convos", "logs",
]
