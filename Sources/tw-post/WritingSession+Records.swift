import Services
import TweetCLI
import TweetCore
import TweetServices

/// The records of what was done.
extension WritingSession {
  /// Prints the record of a write that is done, and remembers that.
  ///
  /// - Parameters:
  ///   - record: the record that named what was changed; `nil` if it was named in another way.
  ///   - label: how a person knows what was changed; `nil` for its id.
  func report(
    _ id: Int, record: [UInt8]? = nil, label: String? = nil, to records: inout WrittenRecords
  ) throws(ToolError) {
    guard let entry = try outbox.entry(id) else { return }
    switch entry.action {
    // Nobody stores what is on a terminal: the post need not be read, which may be billed.
    case .change(let change, let target) where records.isForPeople:
      let name = change.isOfAccount ? "@\(target)" : "\(access.service):\(target)"
      try records.write(words: "\(change.done) \(label ?? name)")
    case .post(let draft):
      if let edited = draft.editOf {
        try report(edited: edited, to: &records)
      } else {
        try report(draft, entry, to: &records)
      }
    case .change(.delete, let target): try records.write(deleted: target, by: account())
    case .change(let change, let name) where change.isOfAccount:
      try records.write(document: api.document(of: user(name)))
    case .change(let change, let target):
      guard let mark = try mark(of: change) else { break }
      if let record { try records.write(record: record, mark) } else { try report(target, mark, to: &records) }
    }
    try outbox.setReported(id)
  }

  private func report(
    _ draft: PostDraft, _ entry: Outbox.Entry, to records: inout WrittenRecords
  ) throws(ToolError) {
    if let time = draft.scheduledAt {
      if entry.result == nil {
        return Diagnostics.note("the service has the post, and publishes it at \(LocalMoment.text(time))")
      }
      Diagnostics.warn("the service has published the post at once, and not at \(LocalMoment.text(time))")
    }
    guard let id = entry.result else {
      return Diagnostics.note("the service has the post already, and does not say which it is")
    }
    var draft = draft
    draft.replyTo = try answered(by: entry, draft)
    let document = try api.document(of: draft, id: id, by: account())
    try keepAddress(of: entry.id, &records)
    guard records.isForPeople else {
      return try records.write(
        document: document, copies: otherCopies(of: entry.id),
        shared: sharedAddress(of: entry.id, page: records.address(of: document, id: id).page))
    }
    try records.write(words: "posted \(records.address(of: document, id: id).page)")
  }

  /// Prints an edited post as its service shows it now: what was not changed is known to nobody else.
  private func report(edited id: String, to records: inout WrittenRecords) throws(ToolError) {
    if records.isForPeople { return try records.write(words: "edited \(access.service):\(id)") }
    try report(id, viewer: "{}", to: &records)
  }

  private func report(_ target: String, _ mark: WrittenMark, to records: inout WrittenRecords) throws(ToolError) {
    try report(target, viewer: mark.json, to: &records)
  }

  /// Reads a post and prints its record. A store can use no record without the text, so if the post cannot be read
  /// there is none: what was asked for is done all the same.
  private func report(_ target: String, viewer: String, to records: inout WrittenRecords) throws(ToolError) {
    let document: [UInt8]?
    do throws(ToolError) {
      let api = api
      document = try counting(.posts) { (document: [UInt8]?) in
        document == nil ? [] : [PostID.key(of: target)]
      } read: { () throws(ToolError) in
        try exchange.ask(api.postRequest(id: target), refusal: api.refusal) { answer in
          .some(api.document(ofPostIn: answer, viewer: viewer))
        }
      }
    } catch {
      if Interruption.signal != nil { throw error }
      return Diagnostics.warn("\(target): done, but there is no record of it: \(error.message ?? "")")
    }
    guard let document else {
      return Diagnostics.warn("\(target): done, but there is no record of it: the service does not show the post")
    }
    try records.write(document: document)
  }
}

/// A member of a record's `viewer`: what the account has done with a tweet.
struct WrittenMark {
  /// The name that the account is kept under; the one at the service for a token of the environment.
  let account: String
  let key: StaticString
  let isSet: Bool

  /// A `viewer` with nothing else.
  var json: String {
    var buffer = ByteBuffer()
    buffer.object { out in
      out.member("account", account)
      out.member(key, isSet)
    }
    return buffer.string
  }
}

extension WritingSession {
  /// `nil` for a change that `viewer` does not say.
  private func mark(of change: PostChange) throws(ToolError) -> WrittenMark? {
    let key: StaticString? =
      switch change {
      case .like, .unlike: "liked"
      case .retweet, .unretweet: "retweeted"
      case .bookmark, .unbookmark: "bookmarked"
      case .follow, .unfollow, .delete: nil
      }
    guard let key else { return nil }
    // The name that tw-stream gives the account too, so that a store sees one viewer.
    let known = access.account
    let name = if let known { known } else { try account().username }
    return WrittenMark(account: name, key: key, isSet: !change.isUndo)
  }
}

extension PostChange {
  /// What has been done, for people.
  fileprivate var done: String {
    switch self {
    case .retweet: "retweeted"
    case .unretweet: "no longer retweeted:"
    case .like: "liked"
    case .unlike: "no longer liked:"
    case .bookmark: "bookmarked"
    case .unbookmark: "no longer bookmarked:"
    case .follow: "followed"
    case .unfollow: "no longer followed:"
    case .delete: "deleted"
    }
  }
}
