import TweetCore

/// A list of a record, by how two versions of it become one.
enum MergedList {
  /// Objects with ids or addresses: both lists' objects. Of any other list the newer version, unless all of it is in
  /// the older one.
  case other
  /// Values, such as `feeds`: those of both lists.
  case values
  /// Pictures and videos, by their keys. Some services' exports have none: then the place in the list counts.
  case media(isEdited: Bool)
  /// Tweets inside a tweet, by type and id.
  case references(isEdited: Bool)
  /// Entities of one kind, by their offsets: each place of a text is one entity, whoever found it.
  case entities(isSameText: Bool, beside: EntityPlaces)

  /// What the elements are.
  var part: RecordMerge.Part {
    switch self {
    case .other, .values: .other
    case .media: .media
    case .references: .tweet
    case .entities: .link
    }
  }

  /// What tells an element from the others of its list.
  private struct Identity: Hashable {
    var first: ByteView
    var second = ByteView.empty
    var third = ByteView.empty
  }

  /// For each element of the older list the same one of the newer list, if it is there; `nil` if nothing tells the
  /// elements apart.
  func matches(_ newer: [JSONValue], _ older: [JSONValue]) -> [Int?]? {
    switch self {
    case .values: return Alignment.matches(newer.map { $0.raw }, older.map { $0.raw })
    case .other: return otherMatches(newer, older)
    case .references:
      var matches = Alignment.matches(
        newer.map { Self.identity($0, ["type", "id"]) }, older.map { Self.identity($0, ["type", "id"]) })
      Self.matchTypes(&matches, newer, older)
      return matches
    case .media:
      var matches = Alignment.matches(newer.map(Self.medium), older.map(Self.medium))
      Self.matchPlaces(&matches, newer, older)
      return matches
    case .entities(let isSameText, _):
      var matches = Alignment.matches(newer.map(Self.entity), older.map(Self.entity))
      Self.matchOffsets(&matches, newer, older)
      if isSameText { Self.matchOverlaps(&matches, newer, older) }
      if !isSameText {
        for (index, match) in matches.enumerated() {
          if let match, !Self.isSameName(newer[match], older[index]) { matches[index] = nil }
        }
      }
      return matches
    }
  }

  /// Whether an element stays that only the older list has, by its index.
  func stays(_ newer: [JSONValue], _ older: [JSONValue], _ matches: [Int?]) -> (Int) -> Bool {
    switch self {
    case .other, .values: return { _ in true }
    case .media(let isEdited): return { _ in !isEdited }
    case .entities(let isSameText, let others): return { isSameText && !others.areTaken(by: older[$0]) }
    case .references(let isEdited):
      let old = Set(matches.compactMap { $0 })
      // Of each type that the newer version names: whether it names a tweet that the older one does not, and its text.
      var named: [ByteView: (isNew: Bool, hasText: Bool)] = [:]
      for (index, tweet) in newer.enumerated() {
        let isNew = !old.contains(index)
        let before = named[Self.type(tweet)] ?? (false, false)
        named[Self.type(tweet)] = (before.isNew || isNew, before.hasText || isNew && tweet["text"] != nil)
      }
      return { index in
        guard let named = named[Self.type(older[index])] else { return true }
        if isEdited { return false }
        // A tweet has one reference of a type, or two of which one is only an id of the same tweet.
        return !named.isNew || !named.hasText && older[index]["text"] != nil
      }
    }
  }

  /// Whether all elements are also in the other list. A list of numbers, such as coordinates, is one value.
  static func isPart(_ newer: [JSONValue], of older: [JSONValue]) -> Bool {
    guard newer.allSatisfy({ $0.isString || $0.isObject }) else { return false }
    let old = Set(older.map { $0.raw })
    return newer.allSatisfy { old.contains($0.raw) }
  }

  private func otherMatches(_ newer: [JSONValue], _ older: [JSONValue]) -> [Int?]? {
    let keys: [StaticString] = ["id", "media_key", "position", "url", "uri"]
    guard
      let key = keys.first(where: { key in newer.allSatisfy { $0[key] != nil } && older.allSatisfy { $0[key] != nil } })
    else { return nil }
    return Alignment.matches(newer.map { Self.identity($0, [key]) }, older.map { Self.identity($0, [key]) })
  }

  private static func identity(_ element: JSONValue, _ keys: [StaticString]) -> Identity {
    func bytes(_ index: Int) -> ByteView {
      index < keys.count ? element[keys[index]]?.raw ?? .empty : .empty
    }
    return Identity(first: bytes(0), second: bytes(1))
  }

  /// Matches tweets of one type of which one version has no id: an archive's retweet names only whose it is. A longer
  /// list is not a service's.
  private static func matchTypes(_ matches: inout [Int?], _ newer: [JSONValue], _ older: [JSONValue]) {
    guard newer.count <= mostReferences, older.count <= mostReferences else { return }
    for index in matches.indices where matches[index] == nil {
      matches[index] = newer.indices.first { other in
        !matches.contains(other) && type(newer[other]) == type(older[index])
          && (newer[other]["id"] == nil || older[index]["id"] == nil)
      }
    }
  }

  private static let mostReferences = 8

  private static func type(_ tweet: JSONValue) -> ByteView { tweet["type"]?.raw ?? .empty }

  private static func medium(_ medium: JSONValue) -> Identity {
    Identity(first: (medium["media_key"] ?? medium["url"] ?? medium).raw)
  }

