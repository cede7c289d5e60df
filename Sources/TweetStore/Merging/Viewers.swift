package import TweetCore

/// What each signed-in account did with a tweet: the members `viewer` and `viewers` of its record.
///
/// `viewer` is the state of the account that has read the tweet last, `viewers` are the states of others. A state that
/// is older than the record says so by a `retrieved_at` of its own.
struct Viewers {
  private struct State {
    let account: ByteView
    var time: Timestamp?
    var value: JSONValue
    /// An earlier one, for members that this one does not have.
    var earlier: JSONValue?
  }

  private var states: [State] = []
  private var indexes: [ByteView: Int] = [:]
  /// When the record was read.
  private let recordTime: Timestamp?
  /// The account whose state is `viewer`; `nil` for the one that has read the tweet last.
  private let account: String?

  /// The states of two versions of a tweet; `nil` if only the newer one has any: they can stand as they are.
  init?(newer: JSONValue, _ newerTime: Timestamp?, older: JSONValue, _ olderTime: Timestamp?) {
    guard Self.areIn(older) else { return nil }
    (recordTime, account) = (newerTime, nil)
    add(newer, newerTime)
    add(older, olderTime)
    if states.isEmpty { return nil }
  }

  /// The states of a tweet, as `account` sees it; `nil` if it has none.
  /// - Parameter time: when the record was read, of which the tweet is a part.
  fileprivate init?(_ tweet: JSONValue, time: Timestamp?, account: String) {
    guard Self.areIn(tweet) else { return nil }
    (recordTime, self.account) = (time, account)
    add(tweet, time)
    if states.isEmpty { return nil }
  }

  private static func areIn(_ tweet: JSONValue) -> Bool { tweet["viewer"] != nil || tweet["viewers"] != nil }

  private mutating func add(_ tweet: JSONValue, _ time: Timestamp?) {
    if let viewer = tweet["viewer"] { add(state: viewer, time) }
    guard let others = tweet["viewers"] else { return }
    for state in others.elements { add(state: state, time) }
  }

  private mutating func add(state: JSONValue, _ recordTime: Timestamp?) {
    guard state.isObject, !state.isEmpty else { return }
    let account = state["account"]?.rawString ?? .empty
    let time = state["retrieved_at"]?.time ?? recordTime
    guard let index = indexes[account] else {
      indexes[account] = states.count
      states.append(State(account: account, time: time, value: state))
      return
    }
    let known = states[index]
    let isLater = if let time, let before = known.time { time > before } else { known.time == nil && time != nil }
    if isLater {
      (states[index].time, states[index].value, states[index].earlier) = (time, state, known.value)
    } else if known.earlier == nil {
      states[index].earlier = state
    }
  }

  /// The states, the latest first, and of those of one time the first.
  private var sorted: [State] {
    let first = Timestamp(milliseconds: .min)
    return states.enumerated().sorted { one, other in
      let (time, otherTime) = (one.element.time ?? first, other.element.time ?? first)
      return time == otherTime ? one.offset < other.offset : time > otherTime
    }.map(\.element)
  }

  private static func isName(_ name: String, _ account: JSONValue?) -> Bool {
    account?.string?.lowercased() == name.lowercased()
  }

  /// Appends both members.
  func append(to buffer: inout ByteBuffer) {
    var others = sorted
    // A state of nobody known comes only where there is no other.
    let first =
      account.map { account in others.firstIndex { Self.isName(account, $0.value["account"]) } }
      ?? others.firstIndex { !$0.account.isEmpty } ?? 0
    if let first {
      buffer.key("viewer")
      buffer.object { appendMembers(of: others.remove(at: first), to: &$0) }
    }
    buffer.array("viewers") { out in
      for state in others { out.element { appendMembers(of: state, to: &$0) } }
    }
  }

  private func appendMembers(of state: State, to buffer: inout ByteBuffer) {
    let (news, olds) = (Array(state.value.members), state.earlier.map { Array($0.members) } ?? [])
    let matches = Alignment.matches(news.map { $0.key.rawString }, olds.map { $0.key.rawString })
    for pair in Alignment.pairs(newer: news.count, matches) {
      guard let (key, value) = pair.newer.map({ news[$0] }) ?? pair.older.map({ olds[$0] }),
        !key.equals("retrieved_at")
      else { continue }
      buffer.key(key)
      buffer.append(value)
    }
    if let time = state.time, time != recordTime { buffer.member("retrieved_at", time) }
  }
}

/// Shows records as one account sees them: `viewer` is what this account did, `viewers` are the others.
package struct ViewerChoice {
  private let account: String

  /// - Parameter account: its name, with or without `@`.
  package init(account: String) { self.account = account.hasPrefix("@") ? String(account.dropFirst()) : account }

  /// Appends a record of a tweet, as the store has it.
  package func append(_ record: ByteView, to buffer: inout ByteBuffer) throws(ToolError) {
    let document = try JSONDocument.stored(Array(record))
    document.read { append($0, time: $0["retrieved_at"]?.time, to: &buffer) }
  }

  private func append(_ tweet: JSONValue, time: Timestamp?, to buffer: inout ByteBuffer) {
    var viewers = Viewers(tweet, time: time, account: account)
    buffer.object { out in
      for (key, value) in tweet.members {
        if key.equals("viewer") || key.equals("viewers") {
          // Both members stand where the first of them stood.
          viewers?.append(to: &out)
          viewers = nil
          continue
        }
        out.key(key)
        if key.equals("referenced_tweets"), value.isArray {
          append(references: value, time: time, to: &out)
        } else {
          out.append(value)
        }
      }
    }
  }

  private func append(references list: JSONValue, time: Timestamp?, to buffer: inout ByteBuffer) {
    buffer.array { out in
      for tweet in list.elements {
        out.append(UInt8(ascii: ","))
        if tweet.isObject { append(tweet, time: time, to: &out) } else { out.append(tweet) }
      }
    }
  }
}
