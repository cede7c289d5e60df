import Services
import TweetCore
import TweetServices

/// What a post may be at a server with Mastodon's API, as the server says it.
struct MastodonRules: PostRules {
  private let instance: MastodonInstance

  init(_ instance: MastodonInstance) { self.instance = instance }

  var postParts: Set<PostPart> {
    let parts: Set<PostPart> = [
      .poll, .pollOfSeveral, .hiddenTotals, .media, .visibility, .warning, .sensitive, .language, .mentions, .edit,
      .schedule,
    ]
    return instance.hasQuotes ? parts.union([.quote, .quoters]) : parts
  }

  var mediaLimits: MediaLimits? { instance.media }
  /// An hour (Mastodon's `PostStatusService`).
  var keyMemory: Int? { instance.keepsKeys ? 3_600_000 : nil }

  func longestText(isLong: Bool) -> Int? { isLong ? nil : instance.longestText }

  /// Links count alike, and of an account's name only the part before its server (Mastodon's `StatusLengthValidator`).
  func length(of text: String) throws(ToolError) -> Int {
    var (count, word) = (0, Substring())
    var rest = text[...]
    while !rest.isEmpty {
      word = rest.prefix { !$0.isWhitespace }
      count += length(of: word)
      rest = rest.dropFirst(word.count)
      let gap = rest.prefix(while: \.isWhitespace)
      count += gap.count
      rest = rest.dropFirst(gap.count)
    }
    return count
  }

  private func length(of word: Substring) -> Int {
    if let link = instance.linkLength {
      for scheme in ["https://", "http://"] {
        if let range = word.firstRange(of: scheme) { return word[..<range.lowerBound].count + link }
      }
    }
    guard word.hasPrefix("@"), let at = word.dropFirst().firstIndex(of: "@") else { return word.count }
    return word[..<at].count
  }

  /// Milliseconds before which a post cannot be scheduled (Mastodon's `ScheduledStatus`).
  private static let shortestSchedule: Int64 = 300_000

  func check(_ draft: PostDraft) throws(ToolError) {
    if let time = draft.scheduledAt, time.milliseconds - Timestamp.now.milliseconds < Self.shortestSchedule {
      throw .usage("with --server, --at is at least five minutes ahead; without --server the outbox keeps the post")
    }
    if draft.quoteOf != nil, draft.poll != nil || !draft.media.isEmpty {
      throw .usage("a quote at a server of Mastodon shows no poll, picture or video")
    }
    if draft.languages.count > 1 { throw .usage("a post at a server of Mastodon has one --language") }
    if instance.needsMedia, draft.media.isEmpty, draft.editOf == nil {
      throw .usage("a post at this server (Pixelfed) shows a picture or a video: give --media")
    }
    guard let poll = draft.poll else { return }
    if !(2...instance.mostChoices).contains(poll.options.count) {
      throw .usage("a poll has 2 to \(instance.mostChoices) choices: give --poll as often")
    }
    if let choice = poll.options.first(where: { !(1...instance.longestChoice).contains($0.count) }) {
      throw .usage("the choice '\(choice)' must have 1 to \(instance.longestChoice) characters")
    }
  }
}