  /// Matches media of which one version has no key by their places.
  private static func matchPlaces(_ matches: inout [Int?], _ newer: [JSONValue], _ older: [JSONValue]) {
    let taken = Set(matches.compactMap { $0 })
    for index in matches.indices where matches[index] == nil && index < newer.count && !taken.contains(index) {
      if newer[index]["media_key"] == nil || older[index]["media_key"] == nil { matches[index] = index }
    }
  }

  /// An entity without offsets stands in no text: it is known by its name.
  private static func entity(_ entity: JSONValue) -> Identity {
    guard let start = entity["start"] else { return Identity(first: (name(entity) ?? entity).raw) }
    return Identity(
      first: start.raw, second: entity["end"]?.raw ?? .empty,
      third: entity["media_key"]?.raw ?? .empty)
  }

  /// Matches entities of which only one version knows the picture that it links to.
  private static func matchOffsets(_ matches: inout [Int?], _ newer: [JSONValue], _ older: [JSONValue]) {
    guard matches.contains(where: { $0 == nil }) else { return }
    let taken = Set(matches.compactMap { $0 })
    var free: [Identity: Int] = [:]
    for index in newer.indices.reversed() where !taken.contains(index) && newer[index]["start"] != nil {
      free[identity(newer[index], ["start", "end"])] = index
    }
    for index in matches.indices where matches[index] == nil && older[index]["start"] != nil {
      let offsets = identity(older[index], ["start", "end"])
      guard let found = free[offsets], newer[found]["media_key"] == nil || older[index]["media_key"] == nil else {
        continue
      }
      matches[index] = found
      free[offsets] = nil
    }
  }

  /// Matches entities of one name whose places overlap, such as one that was found in the text and one that the service
  /// has sent with offsets of its own.
  private static func matchOverlaps(_ matches: inout [Int?], _ newer: [JSONValue], _ older: [JSONValue]) {
    guard matches.contains(where: { $0 == nil }) else { return }
    var taken = Set(matches.compactMap { $0 })
    let places = EntityPlaces(newer)
    for index in matches.indices where matches[index] == nil {
      guard let found = places.index(overlapping: older[index]), !taken.contains(found),
        name(newer[found])?.string?.lowercased() == name(older[index])?.string?.lowercased()
      else { continue }
      matches[index] = found
      taken.insert(found)
    }
  }

  private static func name(_ entity: JSONValue) -> JSONValue? { entity["tag"] ?? entity["username"] ?? entity["url"] }

  private static func isSameName(_ one: JSONValue, _ other: JSONValue) -> Bool {
    guard let one = name(one), let other = name(other) else { return false }
    return one.hasBytes(of: other)
  }
}

/// Which places of a text entities take.
struct EntityPlaces {
  /// By where they begin, each with the index of its entity, and the end of all up to it.
  private var places: [(range: Range<Int>, index: Int, end: Int)] = []

  /// The places of all entities of a version of a tweet; none of `nil`.
  init(_ entities: JSONValue?) {
    // X's annotations are about parts of a text that may be anything else too.
    let kinds: [StaticString] = ["hashtags", "mentions", "cashtags", "urls"]
    self.init(kinds.flatMap { kind in entities?[kind].map { Array($0.elements) } ?? [] })
  }

  /// - Parameter entities: of any kinds.
  init(_ entities: [JSONValue]) {
    let ranges = entities.enumerated().compactMap { index, entity in Self.range(entity).map { ($0, index) } }
    for (range, index) in ranges.sorted(by: { $0.0.lowerBound < $1.0.lowerBound }) {
      places.append((range, index, max(range.upperBound, places.last?.end ?? .min)))
    }
  }

  /// Whether an entity has letters of the text that another has. Links to pictures may share theirs.
  func areTaken(by entity: JSONValue) -> Bool {
    guard entity["media_key"] == nil, let range = Self.range(entity), let last = last(before: range.upperBound) else {
      return false
    }
    return places[last].end > range.lowerBound
  }

  /// The index of an entity that has letters of the text that another one has.
  func index(overlapping entity: JSONValue) -> Int? {
    guard let range = Self.range(entity), let last = last(before: range.upperBound) else { return nil }
    return places[last].range.overlaps(range) ? places[last].index : nil
  }

  private func last(before end: Int) -> Int? {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle].range.lowerBound < end { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }

  private static func range(_ entity: JSONValue) -> Range<Int>? {
    guard let start = entity["start"]?.integer, let end = entity["end"]?.integer, start < end else { return nil }
    return start..<end
  }
}

/// Two versions of a link in a tweet. What tw-linkcheck has added belongs together: the members of the later check
/// count.
struct LinkVersions {
  private let isNewer: Bool
  /// Whether what only the other version has comes from an earlier check.
  private let dropsOther: Bool
  /// Whether the later check has found a title.
  let hasTitle: Bool

  /// `nil` if neither version was checked.
  init?(newer: JSONValue, older: JSONValue) {
    let (new, old) = (newer["checked_at"], older["checked_at"])
    guard new != nil || old != nil else { return nil }
    if let new = new?.time, let old = old?.time { isNewer = new >= old } else { isNewer = new != nil }
    dropsOther = new != nil && old != nil
    hasTitle = (isNewer ? newer : older)["title"] != nil
  }

  /// The value of a member of checked links.
  func value(_ new: JSONValue?, _ old: JSONValue?) -> JSONValue? {
    let (one, other) = isNewer ? (new, old) : (old, new)
    return one ?? (dropsOther ? nil : other)
  }
}
