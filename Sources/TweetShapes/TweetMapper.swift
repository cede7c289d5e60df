package import TweetCore

/// Turns documents of any known shape into records.
///
/// It holds what the last `context` record said and the memory it works in; a run uses one of them, or one a thread.
/// ``map(_:into:)`` is the kit's hot path: no value becomes a String where its bytes will do.
package struct TweetMapper: ~Copyable {
  var arena = FieldArena()
  var context = FeedContext()
  let v1TweetKeys = KeyTable<V1TweetKey>()
  let v1UserKeys = KeyTable<V1UserKey>()
  let v1EntitiesKeys = KeyTable<V1EntitiesKey>()
  let v1EntityKeys = KeyTable<V1EntityKey>()
  let v2TweetKeys = KeyTable<V2TweetKey>()
  let v2UserKeys = KeyTable<V2UserKey>()
  let v2MetricKeys = KeyTable<V2MetricKey>()
  let socialKeys = KeyTable<SocialKey>()
  let mastodonStatusKeys = KeyTable<MastodonStatusKey>()
  let mastodonAccountKeys = KeyTable<MastodonAccountKey>()
  let blueskyProfileKeys = KeyTable<BlueskyProfileKey>()
  var includes = Includes()
  var written = WrittenObjects()
  /// The HTML of the status in work, and of the account within it.
  var html = HTMLText()
  var noteHTML = HTMLText()
  /// The text of the post in work, that its facets' offsets count.
  var facetText = ByteBuffer()
  /// Where in the output nothing more is put into posts that they refer to.
  var inlineLimit = Int.max
  /// Whether the document in work is a page of several, how long it is, and how far it has come.
  var isPage = false
  var pageLength = 0
  var parts = PageParts()
  /// Where in the output the document in work starts, or its part; and the length that ends a part of a page.
  var partStart = 0
  let partLength: Int
  /// Where the text of the post in work stands in the output; and the same decoded.
  var textRange = 0..<0
  var foundText = ByteBuffer()
  /// Whether the last document was the length of the next.
  private var hasLength = false
  /// Whose tweets those without a user are.
  var owner: ArchiveOwner?
  /// How deep tweets within tweets are followed; X sends two levels, and hostile input shall not send a thousand.
  static let maximumNesting = 8

  /// Texts are decoded in memory of a few times their length. The longest posts of servers that set their own limits have
  /// some hundred thousand bytes.
  static let longestText = 4 << 20

  /// - Parameters:
  ///   - owner: whose tweets those without a user are, as in X's archives; the archive's own account file says it too.
  ///   - shape: what every document is taken for; `nil` has each recognised by itself.
  ///   - partLength: about how many bytes of a long page are given at once.
  package init(owner: ArchiveOwner? = nil, shape: TweetShape? = nil, partLength: Int = 4 << 20) {
    self.owner = owner
    self.partLength = partLength
    forced = shape
    self.shape = shape ?? .records
  }

  let forced: TweetShape?
  /// The shape of the document that was mapped last.
  package internal(set) var shape: TweetShape

  /// Whether something has come that what follows depends on: a `context` record, or an archive's owner.
  package internal(set) var hasContext = false

  /// Whether the page mapped last has another part, for the next call to append.
  package var hasMore: Bool { parts.isOpen }

  /// Forgets the other parts of a page.
  package mutating func dropRest() { parts = PageParts() }

  /// Appends what `record` holds as records, a line each. Of a page that makes many, a part: while there is more
  /// (``hasMore``), the same record must be given again.
  /// - Returns: `nil`, or why the document is none that is known. Nothing is appended then, except of a page: its good
  ///   elements are, whatever is wrong with the others.
  package mutating func map(_ record: Record, into out: inout ByteBuffer) -> String? {
    partStart = out.count
    isPage = false
    pageLength = record.bytes.count
    parts.begin()
    limitInlining(from: partStart, length: pageLength)
    let found =
      record.event == .delete
      ? mapMastodon(delete: record.root, into: &out)
      : record.root.kind == .number ? take(length: record) : map(document: record.root, into: &out)
    let reason = parts.finish(found, from: partStart, &out)
    hasLength = record.root.kind == .number && reason == nil
    if reason != nil, !isPage { out.truncate(to: partStart) }
    return reason
  }

  /// A number on its own: captures of v1.1's `delimited=length` have each message's length on a line before it. The
  /// message's own end says enough, so the length is only passed over; two of them in a row are no such capture.
  private func take(length record: Record) -> String? {
    guard record.root.integer ?? -1 >= 0, !record.isElement, !hasLength else { return "not an object" }
    return nil
  }

  mutating func map(document: JSONValue, into out: inout ByteBuffer) -> String? {
    guard document.isObject else { return "not an object" }
    let probe = arena.gather(document, v1TweetKeys)
    defer { arena.release(probe) }
    if let type = arena.value(probe, .tw, in: document) {
      shape = .records
      return passOn(document, type: type, into: &out)
    }
    if document.hasString(longerThan: Self.longestText) { return "a text longer than \(Self.longestText) bytes" }
    shape = forced ?? detect(document, probe)
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

  /// Which shape a document has that is no record of the kit. Mastodon and Bluesky are told apart later.
  private func detect(_ document: JSONValue, _ probe: Fields<V1TweetKey>) -> TweetShape {
    @inline(__always) func value(_ key: V1TweetKey) -> JSONValue? { arena.value(probe, key, in: document) }
    if isV2Page(document, probe) { return .v2 }
    if (value(.statuses) ?? value(.results))?.isArray ?? false { return .v1 }
    // Mastodon's editing form and the statuses it deletes have a text as well.
    if value(.account)?["id"] != nil || arena.has(probe, .spoilerText, in: document) {
      return .mastodon
    }
    if hasText(probe, in: document) {
      return value(.idString) ?? value(.user) ?? value(.fullText) != nil ? .v1 : .v2
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

  /// A post of media alone has an empty text.
  private func hasText(_ probe: Fields<V1TweetKey>, in document: JSONValue) -> Bool {
    arena.has(probe, .text, in: document) || arena.has(probe, .fullText, in: document)
      || arena.has(probe, .extendedTweet, in: document)
  }

  private mutating func mapV1(_ document: JSONValue, _ probe: Fields<V1TweetKey>, into out: inout ByteBuffer) -> String?
  {
    let list = arena.value(probe, .statuses, in: document) ?? arena.value(probe, .results, in: document)
    if let statuses = list, statuses.isArray {
      return map(statuses: statuses, accounts: document["accounts"], into: &out)
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
    return "not a tweet in a known shape"
  }

  /// Search pages of X API v1.1 and of Mastodon have their posts under the same name.
  private mutating func map(statuses: JSONValue, accounts: JSONValue?, into out: inout ByteBuffer) -> String? {
    let reason = mapEach(of: statuses, into: &out) { mapper, status, out in
      if status["account"] != nil { return mapper.mapMastodon(status: status, into: &out) }
      // Mastodon's filters list what they hide.
      if status["status_id"] != nil { return "not a tweet in a known shape" }
      return mapper.mapV1(tweet: status, into: &out)
    }
    return mapMastodon(statuses: nil, accounts: accounts, into: &out) ?? reason
  }

  /// A record of the kit goes on with its exact bytes, `"tw"` moved to the front where something moved it away.
  private mutating func passOn(_ record: JSONValue, type: JSONValue, into out: inout ByteBuffer) -> String? {
    guard type.isString else { return "\"tw\" is not a string" }
    if type.equals("context") {
      context = FeedContext(record)
      hasContext = true
    }
    if record.raw.starts(with: "{\"tw\":\"".utf8) {
      out.append(record)
    } else {
      out.append("{\"tw\":")
      out.append(type)
      for (key, value) in record.members where !key.spells("tw") {
        out.append(member: key, value)
      }
      out.append(UInt8(ascii: "}"))
    }
    out.append(UInt8(ascii: "\n"))
    return nil
  }
}
