import Libc
import TweetCore

/// Bluesky's own export, the repository of an account (https://atproto.com/specs/repository): a CAR file with a signed
/// commit, a Merkle search tree from paths to records, and the records in DAG-CBOR.
package enum RepositoryExport {
  /// Whether a file that starts with `bytes` is a CAR file: a length, and CBOR of a map with `roots` or `version`.
  /// - Parameter isPrefix: whether these may be only some of the first ``magicLength`` bytes.
  package static func isCAR(_ bytes: [UInt8], isPrefix: Bool = false) -> Bool {
    // The header of one root has 58 bytes. One of more than 127 has a longer number before it.
    let lengths: [[UInt8]] = [[], [0x01], [0x02]]
    return lengths.contains { rest in
      guard let first = bytes.first, rest.isEmpty ? first < 0x80 && first > 0x10 : first >= 0x80 else { return false }
      return ["roots", "version"].contains { name in
        let magic = rest + [0xA2, 0x60 | UInt8(name.utf8.count)] + Array(name.utf8.prefix(3))
        let found = bytes.dropFirst()
        return found.starts(with: magic) || isPrefix && magic.starts(with: found)
      }
    }
  }

  /// This many bytes are enough to recognise one.
  package static let magicLength = 7

  /// Writes the posts and the profile of a repository as the lines that Bluesky's `listRecords` has them in
  /// (`{"uri":…,"cid":…,"value":{…}}`), in the order of their paths: the profile, then the posts from the oldest on.
  /// - Parameters:
  ///   - input: a CAR file with offsets. It stays the caller's, and so does `output`.
  ///   - output: where the lines are written. When nobody reads them, nothing more is written.
  /// - Returns: what is wrong with the repository; `nil` for nothing.
  package static func write(from input: Int32, to output: Int32) -> String? {
    do throws(CBORFault) {
      var walk = RepositoryWalk(try CARFile(input), output)
      try walk.run()
      return walk.damage
    } catch {
      return error.reason
    }
  }
}

/// Goes through the tree of a repository, from the left to the right.
private struct RepositoryWalk: ~Copyable {
  /// An entry of a node, https://atproto.com/specs/repository#mst-structure.
  private struct Entry {
    var key: [UInt8] = []
    var record: ByteView?
    var subtree: ByteView?
  }

  /// A level is for two bits of a key's hash, so a tree of a million records has about ten levels.
  private static let maximumDepth = 32
  /// A node has four entries on average, each of about a hundred bytes. This and the depth bound the memory that a
  /// hostile tree takes.
  private static let longestNode = 256 << 10

  private let file: CARFile
  private var writer: RecordWriter
  private var did: [UInt8] = []
  private var visits = 0
  private var faults = 0
  private var firstFault: String?
  private var hasReader = true
  /// The records that are not written, by their collections.
  private var leftOut: [(collection: String, count: Int)] = []

  init(_ file: consuming CARFile, _ output: Int32) {
    self.file = file
    writer = RecordWriter(descriptor: output, name: "a pipe")
  }

  /// What was wrong with blocks; `nil` for nothing.
  var damage: String? {
    let found = [firstFault, file.damage].compactMap(\.self)
    guard let first = found.first else { return nil }
    return faults > 1 ? "\(first), and \(faults - 1) more" : first
  }

  mutating func run() throws(CBORFault) {
    guard let commit = file.root.withBytes({ file.block($0) }) else {
      throw CBORFault(reason: "it does not have its root")
    }
    let tree = try commit.withBytes { bytes throws(CBORFault) in try read(commit: bytes) }
    tree.withBytes { visit($0, depth: 0) }
    writeLeftOut()
    flush()
  }

  /// Reads whose repository it is, and the CID of its tree.
  private mutating func read(commit: ByteView) throws(CBORFault) -> [UInt8] {
    var reader = CBORReader(commit)
    var tree: [UInt8]?
    for _ in 0..<(try reader.count(of: .map)) {
      let key = try reader.key()
      if key.elementsEqual("did".utf8) {
        did = Array(try reader.content(try reader.next(.text)))
      } else if key.elementsEqual("data".utf8) {
        tree = try reader.link().map { Array($0) }
      } else {
        try reader.skip()
      }
    }
    guard let tree, did.starts(with: "did:".utf8) else {
      throw CBORFault(reason: "it is not a repository of Bluesky: its root is not a commit")
    }
    return tree
  }

  private mutating func visit(_ cid: ByteView, depth: Int) {
    guard hasReader, Interruption.signal == nil else { return }
    visits += 1
    // A node that is in the tree twice would be a tree that never ends.
    guard visits <= file.blockCount, depth < Self.maximumDepth else { return add("its tree goes in circles") }
    guard let node = file.block(cid, upTo: Self.longestNode) else { return add("a part of its tree is missing") }
    do throws(CBORFault) {
      try node.withBytes { bytes throws(CBORFault) in try visit(node: bytes, depth: depth) }
    } catch {
      add("a part of its tree: \(error.reason)")
    }
  }

