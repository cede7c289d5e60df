package import Services
package import TweetCore
package import TweetServices
import TwitterText

/// What a post on X may be (TweetCreateRequest in its OpenAPI description 2.166; docs.x.com, "Counting characters").
extension V2Writing {
  package var postParts: Set<PostPart> { [.quote, .poll, .media, .repliers] }

  package func longestText(isLong: Bool) -> Int? { isLong ? 25_000 : 280 }

  package func length(of text: String) throws(ToolError) -> Int {
    let length = WeightedLength(text)
    if length.problem == .forbiddenScalar {
      throw .badData("the text has a character that no post may have (U+FEFF, U+FFFE or U+FFFF)")
    }
    return length.weightedLength
  }

  package func check(_ draft: PostDraft) throws(ToolError) {
    guard draft.quoteOf == nil || draft.media.isEmpty && draft.poll == nil else {
      throw .usage("a quote shows no poll, picture or video")
    }
    if let poll = draft.poll { try check(poll) }
    if let repliers = draft.repliers, [.followers, .nobody].contains(repliers) {
      throw .usage("service 'x' knows no --reply-settings \(repliers.rawValue)")
    }
    if draft.mostMedia > 4 { throw .usage("a post shows four files at most") }
    if draft.media.contains(where: { $0.altText.map { $0.unicodeScalars.count > 1000 } ?? false }) {
      throw .usage("--alt has 1000 characters at most")
    }
  }

  private func check(_ poll: PostDraft.Poll) throws(ToolError) {
    if !(2...4).contains(poll.options.count) {
      throw .usage("a poll has two to four choices: give --poll as often")
    }
    if let choice = poll.options.first(where: { !(1...25).contains($0.unicodeScalars.count) }) {
      throw .usage("the choice '\(choice)' must have 1 to 25 characters")
    }
    if !(5...7 * 24 * 60).contains(poll.minutes) { throw .usage("--poll-for must be 5m to 7d") }
  }

  /// X takes thirteen times as much for a post with a link.
  package func billed(_ action: WriteAction) -> BilledKind {
    guard case .post(let draft) = action else { return .changes }
    return Array(draft.text.utf8).withBytes { TextEntities.find(in: $0, .urls).isEmpty }
      ? .creates : .links
  }
}
