import Libc
import TweetCore

/// The objects that a v2 page sends once beside its tweets (`includes`), found by id.
struct Includes: ~Copyable {
  private var users = IncludeTable()
  private var tweets = IncludeTable()
  private var media = IncludeTable()
  private var polls = IncludeTable()
  private var places = IncludeTable()

  init() {}

  /// Indexes the objects that a document includes, and forgets those of the document before. The list of posts has two
  /// names, `tweets` and `posts`.
  mutating func read(_ includes: JSONValue?) {
    users.removeAll()
    tweets.removeAll()
    media.removeAll()
    polls.removeAll()
    places.removeAll()
    guard let includes, includes.isObject else { return }
    for (key, list) in includes.members where list.isArray {
      if key.spells("users") {
        users.insert(list, by: "id")
      } else if key.spells("tweets") || key.spells("posts") {
        tweets.insert(list, by: "id")
      } else if key.spells("media") {
        media.insert(list, by: "media_key")
      } else if key.spells("polls") {
        polls.insert(list, by: "id")
      } else if key.spells("places") {
        places.insert(list, by: "id")
      }
    }
  }

  borrowing func user(_ id: JSONValue?) -> JSONValue? { users.find(id) }
  borrowing func tweet(_ id: JSONValue?) -> JSONValue? { tweets.find(id) }
  borrowing func medium(_ key: JSONValue?) -> JSONValue? { media.find(key) }
  borrowing func poll(_ id: JSONValue?) -> JSONValue? { polls.find(id) }
  borrowing func place(_ id: JSONValue?) -> JSONValue? { places.find(id) }
}

/// Objects by one of their strings: a hash table with open addressing, filled again for each document.
private struct IncludeTable: ~Copyable {
  private struct Entry {
    let key: JSONValue
    let object: JSONValue
    let hash: Int
  }
  private var slots: [Int32] = []
  /// Random, so that nobody can make ids whose hashes collide.
  private let secret = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max) | 1)
  private var entries: [Entry] = []

  mutating func removeAll() {
    if entries.isEmpty { return }
    entries.removeAll(keepingCapacity: true)
    for slot in slots.indices { slots[slot] = -1 }
  }

  /// Inserts the objects of `list` by their member `name`. Of several with one key the first counts.
  mutating func insert(_ list: JSONValue, by name: StaticString) {
    for object in list.elements {
      guard let key = object[name], key.isString, find(key) == nil else { continue }
      entries.append(Entry(key: key, object: object, hash: hash(key.rawString)))
      if entries.count * 2 > slots.count { grow() } else { link(entries.count - 1) }
    }
  }

  borrowing func find(_ key: JSONValue?) -> JSONValue? {
    guard let key, key.isString, !entries.isEmpty else { return nil }
    let bytes = key.rawString
    let hash = hash(bytes)
    var slot = hash & (slots.count - 1)
    while slots[slot] >= 0 {
      let entry = entries[Int(slots[slot])]
      if entry.hash == hash, entry.key.rawString == bytes { return entry.object }
      slot = (slot + 1) & (slots.count - 1)
    }
    return nil
  }

  private mutating func grow() {
    slots = Array(repeating: -1, count: max(64, slots.count * 2))
    for entry in entries.indices { link(entry) }
  }

  /// Puts an entry into the first free slot after its hash.
  private mutating func link(_ entry: Int) {
    var slot = entries[entry].hash & (slots.count - 1)
    while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
    slots[slot] = Int32(truncatingIfNeeded: entry)
  }

  /// Hashes eight bytes at a time: each word is multiplied into the hash, and the halves of the product are combined.
  private borrowing func hash(_ bytes: ByteView) -> Int {
    guard let start = bytes.baseAddress else { return 0 }
    var hash = secret.0 ^ UInt64(truncatingIfNeeded: bytes.count)
    var at = 0
    while at < bytes.count {
      // This may read past the string: more text follows it, or padding.
      var word = UnsafeRawPointer(start + at).loadUnaligned(as: UInt64.self)
      let left = bytes.count - at
      if left < 8 { word = word.littleEndian & ((1 << UInt64(8 * left)) - 1) }
      let product = (hash ^ word).multipliedFullWidth(by: secret.1)
      hash = product.high ^ product.low
      at += 8
    }
    return Int(truncatingIfNeeded: hash)
  }
}
