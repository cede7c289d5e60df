/// A change that an account makes at a service.
package enum WriteAction: Sendable, Equatable {
  case post(PostDraft)
  /// Changes something that is there. The target is the id of a post, or the name of an account without `@`.
  case change(PostChange, String)

  /// Its name, as the tool's verbs are called.
  package var name: String {
    switch self {
    case .post(let draft) where draft.editOf != nil: return "edit"
    case .post(let draft) where draft.replyTo != nil: return "reply"
    case .post(let draft) where draft.quoteOf != nil: return "quote"
    case .post: return "post"
    case .change(let change, _): return change.rawValue
    }
  }
}

/// What can be done with something that is there. To do it twice is to have done it, so its request may be repeated.
package enum PostChange: String, Sendable, CaseIterable {
  case retweet, unretweet, like, unlike, bookmark, unbookmark, follow, unfollow, delete

  /// Whether its target is an account.
  package var isOfAccount: Bool { self == .follow || self == .unfollow }

  /// Whether it takes something back.
  package var isUndo: Bool { rawValue.hasPrefix("un") }

  /// What takes it back, or what it takes back; `nil` for a deletion.
  package var inverse: PostChange? {
    PostChange(rawValue: isUndo ? String(rawValue.dropFirst(2)) : "un" + rawValue)
  }
}
