import TweetCore

/// Merges two versions of a record. What one of them says stays said: where both say something about the same thing,
/// the newer one counts; a version that says less takes nothing away. Only an edit does: what belongs to a text goes
/// with it.
///
/// Objects are merged member by member, lists by what their elements are (``MergedList``). ``plan(_:_:_:in:_:)`` names
/// the members for which something else holds.
struct RecordMerge {
  /// What an object is: some of its members are merged in a way of their own.
  enum Part {
    case tweet, profile, media, link, other
    /// - Parameter isEdited: whether the newer one replaces what it does not have.
    case attachments(isEdited: Bool)
    /// - Parameter isSameText: whether both versions are about the same text. If not, the other one only adds members
    ///   to the entities that both have.
    case entities(isSameText: Bool)

    /// Whether members stay that only the older version has.
    fileprivate var keepsOlder: Bool {
      switch self {
      case .attachments(let isEdited): !isEdited
      case .entities(let isSameText): isSameText
      default: true
      }
    }
  }

  /// How a value is written.
  enum Plan {
    case copy(JSONValue)
    case object(newer: JSONValue, older: JSONValue, Part)
    case list(newer: JSONValue, older: JSONValue, MergedList)
    /// The elements of a list of entities whose places are free.
    case rest(of: JSONValue, beside: EntityPlaces)
  }

  /// The most levels of objects and lists that are merged. Services send about a dozen; below that the newer one
  /// replaces.
  private static let deepest = 64

  /// When the two versions were read.
  private let newerTime: Timestamp?
  private let olderTime: Timestamp?
  /// How many objects and lists are around what is merged.
  private var depth = 0

  /// Appends two versions of a tweet as one. Its keys keep the order that they have in both.
  /// - Returns: whether the newer version is an edit of the older one.
  @discardableResult
  static func append(newer: JSONValue, older: JSONValue, to buffer: inout ByteBuffer) -> Bool {
    var merge = Self(newerTime: newer["retrieved_at"]?.time, olderTime: older["retrieved_at"]?.time)
    let text = TextVersions(newer: newer, older: older, olderTime: merge.olderTime)
    merge.append(newer, older, .tweet, text, to: &buffer)
    return text.isEdit
  }

  /// Appends two versions of a profile as one.
  static func append(newerProfile newer: JSONValue, older: JSONValue, to buffer: inout ByteBuffer) {
    var merge = Self(newerTime: nil, olderTime: nil)
    merge.append(newer, older, .profile, nil, to: &buffer)
  }

  /// Appends two versions of a notification as one.
  static func append(newerNotification newer: JSONValue, older: JSONValue, to buffer: inout ByteBuffer) {
    var merge = Self(newerTime: nil, olderTime: nil)
    merge.append(newer, older, .other, nil, to: &buffer)
  }

  /// - Parameter text: which text the tweet gets; `nil` for other objects.
  private mutating func append(
    _ newer: JSONValue, _ older: JSONValue, _ part: Part, _ text: TextVersions?, to buffer: inout ByteBuffer
  ) {
    if newer.hasBytes(of: older) || depth >= Self.deepest { return buffer.append(newer.raw) }
    depth += 1
    defer { depth -= 1 }
    let (news, olds) = (Array(newer.members), Array(older.members))
    let matches = Alignment.matches(news.map { $0.key.rawString }, olds.map { $0.key.rawString })
    var viewers = text == nil ? nil : Viewers(newer: newer, newerTime, older: older, olderTime)
    let hasViewers = viewers != nil
    let check = if case .link = part { LinkVersions(newer: newer, older: older) } else { nil as LinkVersions? }
    let sides = Sides(newer: newer, older: older, part: part, text: text, check: check)
    buffer.object { out in
      for pair in Alignment.pairs(newer: news.count, matches) {
        let (new, old) = (pair.newer.map { news[$0].value }, pair.older.map { olds[$0].value })
        guard let key = pair.newer.map({ news[$0].key }) ?? pair.older.map({ olds[$0].key }) else { continue }
        if hasViewers, key.equals("viewer") || key.equals("viewers") {
          // Both members stand where the first of them stood.
          viewers?.append(to: &out)
          viewers = nil
          continue
        }
        guard let plan = sides.plan(key, new, old) else { continue }
        out.key(key)
        append(plan, to: &out)
      }
    }
  }

