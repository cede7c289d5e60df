import CChecksum
import TweetCore

/// The users that were stored or found last.
struct KnownUsers {
  /// When there are that many newer ones, the older ones are dropped, and the newer ones become the older ones.
  private let most: Int
  /// By their identity. Who is found among the older ones becomes a newer one.
  private var newer: [Int: KnownUser] = [:]
  private var older: [Int: KnownUser] = [:]

  /// - Parameter most: half as many as are remembered at most: 100 bytes each.
  init(most: Int = 50_000) { self.most = most }

  /// A hash of service and id. Swift seeds it anew in each process, so nobody can choose ids that collide.
  static func identity(service: JSONValue, id: JSONValue) -> Int {
    var hasher = Hasher()
    for value in [service, id] {
      hasher.combine(bytes: value.rawString)
      hasher.combine(value.rawString.count)
    }
    return hasher.finalize()
  }

  mutating func find(_ identity: Int) -> KnownUser? {
    if let user = newer[identity] { return user }
    guard let user = older[identity] else { return nil }
    insert(user, identity)
    return user
  }

  mutating func insert(_ user: KnownUser, _ identity: Int) {
    if newer.count >= most {
      swap(&newer, &older)
      newer.removeAll(keepingCapacity: true)
    }
    newer[identity] = user
  }

  mutating func removeAll() {
    newer.removeAll()
    older.removeAll()
  }
}

/// Hashes of a stored profile. They decide whether anything must be written.
struct KnownUser {
  /// The same profile has other hashes in each process: nobody can make a version of a profile that looks unchanged.
  private static let seed = UInt64.random(in: .min ... .max)

  var key = 0
  var retrieved: Timestamp?
  /// The hash of the whole profile.
  let profile: UInt64
  /// The hash of its keys, of those of the objects in it, and of its lists: with the same ones a version says as much
  /// as the one before.
  let shape: UInt64
  /// The hash of the user's names.
  let names: UInt64

  init(_ profile: JSONValue) {
    var names = Self.seed
    for (key, value) in profile.members where key.equals("username") || key.equals("name") {
      names = Self.hash(value.raw, after: names)
    }
    shape = Self.shape(of: profile, after: Self.seed)
    self.names = names
    self.profile = Self.hash(profile)
  }

  private static func shape(of value: JSONValue, after seed: UInt64) -> UInt64 {
    // What is empty says nothing.
    let isEmptyText = value.isString && value.rawString.isEmpty
    if value.isArray || value.isNull || isEmptyText { return hash(value.raw, after: seed) }
    guard value.isObject else { return seed }
    let members = value.members.reduce(hash("{", after: seed)) { hash, member in
      shape(of: member.value, after: Self.hash(member.key.rawString, after: hash))
    }
    return hash("}", after: members)
  }

  private static func hash(_ text: StaticString, after seed: UInt64) -> UInt64 {
    tw_hash(text.utf8Start, text.utf8CodeUnitCount, seed)
  }

  /// The hash of a whole profile.
  static func hash(_ profile: JSONValue) -> UInt64 { hash(profile.raw, after: seed) }

  private static func hash(_ bytes: ByteView, after seed: UInt64) -> UInt64 {
    tw_hash(bytes.baseAddress, bytes.count, seed)
  }
}
