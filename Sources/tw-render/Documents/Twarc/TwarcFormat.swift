import TweetCore

/// `twarc`: each tweet as a line of `twarc2 flatten`, with only those keys that twarc-csv knows, in the form it reads.
struct TwarcFormat: DocumentFormat, ~Copyable {
  /// Tweets in tweets are followed to this depth. X sends two levels.
  private static let deepest = 4

  private let author = TwarcShape.tweet["author"]
  private var json = PythonJSON()

  mutating func append(_ tweet: JSONValue, to output: inout ByteBuffer) {
    output.append("{")
    let start = output.count
    appendMembers(ofTweet: tweet, from: start, depth: 0, to: &output)
    appendSource(of: tweet, from: start, to: &output)
    output.append("}\n")
  }

  private mutating func appendMembers(
    ofTweet tweet: JSONValue, from start: Int, depth: Int, to output: inout ByteBuffer
  ) {
    appendMembers(of: tweet, TwarcShape.tweet, from: start, to: &output)
    // Where the author is not known, twarc2 writes an empty object; twarc-csv looks into it.
    if tweet["author_id"] != nil, tweet["author"]?.isObject != true {
      appendKey("author", from: start, to: &output)
      output.append("{}")
    }
    if let author, let user = tweet["in_reply_to_user"], user.isObject {
      appendKey("in_reply_to_user", from: start, to: &output)
      output.append("{")
      appendMembers(of: user, author, from: output.count, to: &output)
      output.append("}")
    }
    guard let references = tweet["referenced_tweets"], depth < Self.deepest else { return }
    appendReferences(references, from: start, depth: depth, to: &output)
    // twarc-csv gives a retweet the counts of what it retweets, and fails if neither has any.
    if references.firstRetweeted != nil, tweet["public_metrics"]?.isObject != true {
      appendKey("public_metrics", from: start, to: &output)
      output.append("{}")
    }
  }

  private mutating func appendReferences(
    _ references: JSONValue, from start: Int, depth: Int, to output: inout ByteBuffer
  ) {
    let keyStart = output.count
    appendKey("referenced_tweets", from: start, to: &output)
    output.append("[")
    let listStart = output.count
    for reference in references.elements {
      guard let type = reference["type"], reference["id"]?.isString == true,
        type.equals("replied_to") || type.equals("retweeted") || type.equals("quoted")
      else { continue }
      if output.count > listStart { output.append(", ") }
      output.append("{")
      let objectStart = output.count
      appendKey("type", from: objectStart, to: &output)
      json.append(string: type, to: &output)
      appendMembers(ofTweet: reference, from: objectStart, depth: depth + 1, to: &output)
      output.append("}")
    }
    if output.count == listStart { return output.truncate(to: keyStart) }
    output.append("]")
  }

  /// Appends `"__twarc": {…}`.
  private mutating func appendSource(of tweet: JSONValue, from start: Int, to output: inout ByteBuffer) {
    let keyStart = output.count
    appendKey("__twarc", from: start, to: &output)
    output.append("{")
    let objectStart = output.count
    if let source = tweet["__twarc"], source.isObject {
      appendMembers(of: source, TwarcShape.source, from: objectStart, to: &output)
    } else if let time = tweet["retrieved_at"], time.isString {
      appendKey("retrieved_at", from: objectStart, to: &output)
      json.append(string: time, to: &output)
    }
    if output.count == objectStart { return output.truncate(to: keyStart) }
    output.append("}")
  }

  // MARK: Members

  /// Appends a comma if members precede, the name and a colon.
  private func appendKey(_ name: StaticString, from start: Int, to output: inout ByteBuffer) {
    if output.count > start { output.append(", ") }
    output.append("\"")
    output.append(name)
    output.append("\": ")
  }

  /// Appends those members of an object that the shape has, each in the form that twarc-csv expects.
  /// - Parameter start: where the first member of the object stands, or would stand.
  private mutating func appendMembers(
    of object: JSONValue, _ shape: TwarcShape, from start: Int, to output: inout ByteBuffer
  ) {
    for (key, value) in object.members {
      guard let member = shape.member(key) else { continue }
      let keyStart = output.count
      if output.count > start { output.append(", ") }
      json.append(string: key, to: &output)
      output.append(": ")
      if !append(value, member, to: &output) { output.truncate(to: keyStart) }
    }
  }