  private mutating func append(_ plan: Plan, to buffer: inout ByteBuffer) {
    switch plan {
    case .copy(let value): buffer.append(value)
    case .list(let newer, let older, let list): append(newer, older, list, to: &buffer)
    case .rest(let list, let places):
      buffer.array { out in
        for entity in list.elements where !places.areTaken(by: entity) {
          out.append(UInt8(ascii: ","))
          out.append(entity)
        }
      }
    case .object(let newer, let older, let part):
      var text: TextVersions?
      if case .tweet = part { text = TextVersions(newer: newer, older: older, olderTime: olderTime) }
      append(newer, older, part, text, to: &buffer)
    }
  }

  /// Appends two lists as one.
  private mutating func append(
    _ newer: JSONValue, _ older: JSONValue, _ list: MergedList, to buffer: inout ByteBuffer
  ) {
    if newer.hasBytes(of: older) || depth >= Self.deepest { return buffer.append(newer.raw) }
    depth += 1
    defer { depth -= 1 }
    let (news, olds) = (Array(newer.elements), Array(older.elements))
    guard let matches = list.matches(news, olds) else {
      return buffer.append(MergedList.isPart(news, of: olds) ? older.raw : newer.raw)
    }
    let stays = list.stays(news, olds, matches)
    buffer.array { out in
      for pair in Alignment.pairs(newer: news.count, matches) {
        if pair.newer == nil, let older = pair.older, !stays(older) { continue }
        let (new, old) = (pair.newer.map { news[$0] }, pair.older.map { olds[$0] })
        guard let plan = Plan(new, old, list.part) else { continue }
        out.append(UInt8(ascii: ","))
        append(plan, to: &out)
      }
    }
  }
}

extension RecordMerge.Plan {
  /// How two versions of one value are merged, of which one may be missing; `nil` if both are. What is empty says
  /// nothing.
  init?(_ newer: JSONValue?, _ older: JSONValue?, _ part: RecordMerge.Part = .other, _ list: MergedList = .other) {
    guard let newer else {
      guard let older else { return nil }
      self = .copy(older)
      return
    }
    if let older, !older.saysNothing {
      if newer.saysNothing {
        self = .copy(older)
        return
      }
      if newer.isObject, older.isObject {
        self = .object(newer: newer, older: older, part)
        return
      }
      if newer.isArray, older.isArray {
        self = .list(newer: newer, older: older, list)
        return
      }
    }
    self = .copy(newer)
  }
}

/// Two versions of an object whose members are merged.
private struct Sides {
  let newer: JSONValue
  let older: JSONValue
  let part: RecordMerge.Part
  let text: TextVersions?
  let check: LinkVersions?

  /// How a member is merged; `nil` if it is left out.
  func plan(_ key: JSONValue, _ new: JSONValue?, _ old: JSONValue?) -> RecordMerge.Plan? {
    if new == nil, !part.keepsOlder { return nil }
    switch part {
    case .tweet: return tweet(key, new, old)
    case .profile: return profile(key, new, old)
    case .link:
      if let check, CheckMembers.contain(key, hasTitle: check.hasTitle) {
        return check.value(new, old).map { .copy($0) }
      }
    case .entities(let isSameText):
      let places = EntityPlaces(isSameText && !key.equals("annotations") ? newer : nil)
      if new?.saysNothing != false, let old, old.elements.contains(where: { places.areTaken(by: $0) }) {
        return old.elements.allSatisfy { places.areTaken(by: $0) } ? nil : .rest(of: old, beside: places)
      }
      return .init(new, old, .other, .entities(isSameText: isSameText, beside: places))
    case .attachments(let isEdited):
      if key.equals("media") { return .init(new, old, .other, .media(isEdited: isEdited)) }
      if key.equals("media_keys") { return isEdited ? .init(new, nil) : .init(new, old, .other, .values) }
    case .media:
      if key.equals("picture") { return Self.picture(new, old).map { .copy($0) } }
    case .other: break
    }
    return other(new, old)
  }

