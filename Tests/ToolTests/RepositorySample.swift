/// Makes CAR files of AT Protocol repositories, whole ones and others.
struct RepositorySample {
  /// A value of DAG-CBOR.
  indirect enum Value {
    case number(Int)
    case text(String)
    case bytes([UInt8])
    case list([Value])
    case map([(String, Value)])
    case link([UInt8])
    case null
    case raw([UInt8])

    var encoded: [UInt8] {
      switch self {
      case .number(let number): Self.head(number < 0 ? 1 : 0, number < 0 ? -1 - number : number)
      case .text(let text): Self.head(3, text.utf8.count) + Array(text.utf8)
      case .bytes(let bytes): Self.head(2, bytes.count) + bytes
      case .list(let list): Self.head(4, list.count) + list.flatMap(\.encoded)
      case .map(let members):
        Self.head(5, members.count) + members.flatMap { Value.text($0.0).encoded + $0.1.encoded }
      case .link(let cid): [0xD8, 42] + Value.bytes([0] + cid).encoded
      case .null: [0xF6]
      case .raw(let bytes): bytes
      }
    }

    private static func head(_ major: UInt8, _ argument: Int) -> [UInt8] {
      if argument < 24 { return [major << 5 | UInt8(argument)] }
      if argument < 256 { return [major << 5 | 24, UInt8(argument)] }
      return [major << 5 | 26] + (0..<4).reversed().map { UInt8(argument >> ($0 * 8) & 0xFF) }
    }
  }

  static let did = "did:plc:ewvi7nxzyoun6zhxrhs64oiz"

  private(set) var blocks: [(cid: [UInt8], data: [UInt8])] = []
  private var number = 0

  /// Adds a block, and gives its CID: version 1, DAG-CBOR, and a made digest of 32 bytes.
  mutating func add(_ value: Value, cid: [UInt8]? = nil) -> [UInt8] {
    number += 1
    let cid = cid ?? Self.cid(number)
    blocks.append((cid, value.encoded))
    return cid
  }

  static func cid(_ number: Int) -> [UInt8] {
    // Fibonacci hashing: numbers differ in all their bytes.
    let word = UInt64(number) &* 0x9E37_79B9_7F4A_7C15
    return [0x01, 0x71, 0x12, 0x20] + (0..<32).map { UInt8(truncatingIfNeeded: word >> (($0 & 7) * 8)) &+ UInt8($0) }
  }

  mutating func addPost(_ text: String, extra: [(String, Value)] = []) -> [UInt8] {
    add(
      .map(
        [
          ("$type", .text("app.bsky.feed.post")), ("createdAt", .text("2023-03-31T19:01:29.264Z")),
          ("text", .text(text)),
        ] + extra))
  }

  /// Adds a node of the tree.
  /// - Parameter entries: a whole path each, its record, and the subtree to the right of it.
  mutating func addNode(
    left: [UInt8]? = nil, _ entries: [(path: String, record: [UInt8], right: [UInt8]?)], cid: [UInt8]? = nil
  ) -> [UInt8] {
    var before: [UInt8] = []
    var list: [Value] = []
    for entry in entries {
      let path = Array(entry.path.utf8)
      let common = zip(before, path).prefix { $0 == $1 }.count
      list.append(
        .map([
          ("k", .bytes(Array(path[common...]))), ("p", .number(common)),
          ("t", entry.right.map { .link($0) } ?? .null), ("v", .link(entry.record)),
        ]))
      before = path
    }
    return add(.map([("e", .list(list)), ("l", left.map { .link($0) } ?? .null)]), cid: cid)
  }

  /// Adds the commit, and gives the CAR file, with the blocks in this order.
  mutating func file(tree: [UInt8], order: ([Int]) -> [Int] = { $0 }) -> [UInt8] {
    let commit = add(
      .map([
        ("did", .text(Self.did)), ("rev", .text("3jsavf5f6ss2k")), ("sig", .bytes([1, 2, 3])), ("data", .link(tree)),
        ("prev", .null), ("version", .number(3)),
      ]))
    return Self.file(roots: [commit], order(Array(blocks.indices)).map { blocks[$0] })
  }

  static func file(roots: [[UInt8]], _ blocks: [(cid: [UInt8], data: [UInt8])]) -> [UInt8] {
    let header = Value.map([("roots", .list(roots.map { .link($0) })), ("version", .number(1))]).encoded
    return varint(header.count) + header + blocks.flatMap { varint($0.cid.count + $0.data.count) + $0.cid + $0.data }
  }

  private static func varint(_ number: Int) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F | 0x80)] + varint(number >> 7)
  }

  /// A repository of one profile, four posts in three nodes, and a like.
  static func whole(order: ([Int]) -> [Int] = { $0 }) -> [UInt8] {
    var sample = RepositorySample()
    let profile = sample.add(
      .map([
        ("$type", .text("app.bsky.actor.profile")), ("description", .text("about \"me\"\n")),
        ("displayName", .text("Ada")),
        (
          "avatar",
          .map([
            ("$type", .text("blob")), ("ref", .link([1, 0x55, 0x12, 0x20] + [UInt8](repeating: 7, count: 32))),
            ("mimeType", .text("image/jpeg")), ("size", .number(1234)),
          ])
        ),
      ]))
    let posts = [
      sample.addPost("first 🖼️"), sample.addPost("second", extra: [("numbers", .list([.number(-5), .number(70_000)]))]),
      sample.addPost("third", extra: [("float", .raw([0xFB, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0]))]),
      sample.addPost("fourth #tag", extra: [("tags", .list([.text("other")])), ("bytes", .bytes([0, 255, 1]))]),
    ]
    let like = sample.add(.map([("$type", .text("app.bsky.feed.like"))]))
    let prefix = "app.bsky.feed.post/3jsavf5f6ss2"
    let left = sample.addNode([("app.bsky.actor.profile/self", profile, nil), ("app.bsky.feed.like/3js", like, nil)])
    let middle = sample.addNode([(prefix + "b", posts[1], nil), (prefix + "c", posts[2], nil)])
    let top = sample.addNode(left: left, [(prefix + "a", posts[0], middle), (prefix + "d", posts[3], nil)])
    return sample.file(tree: top, order: order)
  }
}