  private mutating func visit(node: ByteView, depth: Int) throws(CBORFault) {
    var reader = CBORReader(node)
    var left: ByteView?
    var entries: [Entry] = []
    for _ in 0..<(try reader.count(of: .map)) {
      let key = try reader.key()
      if key.elementsEqual("l".utf8) {
        left = try reader.link()
      } else if key.elementsEqual("e".utf8) {
        for _ in 0..<(try reader.count(of: .array)) {
          entries.append(try Self.entry(&reader, after: entries.last?.key ?? []))
        }
      } else {
        try reader.skip()
      }
    }
    if let left { visit(left, depth: depth + 1) }
    for entry in entries {
      if let record = entry.record {
        if Self.isWanted(entry.key) { write(entry.key, record) } else { leaveOut(entry.key) }
      }
      if let subtree = entry.subtree { visit(subtree, depth: depth + 1) }
    }
  }

  /// Reads an entry, whose key has its first bytes in common with the key before it.
  private static func entry(_ reader: inout CBORReader, after previous: [UInt8]) throws(CBORFault) -> Entry {
    var entry = Entry()
    var common = 0
    var rest: [UInt8] = []
    for _ in 0..<(try reader.count(of: .map)) {
      let name = try reader.key()
      switch name.first {
      case UInt8(ascii: "p") where name.count == 1:
        common = Int(clamping: try reader.next(.unsigned).argument)
      case UInt8(ascii: "k") where name.count == 1: rest = Array(try reader.content(try reader.next(.bytes)))
      case UInt8(ascii: "v") where name.count == 1: entry.record = try reader.link()
      case UInt8(ascii: "t") where name.count == 1: entry.subtree = try reader.link()
      default: try reader.skip()
      }
    }
    // Paths have 1024 bytes at most: a collection of 317, a slash, and a key of 512.
    guard common <= previous.count, common + rest.count <= 1024, entry.record != nil else {
      throw CBORFault(reason: "an entry without its path or record")
    }
    entry.key = previous.prefix(common) + rest
    return entry
  }

  /// Whether it is the path of a record that becomes one of ours.
  private static func isWanted(_ path: [UInt8]) -> Bool {
    path.starts(with: "app.bsky.feed.post/".utf8) || path.elementsEqual("app.bsky.actor.profile/self".utf8)
  }

  /// Paths come in their order, so those of one collection come together.
  private mutating func leaveOut(_ path: [UInt8]) {
    let isNamed = leftOut.count < Self.mostCollections
    let name = isNamed ? String(decoding: path.prefix { $0 != UInt8(ascii: "/") }, as: UTF8.self) : "others"
    if leftOut.last?.collection == name { leftOut[leftOut.count - 1].count += 1 } else { leftOut.append((name, 1)) }
  }

  private static let mostCollections = 100

  /// Writes `{"notRead":{"app.bsky.feed.like":12,…}}`, from which the records' reader makes a notice.
  private mutating func writeLeftOut() {
    if leftOut.isEmpty { return }
    writer.buffer.append("{\"notRead\":{")
    for (index, (name, count)) in leftOut.enumerated() {
      if index > 0 { writer.buffer.append(",") }
      writer.buffer.appendJSONString(name)
      writer.buffer.append(":\(count)")
    }
    writer.buffer.append("}}\n")
  }

  private mutating func write(_ path: [UInt8], _ cid: ByteView) {
    guard let record = file.block(cid) else {
      return add("the record \(String(decoding: path, as: UTF8.self)) is missing")
    }
    let start = writer.buffer.count
    writer.buffer.append("{\"uri\":\"at://")
    for part in [did, [UInt8(ascii: "/")], path] {
      part.withBytes { writer.buffer.appendJSONEscaped($0) }
    }
    writer.buffer.append("\",\"cid\":\"")
    writer.buffer.append(cid: cid)
    writer.buffer.append("\",\"value\":")
    do throws(CBORFault) {
      try record.withBytes { bytes throws(CBORFault) in
        var reader = CBORReader(bytes)
        try reader.appendJSON(to: &writer.buffer)
        guard reader.isAtEnd else { throw CBORFault(reason: "bytes after it") }
      }
    } catch {
      writer.buffer.truncate(to: start)
      return add("the record \(String(decoding: path, as: UTF8.self)): \(error.reason)")
    }
    writer.buffer.append("}\n")
    if writer.buffer.count >= Self.flushLength { flush() }
  }

  /// A quarter of the room of a Linux pipe.
  private static let flushLength = 16 << 10

  private mutating func flush() {
    // Whoever reads has gone, and needs no more.
    do throws(ToolError) { try writer.flush() } catch { hasReader = false }
  }

  private mutating func add(_ fault: String) {
    faults += 1
    if firstFault == nil { firstFault = fault }
  }
}
