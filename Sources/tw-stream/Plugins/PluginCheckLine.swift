import TweetCore
import TweetServices

/// One line of a plugin, as the contract of tw-source(7) and tweet(5) sees it.
struct PluginCheckLine {
  /// The type, when it is a record of the kit.
  let record: String?
  /// What is wrong with it.
  private(set) var faults: [String] = []
  /// The posts in it: service and id of a record, the id of a raw message.
  private(set) var posts: [String] = []
  /// Of a checkpoint.
  private(set) var cursor: String?

  /// - Parameters:
  ///   - feed: the SOURCE.
  ///   - authority: has judged the lines before.
  init(_ bytes: [UInt8], feed: String, _ authority: inout RecordAuthority) throws(JSONFault) {
    self = try JSONDocument(bytes).read { PluginCheckLine($0, feed, &authority) }
  }

  private init(_ root: JSONValue, _ feed: String, _ authority: inout RecordAuthority) {
    let contents = LineContents(root)
    record = contents.record
    if let reason = authority.fault(in: root, contents) { faults.append(reason) }
    switch PluginLine(root) {
    case .checkpoint(let cursor): self.cursor = cursor
    case .bad(let reason): faults.append(reason)
    case .price, .wait, .other: break
    }
    checkMembers(of: root, feed)
    posts = Self.posts(in: root, record)
  }

  private mutating func checkMembers(of root: JSONValue, _ feed: String) {
    switch record {
    case "context":
      require(["feed", "service"], in: root)
      requireFeed(feed, in: root)
    case "refresh": requireFeed(feed, in: root)
    case "notice":
      require(["level", "code", "message"], in: root)
      if let level = root["level"]?.string, Notice.Level(rawValue: level) == nil {
        faults.append("the level '\(Printable.line(level))' is not 'info', 'warning' or 'error'")
      }
      if let wait = root["wait"], wait.double == nil { faults.append("'wait' is not a number of seconds") }
    case "delete": require(["service", "id"], in: root)
    case "tweet":
      require(["service", "id"], in: root)
      if root["text"]?.string == nil { faults.append("a tweet without 'text'") }
      if let author = root["author"], author["id"]?.nonEmptyString == nil { faults.append("an author without 'id'") }
    case nil where !root.isObject && !root.isArray: faults.append("neither an object nor an array")
    default: break
    }
  }

  private mutating func require(_ names: [StaticString], in root: JSONValue) {
    for name in names where root[name]?.nonEmptyString == nil {
      faults.append("a '\(record ?? "")' record without '\(name)', a text")
    }
  }

  private mutating func requireFeed(_ feed: String, in root: JSONValue) {
    if let text = root["feed"]?.string, text != feed {
      faults.append("'feed' is '\(Printable.line(text))', and not '\(Printable.line(feed))' as in TW_FEED")
    }
  }

  private static func posts(in root: JSONValue, _ record: String?) -> [String] {
    if let record {
      guard record == "tweet", let id = root["id"]?.string else { return [] }
      return ["\(root["service"]?.string ?? ""):\(id)"]
    }
    let page = root.isArray ? root : LineContents.page(root)
    let elements = page.map { Array($0.elements) } ?? [root["data"] ?? root]
    return elements.compactMap { element in
      (element["id_str"] ?? element["id"] ?? element["uri"]).map {
        $0.string ?? String(decoding: $0.raw, as: UTF8.self)
      }
    }
  }
}