  /// Appends a value.
  /// - Returns: whether it has the form that twarc-csv expects; if not, what was appended is to be removed.
  private mutating func append(_ value: JSONValue, _ shape: TwarcShape, to output: inout ByteBuffer) -> Bool {
    if shape.isList {
      guard value.isArray else { return false }
      switch String(decoding: shape.name, as: UTF8.self) {
      case "hashtags", "cashtags": return append(value, to: &output) { $0["tag"] }
      case "mentions": return append(value, to: &output) { $0["username"] }
      case "urls":
        return append(value, to: &output) {
          $0["media_key"] != nil ? $0["display_url"] : $0["expanded_url"] ?? $0["url"]
        }
      default: json.append(value, to: &output)
      }
    } else if shape.members.isEmpty {
      guard !value.isObject, !value.isArray, !value.isNull else { return false }
      json.append(value, to: &output)
    } else {
      guard value.isObject else { return false }
      output.append("{")
      let start = output.count
      appendMembers(of: value, shape, from: start, to: &output)
      appendPlaceID(of: value, shape, from: start, to: &output)
      // twarc-csv looks for the last link of an author's address.
      if output.count == start, shape.name.elementsEqual("url".utf8) { return false }
      output.append("}")
    }
    return true
  }

  /// Appends the id of a place that is known, which flatten writes twice.
  private mutating func appendPlaceID(
    of geo: JSONValue, _ shape: TwarcShape, from start: Int, to output: inout ByteBuffer
  ) {
    guard shape.name.elementsEqual("geo".utf8), geo["full_name"] != nil, geo["id"] == nil, let id = geo["place_id"],
      id.isString
    else { return }
    appendKey("id", from: start, to: &output)
    json.append(string: id, to: &output)
  }

  /// Appends those entities that have the string by which twarc-csv names them, in `name`.
  private mutating func append(
    _ list: JSONValue, to output: inout ByteBuffer, name: (JSONValue) -> JSONValue?
  ) -> Bool {
    output.append("[")
    let start = output.count
    for entity in list.elements where name(entity)?.isString == true {
      if output.count > start { output.append(", ") }
      json.append(entity, to: &output)
    }
    output.append("]")
    return output.count > start + 1
  }
}

/// A member that a flattened tweet may have, by what twarc-csv knows: one key that it does not know makes it leave out
/// a hundred tweets.
struct TwarcShape {
  private(set) var name: [UInt8] = []
  /// None for a member that is not an object.
  private(set) var members: [TwarcShape] = []
  private(set) var isList = false

  /// The members of a tweet, and what they may have in turn.
  static let tweet: TwarcShape = {
    var tweet = TwarcShape()
    for entry in TwarcColumnTable.entries where !entry.hasPrefix("referenced_tweets.") {
      tweet.insert(entry.split(separator: ".")[...])
    }
    // twarc-csv makes these itself.
    tweet.members.removeAll {
      let name = String(decoding: $0.name, as: UTF8.self)
      return name == "__twarc" || ["_username", "retweeted_user_id", "quoted_user_id"].contains { name.hasSuffix($0) }
    }
    return tweet
  }()

  /// The members of `__twarc`.
  static let source: TwarcShape = {
    var source = TwarcShape()
    for name in ["url", "version", "retrieved_at"] { source.insert([name[...]]) }
    return source
  }()

  private mutating func insert(_ path: ArraySlice<Substring>) {
    guard let first = path.first else { return }
    let isList = first.hasSuffix("[]")
    let name = Array(first.dropLast(isList ? 2 : 0).utf8)
    let index = members.firstIndex { $0.name == name } ?? members.count
    if index == members.count { members.append(TwarcShape(name: name, isList: isList)) }
    members[index].insert(path.dropFirst())
  }

  /// The member of that name, if a tweet may have it.
  func member(_ key: JSONValue) -> TwarcShape? { members.first { key.isSpelled($0.name) } }

  /// The member of that name.
  subscript(name: String) -> TwarcShape? { members.first { $0.name.elementsEqual(name.utf8) } }
}
