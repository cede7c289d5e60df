package import TweetCore
import TwitterText

/// Maps documents of every known shape to records.
///
/// It holds what the last `context` record said and memory that it uses again for each document. A run needs one
/// mapper, or one for each thread. ``map(_:into:)`` is the kit's hot path: values are copied as bytes, not made
/// Strings.
package struct TweetMapper: ~Copyable {
  var arena = FieldArena()
  /// Whether the `viewer` of a document is the kit's own word: tw-post puts it there. A service does not say it.
  package var takesViewer = false
  /// What earlier documents say about the next one.
  package var state = MapperState()
  var context: FeedContext { _read { yield state.context } }
  var v1TweetKeys = KeyTable<V1TweetKey>()
  var v1UserKeys = KeyTable<V1UserKey>()
  var v1EntitiesKeys = KeyTable<V1EntitiesKey>()
  var v1EntityKeys = KeyTable<V1EntityKey>()
  var v2TweetKeys = KeyTable<V2TweetKey>()
  var v2UserKeys = KeyTable<V2UserKey>()
  var v2MetricKeys = KeyTable<V2MetricKey>()
  var socialKeys = KeyTable<SocialKey>()
  var mastodonStatusKeys = KeyTable<MastodonStatusKey>()
  var mastodonAccountKeys = KeyTable<MastodonAccountKey>()
  var blueskyProfileKeys = KeyTable<BlueskyProfileKey>()
  var includes = Includes()
  var written = WrittenObjects()
  /// The HTML of the current status, and of its account's description.
  var html = HTMLText()
  var noteHTML = HTMLText()
  /// The text of the current Bluesky post, which its facets' offsets count.
  var facetText = ByteBuffer()
  /// From this offset of the output on, referenced users and posts are not inlined any more.
  var inlineLimit = Int.max
  /// Whether the current document is a page of elements.
  var isPage = false
  /// Bytes of the current document.
  var pageLength = 0
  var parts = PageParts()
  /// The offset of the output at which the current document starts, or the current part of it.
  var partStart = 0
  /// A part of a page ends when it has this many bytes.
  let partLength: Int
  /// Where in the output the text of the current post is.
  var textRange = 0..<0
  /// A copy of it while it is searched for entities.
  var foundText = ByteBuffer()
  var foundEntities = FoundEntities()
  /// Where the last user of v1.1 is withheld, with all that they post.
  var countriesOfUser: JSONValue?
  /// What is wrong with an id of the current document or element.
  var faultOfID: String?
  /// What belongs to the tweets of the file, while ``includes`` are those of it.
  var companion: JSONDocument?
  /// How many messages between people were left out.
  var leftOut = 0
  /// Whether the last document was the length of the next one.
  private var hasLength = false
  /// Whether it maps a part of the input while others map other parts.
  let isPart: Bool
  /// Whether the last document says something about all later ones, so that no part maps it.
  var isHeldBack = false
  /// How deep tweets within tweets may nest. X sends two levels; hostile input might send a thousand.
  static let maximumNesting = 8

  /// - Parameters:
  ///   - owner: the author of tweets without a user, as in X's archives; an archive's account file sets it too.
  ///   - shape: the shape of every document; `nil` recognises the shape of each.
  ///   - partLength: about how many bytes of output one call makes of a long page.
  ///   - isPart: whether it maps a part of the input while others map other parts.
  package init(
    owner: ArchiveOwner? = nil, shape: TweetShape? = nil, partLength: Int = 4 << 20, isPart: Bool = false
  ) {
    state.owner = owner
    self.isPart = isPart
    self.partLength = partLength
    forced = shape
    self.shape = shape ?? .records
  }

  let forced: TweetShape?
  /// The shape of the last document.
  package internal(set) var shape: TweetShape

  /// Whether the last page has another part: the next call must get the same record and appends that part.
  package var hasMore: Bool { parts.isOpen || isHeldBack }

  /// Forgets whose the archive before was: another one begins.
  /// - Parameter owner: the author of its tweets until it names one.
  package mutating func beginArchive(owner: ArchiveOwner?) {
    (state.owner, state.outboxOwner, state.repositoryOwner, state.notes) = (owner, nil, nil, ArchiveNotes())
  }

  /// Why a tweet of an archive without the file that names the owner is bad: as the others of the file are.
  package static let missingOwner =
    "the tweet has no author: name the archive's owner with --owner ID:NAME, or give its account.js before this file"

  /// Discards the remaining parts of a page.
  package mutating func discardMore() { (parts, isHeldBack) = (PageParts(), false) }

  /// Appends the records of a document, one a line. Of a long page it appends one part: while ``hasMore`` is true, call
  /// it again with the same record.
  /// - Returns: `nil`, or what is wrong with the document. Then nothing is appended; of a page its good elements are.
  package mutating func map(_ record: Record, into out: inout ByteBuffer) -> String? {
    partStart = out.count
    out.removesEscapes = record.hasPlainEscapes
    isPage = false
    pageLength = record.bytes.count
    parts.begin()
    limitInlining(from: partStart, length: pageLength)
    let found =
      record.event == .delete
      ? mapMastodon(delete: record.root, into: &out)
      : record.root.kind == .number
        ? checkLength(record) : map(document: record.root, isRecord: !record.isElement, into: &out)
    let reason = parts.finish(found, from: partStart, &out)
    hasLength = record.root.kind == .number
    if reason != nil, !isPage { out.truncate(to: partStart) }
    return reason
  }

  /// Checks a number on a line of its own. Captures of v1.1's `delimited=length` have the length of each message before
  /// it. Nothing needs the length, so it is only skipped. Two numbers in a row are not such a capture.
  private func checkLength(_ record: Record) -> String? {
    guard let number = record.root.integer, number >= 0 else { return "not an object" }
    guard hasLength || record.isElement || number > Self.longestMessage else { return nil }
    return "a number, not an object: the posts of a list of ids are read by 'tw-stream ids:FILE'"
  }

  /// The bytes of a message are fewer.
  private static var longestMessage: Int { 1 << 30 }

  /// Why a service's object with a member `tw` is bad, wherever it stands.
  static let forged = "it says that it is a record of the kit, and is not"

  /// Appends the records of a document that is not a bare number.
  /// - Parameter isRecord: whether it may be a record of the kit: only what stands alone may, and nothing that is
  ///   inside of something else.
  mutating func map(document: JSONValue, isRecord: Bool, into out: inout ByteBuffer) -> String? {
    guard document.isObject else {
      guard let mark = state.mark, document.isString else { return "not an object" }
      shape = .mastodon
      return mapOutbox(marked: document, mark, into: &out)
    }
    let probe = arena.gather(document, &v1TweetKeys)
    defer { arena.release(probe) }
    if arena.isThere(probe, .tw) {
      shape = .records
      guard isRecord else { return Self.forged }
      return copy(record: document, type: arena.value(probe, .tw, in: document), into: &out)
    }
    if let fault = document.textFault { return fault }
    shape = forced ?? detect(document, probe)
    if hasText(probe, in: document), leavesOut(document, probe) { return nil }
    if arena.isThere(probe, .mongoID) || arena.value(probe, .id, in: document)?.isObject ?? false
      || arena.value(probe, .createdAt, in: document)?.isObject ?? false,
      let plain = ExtendedJSON.plain(document)
    {
      do throws(JSONFault) {
        return try JSONDocument(plain).read { map(document: $0, isRecord: false, into: &out) }
      } catch {
        return error.reason
      }
    }
    let reason = map(document, probe, into: &out)
    if reason == Self.unknownShape {
      if leavesOut(messagesOf: document) { return nil }
      if let included = mapV2(included: document, into: &out) { return included.reason }
      if document["type"]?.string?.contains("/problems/") ?? false {
        shape = .v2
        appendV2Error(document, to: &out)
        return nil
      }
    }
    return takeFaultOfID() ?? reason
  }

  static let unknownShape = "not a tweet in a known shape"

  private mutating func map(_ document: JSONValue, _ probe: Fields<V1TweetKey>, into out: inout ByteBuffer) -> String? {
    switch shape {
    case .records: return "no record of the kit"
    case .v2:
      let data = arena.value(probe, .data, in: document)
      let isPage = isV2Page(document, probe)
      return isPage ? mapV2(document, data: data, into: &out) : mapV2(line: document, into: &out)
    case .v1: return mapV1(document, probe, into: &out)
    case .gnip: return mapGnip(activity: document, into: &out)
    case .archive:
      guard let (kind, body) = XArchiveKind.find(in: document) else { return mapV1(document, probe, into: &out) }
      return mapArchive(kind, body, into: &out)
    case .mastodon, .bluesky: return mapSocial(document, into: &out)
    }
  }

  /// Recognises the shape of a document that is not a record. Mastodon's and Bluesky's are both `mastodon` here, and
  /// are told apart later.
  private func detect(_ document: JSONValue, _ probe: Fields<V1TweetKey>) -> TweetShape {
    @inline(__always) func value(_ key: V1TweetKey) -> JSONValue? { arena.value(probe, key, in: document) }
    if isV2Page(document, probe) { return .v2 }
    if (value(.statuses) ?? value(.results))?.isArray ?? false { return .v1 }
    // Mastodon's deleted statuses and the source of a status have a text as well.
    if value(.account)?["id"] != nil || arena.has(probe, .spoilerText, in: document) {
      return .mastodon
    }
    if hasText(probe, in: document) {
      if arena.isThere(probe, .visibility) { return .mastodon }
      return value(.fromUser) ?? value(.idString) ?? value(.user) ?? value(.fullText) != nil ? .v1 : .v2
    }
    if value(.error)?.isString ?? false { return .v1 }
    if document["objectType"]?.equals("activity") ?? false { return .gnip }
    if XArchiveKind.find(in: document) != nil { return .archive }
    if document["payload"] ?? document["stream"] != nil { return .mastodon }
    if V1MessageKind.find(in: document) != nil || value(.screenName) != nil { return .v1 }
    return .mastodon
  }

  private func isV2Page(_ document: JSONValue, _ probe: Fields<V1TweetKey>) -> Bool {
    @inline(__always) func value(_ key: V1TweetKey) -> JSONValue? { arena.value(probe, key, in: document) }
    return value(.data) ?? value(.includes) ?? value(.meta) ?? value(.errors) != nil
  }

  static let noSign = "it has a text, but neither the author nor the time nor the counts of a post"

  /// Whether somebody says that the text with an id is a post: the context or the option.
  var isGivenAsPost: Bool { forced != nil || context.isGiven || shape == .archive }

  /// Whether it has what of all that have an id and a text only posts of X have.
  func hasSign(_ tweet: JSONValue, _ fields: Fields<V1TweetKey>) -> Bool {
    @inline(__always) func value(_ key: V1TweetKey) -> JSONValue? { arena.value(fields, key, in: tweet) }
    return value(.user)?.isObject ?? false || value(.fromUser)?.isString ?? false || value(.retweetCount) != nil
      || value(.favoriteCount) != nil || isTime(value(.createdAt))
  }

  func hasSign(_ tweet: JSONValue, _ fields: Fields<V2TweetKey>) -> Bool {
    @inline(__always) func value(_ key: V2TweetKey) -> JSONValue? { arena.value(fields, key, in: tweet) }
    if value(.authorID) != nil { return true }
    let objects = [value(.author), value(.publicMetrics), value(.attachments)]
    if objects.contains(where: { $0?.isObject ?? false }) { return true }
    let lists = [value(.editHistory), value(.postEditHistory), value(.referencedTweets), value(.referencedPosts)]
    return lists.contains { $0?.isArray ?? false } || isTime(value(.createdAt))
  }

  /// Whether it is a time as X writes it.
  private func isTime(_ value: JSONValue?) -> Bool {
    value.map { $0.isString && !$0.rawString.allSatisfy(\.isASCIIDigit) && Timestamp(of: $0) != nil } ?? false
  }

  /// Whether it has a text, which is empty for a post of media alone.
  private func hasText(_ probe: Fields<V1TweetKey>, in document: JSONValue) -> Bool {
    arena.has(probe, .text, in: document) || arena.has(probe, .fullText, in: document)
      || arena.has(probe, .extendedTweet, in: document)
  }

  private mutating func mapV1(_ document: JSONValue, _ probe: Fields<V1TweetKey>, into out: inout ByteBuffer) -> String?
  {
    let list = arena.value(probe, .statuses, in: document) ?? arena.value(probe, .results, in: document)
    if let statuses = list, statuses.isArray {
      if let account = document["account"], account["username"] != nil {
        return mapArchive(document, of: account, into: &out)
      }
      let reason = map(statuses: statuses, accounts: document["accounts"], into: &out)
      let service = context.isGiven ? context.service : nil
      appendNotRead(of: document, except: ["statuses", "results", "accounts"], service: service, to: &out)
      return reason
    }
    if hasText(probe, in: document) {
      return mapV1(tweet: document, probe, into: &out)
    }
    if let error = arena.value(probe, .error, in: document), error.isString {
      appendV2Error(document, to: &out)
      return nil
    }
    if let (kind, body) = V1MessageKind.find(in: document) {
      return mapV1(message: kind, body, in: document, into: &out)
    }
    if arena.value(probe, .screenName, in: document) != nil { return mapV1(user: document, into: &out) }
    return Self.unknownShape
  }

  /// Maps a search page of X API v1.1 or of Mastodon: both call their list `statuses`.
  private mutating func map(statuses: JSONValue, accounts: JSONValue?, into out: inout ByteBuffer) -> String? {
    let reason = mapEach(of: statuses, into: &out) { mapper, status, out in
      if status["account"] != nil { return mapper.mapMastodon(status: status, into: &out) }
      // Mastodon's filters list what they hide.
      if status["status_id"] != nil { return Self.unknownShape }
      return mapper.mapV1(tweet: status, into: &out)
    }
    return mapMastodon(statuses: nil, accounts: accounts, into: &out) ?? reason
  }

  /// Copies a record of the kit with its exact bytes. Only `"tw"` is moved to the front, if another program moved it
  /// away, and a tweet of a service that nobody reads but a plugin gets the entities of its text if it has none.
  private mutating func copy(record: JSONValue, type: JSONValue?, into out: inout ByteBuffer) -> String? {
    guard let type, type.isString else { return "\"tw\" is not a string" }
    if type.equals("context") { state.context = FeedContext(record) }
    if record.raw.starts(with: "{\"tw\":\"".utf8) {
      if type.node != record.node + 3 { return "it has two types" }
      if !type.equals("tweet") || !foundEntities.append(to: record, into: &out) { out.append(record) }
    } else {
      out.append("{\"tw\":")
      out.append(type)
      let place = foundEntities.insertionPoint(in: record)
      for (key, value) in record.members where !key.equals("tw") {
        out.append(member: key, value)
        if value.end == place, let text = record["text"] { foundEntities.append(in: text.rawString, to: &out) }
      }
      out.append(UInt8(ascii: "}"))
    }
    out.append(UInt8(ascii: "\n"))
    return nil
  }
}

