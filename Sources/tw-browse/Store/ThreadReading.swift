import TweetCore
import TweetDisplay
import TweetStore

/// A tweet of a thread, and its place in the tree.
struct ThreadRow: Sendable {
  let key: Int
  let branch: Branch

  /// What stands left of it.
  struct Branch: Sendable {
    /// For each fork above it, from the outermost on, whether another answer comes further down.
    let rails: [Bool]
    let place: ThreadOrder.Place
    /// Whether it answers a tweet that is not stored.
    let isOrphan: Bool
  }
}

extension TweetStore {
  /// The tweets of a thread as a tree: each above those that answer it.
  /// - Parameter name: an id, an address or `service:id`.
  /// - Returns: the rows, and the key of the one that was named.
  borrowing func tree(ofThread name: String) throws(ToolError) -> (rows: [ThreadRow], named: Int?) {
    var keys = try self.keys(inThreadOf: name)
    var members = try self.members(keys)
    // The answers to what it answers belong to it too.
    if let first = Self.first(of: members, above: name), first != name {
      keys = try self.keys(inThreadOf: first)
      members = try self.members(keys)
    }
    let indices = Self.indices(members)
    var order = ThreadOrder(members.map { $0.answered.flatMap { indices[$0] } ?? -1 })
    var places: [ThreadOrder.Member] = []
    order.append(thread: keys.indices.lazy.map { Int32($0) }, to: &places)
    let rows = places.map { place in
      let member = members[Int(place.tweet)]
      let isOrphan = member.answered.map { indices[$0] == nil } ?? false
      let rails = (0..<place.depth).map { place.isOpen($0 + 1) }
      return ThreadRow(key: keys[Int(place.tweet)], branch: .init(rails: rails, place: place.place, isOrphan: isOrphan))
    }
    let named = members.firstIndex { $0.isNamed(name) }
    return (rows, named.map { keys[$0] })
  }

  private borrowing func members(_ keys: [Int]) throws(ToolError) -> [ThreadMember] {
    guard var pages = try self.pages(.everything) else { return [] }
    var members: [ThreadMember] = []
    for key in keys {
      var record: [UInt8] = []
      try pages.read(key: key) { (bytes) throws(ToolError) in record = Array(bytes) }
      members.append(ThreadMember(record))
    }
    return members
  }

  private static func indices(_ members: [ThreadMember]) -> [String: Int32] {
    var indices: [String: Int32] = [:]
    for (index, member) in members.enumerated() { indices[member.name] = Int32(index) }
    return indices
  }

  /// The name of the uppermost tweet above one, as far as they are stored; made-up ones may answer each other in a
  /// circle.
  private static func first(of members: [ThreadMember], above name: String) -> String? {
    let indices = Self.indices(members)
    guard var member = members.first(where: { $0.isNamed(name) }) else { return nil }
    for _ in members {
      guard let index = member.answered.flatMap({ indices[$0] }) else { break }
      member = members[Int(index)]
    }
    return member.name
  }
}

/// What a thread needs to know of a tweet.
private struct ThreadMember {
  let name: String
  let id, address: String?
  /// `service:id` of what it answers.
  let answered: String?

  /// Whether a person means it by an id, an address or `service:id`.
  func isNamed(_ text: String) -> Bool { [name, id, address].contains(text) }

  /// - Parameter record: as it is stored.
  init(_ record: [UInt8]) {
    // A stored record is sound JSON; one that is not answers nothing.
    let document = try? JSONDocument(record)
    let service = document?["service"]?.string ?? ""
    (id, address) = (document?["id"]?.string, document?["url"]?.string)
    name = document == nil ? "" : "\(service):\(id ?? "")"
    let parent = document?["referenced_tweets"]?.elements.first { $0["type"]?.equals("replied_to") == true }
    answered = parent?["id"]?.string.map { "\(service):\($0)" }
  }
}
