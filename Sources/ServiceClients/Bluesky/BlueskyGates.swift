import Services
import TweetCore
import TweetServices

/// Who may answer a post, and who may quote it: records beside the post, under its key.
enum BlueskyGates {
  /// The gates of a post, by their collections.
  ///
  /// - Parameter post: where the post is.
  static func records(_ draft: PostDraft, of post: RecordAddress, at time: Timestamp) -> [(String, String)] {
    var gates: [(String, String)] = []
    if let repliers = draft.repliers {
      gates.append(
        gate(threadGate, of: post, at: time) { out in
          let rules = rules(of: repliers).map { "{\"$type\":\"\(threadGate)#\($0)\"}" }
          // A list of nothing is not the same as no list, with which everybody may answer.
          out.member("allow", json: "[\(rules.joined(separator: ","))]")
        })
    }
    if draft.quoters == .nobody {
      gates.append(
        gate(postGate, of: post, at: time) { out in
          out.array("embeddingRules") { out in out.element { $0.member("$type", "\(postGate)#disableRule") } }
        })
    }
    return gates
  }

  // MARK: Deleting

  /// The record of an own post that is to be deleted of which is not known yet whether it is there: the gates, and if
  /// there is one the post, since nothing is deleted in one piece with what is not there.
  static func question(_ parts: WriteParts, by account: WritingAccount) -> RecordAddress? {
    guard let post = RecordAddress(parts.target), post.collection == RecordAddress.post, post.authority == account.id
    else { return nil }
    func isAsked(_ collection: String) -> Bool { parts.facts[BlueskyFact.record(collection)] == nil }
    let gates = [threadGate, postGate]
    let isThere = gates.contains { parts.facts[BlueskyFact.record($0)]?.isEmpty == false }
    guard let collection = gates.first(where: isAsked) ?? (isThere && isAsked(post.collection) ? post.collection : nil)
    else { return nil }
    return RecordAddress(authority: post.authority, collection: collection, key: post.key)
  }

  /// The records that are deleted in one piece; empty for a post without gates.
  static func deleted(_ parts: WriteParts) -> [RecordAddress] {
    guard let post = RecordAddress(parts.target) else { return [] }
    func isThere(_ collection: String) -> Bool { parts.facts[BlueskyFact.record(collection)]?.isEmpty == false }
    guard isThere(threadGate) || isThere(postGate) else { return [] }
    return [post.collection, threadGate, postGate].filter(isThere).map {
      RecordAddress(authority: post.authority, collection: $0, key: post.key)
    }
  }

  static let (threadGate, postGate) = ("app.bsky.feed.threadgate", "app.bsky.feed.postgate")

  private static func gate(
    _ collection: String, of post: RecordAddress, at time: Timestamp, _ rules: (inout ByteBuffer) -> Void
  ) -> (String, String) {
    var body = ByteBuffer()
    body.object { out in
      out.member("$type", collection)
      out.member("post", post.text)
      rules(&out)
      out.member("createdAt", time)
    }
    return (collection, body.string)
  }

  /// No rule lets nobody answer.
  private static func rules(of repliers: PostDraft.Repliers) -> [String] {
    switch repliers {
    case .following: ["mentionRule", "followingRule"]
    case .followers: ["mentionRule", "followerRule"]
    case .mentioned: ["mentionRule"]
    case .nobody, .subscribers, .verified: []
    }
  }
}

extension PostDraft {
  /// Whether records beside the post say who may answer or quote it.
  var hasGates: Bool { repliers != nil || quoters == .nobody }
}

/// What a post may be, beyond its length.
extension BlueskyWriting {
  var mediaLimits: MediaLimits? { BlueskyMedia.limits }

  func links(in text: String) -> [String] {
    BlueskyFacets(text).found.compactMap { if case .link(let address) = $0.feature { address } else { nil } }
  }

  /// The lexicon app.bsky.feed.post.
  private static let mostLanguages = 3
  /// What a post may say of itself (com.atproto.label.defs#selfLabels, with the values of Bluesky's own labels).
  private static let warnings = ["sexual", "nudity", "porn", "graphic-media"]

  func check(_ draft: PostDraft) throws(ToolError) {
    if draft.languages.count > Self.mostLanguages {
      throw .usage("a post of service 'bluesky' has at most \(Self.mostLanguages) languages")
    }
    if let warning = draft.warning, !Self.warnings.contains(warning) {
      throw .usage(
        "service 'bluesky' has no warnings in words: --warning is \(Self.warnings.joined(separator: ", ")); "
          + "a warning in words can be the first line of the text")
    }
    if let repliers = draft.repliers {
      if [.subscribers, .verified].contains(repliers) {
        throw .usage("service 'bluesky' knows no --reply-settings \(repliers.rawValue)")
      }
      if draft.replyTo != nil { throw .usage("at service 'bluesky' the first post of a thread says who may answer") }
    }
    if draft.quoters == .followers { throw .usage("service 'bluesky' knows no --quote-settings followers") }
    if draft.card != nil, draft.quoteOf != nil || !draft.media.isEmpty {
      throw .usage("a post of service 'bluesky' with --card shows no quote, picture or video")
    }
  }
}
