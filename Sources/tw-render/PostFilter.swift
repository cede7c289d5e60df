import TweetCLI
import TweetCore
import TweetDisplay

/// Decides which posts are left out of the output, and counts them.
final class PostFilter {
  private let hidden: HiddenTweets
  private let includesPrivate: Bool
  private let includesMarked: Bool
  private let hidesWarnings: Bool
  /// The private posts that were left out, those in other posts among them.
  private var privateCount = 0
  private var markedCount = 0
  private var mutedCount = 0
  /// Tweets of which nothing is shown, and how many of those were in others.
  private var deleted: Set<Int> = []
  private var strippedCount = 0
  /// What finds copies; `nil` if they are shown.
  private var copies: PostCopies?
  private var copyCount = 0
  /// The notifications that the format does not show.
  private var notificationCount = 0

  /// - Parameters:
  ///   - hidden: what the options and the setting hide.
  ///   - includesPrivate: whether posts that not everybody may see are in the output.
  ///   - includesMarked: whether posts that are known only because somebody marked them are in the output.
  ///   - hidesWarnings: whether posts with a warning are left out.
  ///   - hidesCopies: whether of a post that several servers or networks have only the first is shown.
  init(
    hidden: HiddenTweets, includesPrivate: Bool, includesMarked: Bool, hidesWarnings: Bool, hidesCopies: Bool
  ) {
    copies = hidesCopies ? PostCopies() : nil
    (self.hidden, self.hidesWarnings) = (hidden, hidesWarnings)
    (self.includesPrivate, self.includesMarked) = (includesPrivate, includesMarked)
  }

  /// Whether a tweet is left out.
  func leavesOut(_ tweet: TweetFields) -> Bool {
    if hidesWarnings, tweet.warning != nil || tweet.retweeted?.warning != nil { return true }
    if includesPrivate || !tweet.isPrivate { return false }
    privateCount += 1
    return true
  }

  /// Whether a tweet that is not left out is known only because somebody liked or bookmarked it.
  func isMarked(_ tweet: JSONValue) -> Bool {
    if includesMarked || !tweet.isOnlyMarked { return false }
    markedCount += 1
    return true
  }

  /// Whether a notice says no more than that somebody liked or bookmarked a post.
  func isMarked(notice: JSONValue) -> Bool {
    if includesMarked || !notice.isNoticeOfMark { return false }
    markedCount += 1
    return true
  }

  /// Whether a tweet that is not left out is a copy of one that came before it.
  func isCopy(_ tweet: JSONValue) -> Bool {
    guard copies?.isCopy(tweet) == true else { return false }
    copyCount += 1
    return true
  }

  /// Whether a record is hidden by the options or the setting.
  func hides(_ record: JSONValue) -> Bool { hidden.hides(record, &mutedCount) }

  /// Whether a record whose fields are not read yet is hidden or left out.
  func leavesOut(_ record: JSONValue) -> Bool {
    if hides(record) { return true }
    guard hidesWarnings || !includesPrivate && Self.mayHavePrivate(record) else { return false }
    return leavesOut(TweetFields(record))
  }

  /// Whether a notification is left out: since it is hidden, or not everybody may see the tweet that it is about.
  /// - Parameter isShown: whether the format shows notifications.
  func leavesOut(notification: JSONValue, isShown: Bool) -> Bool {
    if hides(notification) { return true }
    if !isShown {
      notificationCount += 1
      return true
    }
    return notification["tweet"].map { leavesOut(TweetFields($0)) } ?? false
  }

  /// Takes note that a tweet was deleted, or that nothing of it may be shown.
  func delete(_ record: JSONValue) { deleted.insert(tweetKey(record["service"], record["id"])) }

  /// Whether a tweet, or the one that it retweets, was deleted.
  func isDeleted(_ tweet: JSONValue) -> Bool {
    if deleted.isEmpty { return false }
    let fields = TweetFields(tweet)
    return deleted.contains(tweetKey(fields.service, fields.id))
      || fields.reference("retweeted").map { isDeleted($0, of: fields.service) } ?? false
  }

  private func isDeleted(_ reference: JSONValue, of service: JSONValue?) -> Bool {
    deleted.contains(tweetKey(reference["service"] ?? service, reference["id"]))
  }

  /// A copy of a record in which of private and deleted tweets, which it answers or quotes, only type and id are left.
  /// - Returns: `nil` if there are none.
  func withoutPrivate(_ record: JSONValue) throws(ToolError) -> JSONDocument? {
    guard !deleted.isEmpty || !includesPrivate && Self.mayHavePrivate(record) else { return nil }
    var copy = ByteBuffer()
    let before = strippedCount
    append(record, of: record["service"], to: &copy)
    if strippedCount == before { return nil }
    do throws(JSONFault) { return try JSONDocument(copy.array) } catch {
      throw .bug("a copy of a record is no JSON: \(error)")
    }
  }

