import Libc
import Services
import TweetCLI
import TweetCore
import TweetServices
import TweetShapes

/// Prints what a session has made or changed: as records, as tw-parse does, or in words for a person at a terminal.
struct WrittenRecords: ~Copyable {
  private let session: WritingSession
  private var mapper = TweetMapper()
  private var output = RecordWriter()
  /// Whether a person reads it.
  private let isForPeople = isatty(1) == 1

  init(_ session: WritingSession) {
    self.session = session
    mapper.takesViewer = true
  }

  /// Prints the record of a write that is done, and remembers that.
  ///
  /// - Parameters:
  ///   - record: the record that named what was changed; `nil` if it was named in another way.
  ///   - label: how a person knows what was changed; `nil` for its id.
  mutating func report(_ id: Int, record: [UInt8]? = nil, label: String? = nil) throws(ToolError) {
    guard let entry = try session.outbox.entry(id) else { return }
    let service = session.access.service
    switch try entry.action {
    case .post(let draft):
      guard let edited = draft.editOf else {
        try report(draft, entry)
        break
      }
      // What was not changed is known to the service alone.
      if isForPeople { try write(words: "edited \(service):\(edited)") } else { try write(post: edited, viewer: "{}") }
    // Nobody stores what is on a terminal: the post need not be read, which may be billed.
    case .change(let change, let target) where isForPeople:
      let name = change.isOfAccount ? "@\(target)" : "\(service):\(target)"
      try write(words: "\(change.done) \(label ?? name)")
    case .change(.delete, let target):
      output.buffer.deletion(of: target, service: service, user: try session.account().id)
      try output.flush()
    case .change(let change, let name) where change.isOfAccount:
      try write(document: session.api.document(of: session.user(name)))
    case .change(let change, let target):
      guard let mark = try mark(of: change) else { break }
      if let record { try write(record: record, mark) } else { try write(post: target, viewer: mark.json) }
    }
    try session.outbox.setReported(id)
  }

  // MARK: Posts

  private mutating func report(_ draft: PostDraft, _ entry: OutboxEntry) throws(ToolError) {
    if let time = draft.scheduledAt {
      if entry.result == nil {
        return Diagnostics.note("the service has the post, and publishes it at \(LocalMoment.text(time))")
      }
      Diagnostics.warn("the service has published the post at once, and not at \(LocalMoment.text(time))")
    }
    guard let id = entry.result else {
      return Diagnostics.note("the service has the post already, and does not say which it is")
    }
    let document = try document(of: draft, entry, id)
    let place = try place(of: document, id)
    try keep(place, of: entry)
    if isForPeople { return try write(words: "posted \(place.page)") }
    let copies = try counterparts(of: entry)
    try write(
      document: document, copies: copies.compactMap { $0.id == entry.id ? nil : $0.address },
      shared: sharedAddress(of: entry, copies, page: place.page))
  }

  /// The post of a write, as its service describes it.
  private func document(of draft: PostDraft, _ entry: OutboxEntry, _ id: String) throws(ToolError) -> [UInt8] {
    var draft = draft
    draft.replyTo = try session.answered(by: entry, draft)
    return try session.api.document(of: draft, id: id, by: session.account())
  }

  /// Where a post can be read: its page, else its id.
  private typealias Place = (page: String, canonical: String?)

  /// - Returns: also the address by which stores know the post, if its record has one by itself.
  private mutating func place(of document: [UInt8], _ id: String) throws(ToolError) -> Place {
    let post = try records(of: document).lazy
      .compactMap { try? JSONDocument($0) }.first { $0["url"]?.nonEmptyString != nil }
    let page = post?["url"]?.nonEmptyString ?? "\(session.access.service):\(id)"
    return (page, post.flatMap { $0.read { CanonicalAddress.of($0) } })
  }

  /// Keeps where the post of a write of a group can be read, once it is made.
  mutating func keepAddress(of id: Int) throws(ToolError) {
    guard let entry = try session.outbox.entry(id), let draft = entry.draft, let post = entry.result,
      entry.lacksAddress
    else { return }
    try keep(place(of: document(of: draft, entry, post), post), of: entry)
  }

  private func keep(_ place: Place, of entry: OutboxEntry) throws(ToolError) {
    guard entry.lacksAddress else { return }
    try session.outbox.setAddress(place.page, of: entry.id)
    if let canonical = place.canonical {
      _ = try sharedAddress(of: entry, counterparts(of: entry), page: canonical)
    }
  }

  /// The posts that stand at other accounts where the post of a write of a group stands, itself among them.
  private func counterparts(of entry: OutboxEntry) throws(ToolError) -> [OutboxEntry] {
    guard let group = entry.group else { return [] }
    return CopyThreads(try session.outbox.copies(of: group)).counterparts(of: entry.id) ?? []
  }

  /// The address by which stores know the copies of a post as one, which all their records have; `nil` for a post
  /// without copies that say the same: of a thread, those with another text.
  ///
  /// - Parameter page: what it is if the group has none yet. Services whose posts have an address for all servers come
  ///   first.
  private func sharedAddress(
    of entry: OutboxEntry, _ copies: [OutboxEntry], page: String
  ) throws(ToolError) -> String? {
    let same = copies.filter { $0.text == entry.text }.map(\.id)
    guard same.count > 1 else { return nil }
    return try session.outbox.sharedAddress(page.contains("://") ? page : nil, of: entry.id, among: same)
  }