  private func tweet(_ key: JSONValue, _ new: JSONValue?, _ old: JSONValue?) -> RecordMerge.Plan? {
    guard let text else { return other(new, old) }
    // By length first: most keys are no such key.
    switch key.rawString.count {
    case 4 where key.equals("text"): return text.chosen(new, old).map { .copy($0) }
    case 18 where key.equals("display_text_range") && !text.isSame: return text.chosen(new, old).map { .copy($0) }
    case 8 where key.equals("entities"): return entities(new, old, text)
    case 11 where key.equals("attachments"):
      if text.isEdit, new == nil { return nil }
      return .init(new, old, .attachments(isEdited: text.isEdit))
    case 17 where key.equals("referenced_tweets"):
      return .init(new, old, .other, .references(isEdited: text.isEdit))
    // A tweet has one author, even if services give two ids to them.
    case 6 where key.equals("author"): return .init(new, old, .profile)
    case 16 where key.equals("in_reply_to_user") && isSameThing(new, old): return .init(new, old, .profile)
    case 5 where key.equals("feeds"): return .init(new, old, .other, .values)
    // A service sends it with each version that it sends whole, for as long as it withholds the tweet.
    case 8 where key.equals("withheld") && newer["text"] != nil: return new.map { .copy($0) }
    default: return other(new, old)
    }
  }

  private func entities(_ new: JSONValue?, _ old: JSONValue?, _ text: TextVersions) -> RecordMerge.Plan? {
    if text.isSame { return .init(new, old, .entities(isSameText: true)) }
    guard let chosen = text.chosen(new, old, orOther: false) else { return nil }
    if text.isEdit { return .copy(chosen) }
    return .init(chosen, text.isNewer ? old : new, .entities(isSameText: false))
  }

  private func profile(_ key: JSONValue, _ new: JSONValue?, _ old: JSONValue?) -> RecordMerge.Plan? {
    if key.equals("avatar") { return Self.picture(new, old).map { .copy($0) } }
    // They have the offsets of what stands in the description.
    if key.equals("entities"), let one = newer["description"], let other = older["description"],
      !one.hasBytes(of: other)
    {
      return new.map { .copy($0) }
    }
    return other(new, old)
  }

  private func other(_ new: JSONValue?, _ old: JSONValue?) -> RecordMerge.Plan? {
    if let new, !new.saysNothing, !isSameThing(new, old) { return .copy(new) }
    return .init(new, old)
  }

  /// Whether two objects may be the same thing: their ids, if both have one, do not differ.
  private func isSameThing(_ one: JSONValue?, _ other: JSONValue?) -> Bool {
    let keys: [StaticString] = ["id", "place_id"]
    guard let one, let other, one.isObject, other.isObject else { return true }
    return keys.allSatisfy { key in
      guard let id = one[key], let otherID = other[key] else { return true }
      return id.hasBytes(of: otherID)
    }
  }

  /// What tw-avatar has added belongs together. That a picture could not be fetched does not replace one that could.
  private static func picture(_ new: JSONValue?, _ old: JSONValue?) -> JSONValue? {
    guard let new else { return old }
    let isFailure = new["key"] == nil && new["error"] != nil
    return isFailure && old?["key"] != nil ? old : new
  }
}

extension JSONValue {
  /// Whether it is an empty value, as records have for nothing that is known.
  fileprivate var saysNothing: Bool { isNull || isEmpty || isString && rawString.isEmpty }
}