  /// Says how many posts were left out or muted, unless there are none.
  func report() {
    HidingOptions.note(muted: mutedCount)
    HidingOptions.note(copies: copyCount)
    if notificationCount > 0 {
      Diagnostics.note(
        "left out \(counted(notificationCount, "notification")), which this format does not show"
      )
    }
    Self.note(privateCount, "private", option: "private")
    Self.note(markedCount, "liked or bookmarked", option: "marked")
  }

  private static func note(_ count: Int, _ kind: String, option: String) {
    if count == 0 { return }
    Diagnostics.note(
      "left out \(counted(count, "\(kind) post")); --include \(option) takes "
        + (count == 1 ? "it in" : "them in"))
  }

  // MARK: Copies

  private func append(_ tweet: JSONValue, of service: JSONValue?, to copy: inout ByteBuffer) {
    copy.object { copy in
      for (key, value) in tweet.members {
        copy.key(key)
        if key.equals("referenced_tweets"), value.isArray {
          append(references: value, of: service, to: &copy)
        } else {
          copy.append(value)
        }
      }
    }
  }

  private func append(references: JSONValue, of service: JSONValue?, to copy: inout ByteBuffer) {
    copy.array { copy in
      for reference in references.elements {
        copy.append(UInt8(ascii: ","))
        if !reference.isObject {
          copy.append(reference)
        } else if isDeleted(reference, of: service) {
          strippedCount += 1
          appendName(of: reference, to: &copy)
        } else if !includesPrivate, TweetFields(reference).isPrivate {
          (privateCount, strippedCount) = (privateCount + 1, strippedCount + 1)
          appendName(of: reference, to: &copy)
        } else {
          append(reference, of: reference["service"] ?? service, to: &copy)
        }
      }
    }
  }

  private func appendName(of reference: JSONValue, to copy: inout ByteBuffer) {
    copy.object { copy in
      for (key, value) in reference.members where key.equals("type") || key.equals("id") {
        copy.key(key)
        copy.append(value)
      }
    }
  }

  // MARK: A quick look

  /// Whether a tweet, or one in it, can be private: most records have nothing that says so, and need not be read for
  /// it.
  private static func mayHavePrivate(_ tweet: JSONValue) -> Bool {
    for (key, value) in tweet.members {
      if key.spells("author") {
        if value["protected"]?.bool == true { return true }
      } else if key.spells("extra") {
        if value["visibility"] != nil { return true }
      } else if key.spells("referenced_tweets") {
        if value.elements.contains(where: { mayHavePrivate($0) }) { return true }
      }
    }
    return false
  }
}

/// The notifications that were shown last: one that comes again is not shown again.
struct ShownNotifications {
  private var keys = RecentKeys(capacity: 20_000)
  private var key: [UInt8] = []

  /// What is wrong with a notification; `nil` for nothing.
  func fault(in notification: JSONValue) -> String? {
    notification["id"]?.isString == true && notification["kind"]?.isString == true
      ? nil : "a notification without id and kind"
  }

  /// Remembers a notification. Returns whether it was not shown before.
  mutating func insert(_ notification: JSONValue) -> Bool {
    key.removeAll(keepingCapacity: true)
    for value in [notification["service"], notification["account"], notification["id"]] {
      key.append(0)
      if let value { key += value.rawString }
    }
    return key.withBytes { keys.insert($0) }
  }
}

/// Finds copies of posts: the same ``CanonicalAddress`` under another id. What comes first is shown, the others are its
/// copies.
struct PostCopies {
  /// This many addresses are remembered for certain.
  private static let remembered = 50_000

  /// Hashes of addresses, and the key of the post that had each of them first. When the newer table is full, it takes
  /// the place of the older one.
  private var newer: [Int: Int] = [:]
  private var older: [Int: Int] = [:]

  /// Remembers a post. Returns whether it is a copy of one that came before.
  mutating func isCopy(_ tweet: JSONValue) -> Bool {
    guard let address = CanonicalAddress.of(tweet) else { return false }
    let own = tweetKey(tweet["service"], tweet["id"])
    var hasher = Hasher()
    hasher.combine(address)
    let name = hasher.finalize()
    let first = newer[name] ?? older[name] ?? own
    newer[name] = first
    if newer.count >= Self.remembered { (older, newer) = (newer, [:]) }
    return first != own
  }
}