/// What documents say about those after them: all that a mapper keeps from one document to the next.
package struct MapperState: Equatable, Sendable {
  var context = FeedContext()
  /// The author of tweets without a user.
  var owner: ArchiveOwner?
  /// The long posts of an X archive.
  var notes = ArchiveNotes()
  /// What belongs to the tweets of the file, and stands in another one.
  var companion = CompanionFile()
  /// What the posts of the file are that lists them by their addresses.
  var mark: ArchiveMark?
  /// The account of a Mastodon export; that of a Bluesky repository.
  var outboxOwner: OutboxOwner?
  var repositoryOwner: RepositoryOwner?

  package init() {}

  /// Takes over what a line says if it is a `context` record.
  package mutating func read(context line: [UInt8]) {
    guard let document = try? JSONDocument(line), document["tw"]?.equals("context") ?? false else { return }
    context = document.read { FeedContext($0) }
  }
}

/// The text of a post that a service has as HTML.
package enum PlainText {
  package static func ofHTML(_ text: String) -> String {
    var html = HTMLText()
    var buffer = ByteBuffer()
    buffer.appendJSONString(text)
    buffer.withBytes { html.read(ByteView(rebasing: $0.dropFirst().dropLast())) }
    return html.text.string
  }
}

/// Where in the output objects of the current document were written. A page refers to the same users and posts again
/// and again; each is mapped once and then copied from the output.
///
/// It is a cache with one entry a slot: a newer object replaces an older one with the same slot.
struct WrittenObjects: ~Copyable {
  private struct Entry {
    var generation = 0
    /// Of the document, which may be the tweet's or another with what belongs to it.
    var text: UnsafePointer<UInt8>?
    var node: UInt32 = 0
    var variant = 0
    var range = 0..<0
  }
  private static let bits = 9
  private var entries: [Entry] = []
  /// Entries of earlier generations are invalid.
  private var generation = 1

  /// Invalidates all entries: for another document, or when a part of the output is taken back.
  mutating func removeAll() { generation += 1 }

  /// Where `object` was written; `nil` when that is not known.
  /// - Parameter variant: tells apart the forms in which the same object is written.
  borrowing func find(_ object: JSONValue, variant: Int = 0) -> Range<Int>? {
    guard !entries.isEmpty else { return nil }
    let entry = entries[Self.slot(object.node, variant)]
    guard entry.generation == generation, entry.node == object.node, entry.text == object.text,
      entry.variant == variant
    else { return nil }
    return entry.range
  }

  /// Records where in the output `object` was written.
  mutating func insert(_ object: JSONValue, variant: Int = 0, at range: Range<Int>) {
    if entries.isEmpty { entries = Array(repeating: Entry(), count: 1 << Self.bits) }
    entries[Self.slot(object.node, variant)] = Entry(
      generation: generation, text: object.text, node: object.node, variant: variant, range: range)
  }

  private static func slot(_ node: UInt32, _ variant: Int) -> Int {
    let mixed = (node &+ UInt32(truncatingIfNeeded: variant)) &* 0x9E37_79B1
    return Int(mixed >> UInt32(32 - bits))
  }
}