  // MARK: Changes

  /// A member of a record's `viewer`: what the account has done with a tweet.
  private struct Mark {
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

  /// `nil` for a change that `viewer` does not say.
  private func mark(of change: PostChange) throws(ToolError) -> Mark? {
    let key: StaticString
    switch change {
    case .like, .unlike: key = "liked"
    case .retweet, .unretweet: key = "retweeted"
    case .bookmark, .unbookmark: key = "bookmarked"
    case .follow, .unfollow, .delete: return nil
    }
    // The name that tw-stream gives the account too, so that a store sees one viewer.
    let known = session.access.account
    let name = if let known { known } else { try session.account().username }
    return Mark(account: name, key: key, isSet: !change.isUndo)
  }

  /// Prints a record with what the account has done. What its `viewer` says of the same account stays.
  private mutating func write(record: [UInt8], _ mark: Mark) throws(ToolError) {
    guard let document = try? JSONDocument(record) else { throw .bug("a record was read that is none") }
    document.read { record in
      var edits = RecordEdits()
      if let viewer = record["viewer"], viewer["account"]?.string == mark.account {
        edits.set(mark.key, in: viewer, to: String(mark.isSet))
      } else {
        edits.set("viewer", in: record, to: mark.json)
      }
      edits.apply(to: record, into: &output.buffer)
    }
    try output.endLine()
    try output.flush()
  }

  /// Reads a post and prints its record. A store can use no record without the text, so if the post cannot be read
  /// there is none: what was asked for is done all the same.
  private mutating func write(post id: String, viewer: String) throws(ToolError) {
    let document: [UInt8]?
    do throws(ToolError) {
      let (api, exchange) = (session.api, session.exchange)
      document = try session.budget.counting(.posts) { (document: [UInt8]?) in
        document == nil ? [] : [PostID.key(of: id)]
      } read: { () throws(ToolError) in
        try exchange.ask(api.postRequest(id: id), refusal: api.refusal) { answer in
          .some(api.document(ofPostIn: answer, viewer: viewer))
        }
      }
    } catch {
      if Interruption.signal != nil { throw error }
      return Diagnostics.warn("\(id): done, but there is no record of it: \(error.message ?? "")")
    }
    guard let document else {
      return Diagnostics.warn("\(id): done, but there is no record of it: the service does not show the post")
    }
    try write(document: document)
  }

  // MARK: Output

  /// Prints what was done, in a line.
  private mutating func write(words: String) throws(ToolError) {
    output.buffer.append(Printable.line(words, limit: .max) + "\n")
    try output.flush()
  }

  /// Prints a document of the service.
  ///
  /// - Parameters:
  ///   - copies: the addresses of the same post at other services, which the record has in addition.
  ///   - shared: the address by which stores know all of them as one post.
  private mutating func write(
    document: [UInt8], copies: [String] = [], shared: String? = nil
  ) throws(ToolError) {
    for line in try records(of: document) {
      if copies.isEmpty, shared == nil { output.buffer.append(line) } else { try append(line, with: copies, shared) }
      try output.endLine()
    }
    try output.flush()
  }

  /// Appends a record with `extra.copies` and `extra.same_as`.
  private mutating func append(_ line: [UInt8], with copies: [String], _ shared: String?) throws(ToolError) {
    guard let document = try? JSONDocument(line) else { throw .bug("a record was made that is none") }
    var extra = ByteBuffer()
    extra.object { out in
      if !copies.isEmpty {
        var addresses = ByteBuffer()
        addresses.appendJSONStrings(copies)
        out.member("copies", json: addresses.string)
      }
      out.member(CanonicalAddress.crosspost, shared)
    }
    document.read { record in
      var edits = RecordEdits()
      if let old = record["extra"], old.isObject {
        // Behind what the service has said.
        edits.append(members: Array(extra.array.dropFirst().dropLast()), to: old)
      } else {
        edits.set("extra", in: record, to: extra.string)
      }
      edits.apply(to: record, into: &output.buffer)
    }
  }

  /// The records that a document of the service becomes, a line each.
  private mutating func records(of document: [UInt8]) throws(ToolError) -> [[UInt8]] {
    var context = ByteBuffer()
    context.record("context") { out in
      out.member("service", session.access.service)
      out.member("base", session.access.base)
      out.member("at", .shown)
    }
    mapper.state.read(context: context.array)
    guard let document = try? JSONDocument(document) else { throw .bug("what was written is no JSON") }
    var lines = ByteBuffer()
    if let fault = document.read({ mapper.map(Record(root: $0, isElement: true), into: &lines) }) {
      throw .bug("what was written is not a record: \(fault)")
    }
    return lines.array.split(separator: UInt8(ascii: "\n")).map { Array($0) }
  }
}

extension PostChange {
  /// What has been done, for people.
  fileprivate var done: String {
    if isUndo, let inverse { return "no longer \(inverse.done):" }
    return rawValue + (rawValue.hasSuffix("e") ? "d" : "ed")
  }
}
