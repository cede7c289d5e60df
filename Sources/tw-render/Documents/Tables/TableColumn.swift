import TweetCore

/// A column of a table: its name, and where in a tweet its value is.
///
/// A name is a way through objects, `author.username`. Names of twarc-csv's columns mean what they mean there
/// (`_format_tweet` in its dataframe_converter.py): a retweet has the text, entities, attachments and counts of the
/// tweet that it retweets; a reference is found by its type; entities are lists of their names.
struct TableColumn {
  typealias Path = ArraySlice<[UInt8]>

  enum Source {
    /// The value at the end of the path.
    case value
    /// The same in the element of a list that the row is for.
    case element
    /// The same in the last referenced tweet of this type.
    case reference(type: [UInt8])
    /// A list of the names of the entities there: of this member, with a sign before it.
    case names(StaticString, sign: StaticString)
    /// A list of the addresses of the links there.
    case addresses
    /// The address in the author's profile, whole instead of shortened.
    case authorAddress
    case placeID
    case retrievedAt
  }

  let name: String
  let source: Source
  let path: Path
  /// Whether a retweet has the value of what it retweets, if that has the first member of the path.
  let isOriginals: Bool

  /// Whether its values are ids of tweets, people and the like.
  var isID: Bool {
    guard let last = path.last else { return false }
    return last.elementsEqual("id".utf8) || last.suffix(3).elementsEqual("_id".utf8)
  }

  /// Keys of tweet(5) beside the columns of twarc-csv.
  private static let ownNames = [
    "service", "url", "feeds", "retrieved_at", "deleted_at", "in_reply_to_user", "viewer.account", "viewer.liked",
    "viewer.retweeted", "viewer.bookmarked", "author.avatar.key", "author.avatar.type", "author.avatar.width",
    "author.avatar.height", "author.avatar.bytes", "author.avatar.fetched_at", "author.avatar.file",
    "author.avatar.data", "author.avatar.default", "author.avatar.error",
  ]
  /// The names of the columns that all tweets may have.
  static let knownNames = TwarcColumnTable.names + ownNames
  private static let references = ["replied_to", "retweeted", "quoted"]

  /// Whether some tweets have this column, as tweet(5) and twarc-csv say. What other programs add to records is a
  /// column too.
  var isKnown: Bool { if case .element = source { true } else { Self.isKnown(name) } }

  private static func isKnown(_ name: String) -> Bool {
    let words = name.split(separator: ".")
    if words.first == "extra" { return true }
    if words.count > 1, words[0] == "in_reply_to_user" {
      return isKnown((["author"] + words.dropFirst()).joined(separator: "."))
    }
    if words.count > 1, words[0] == "referenced_tweets" {
      // The rest are the keys of a tweet.
      let rest = words.dropFirst(2).joined(separator: ".")
      return references.contains(String(words[1])) && (rest.isEmpty || isKnown(rest))
    }
    return knownNames.contains { $0 == name || $0.hasPrefix(name + ".") }
  }

  /// The known column that was probably meant by an unknown name; `nil` if there is none.
  private static func meant(by name: String) -> String? {
    let known = knownNames
    // `username`, `like_count`: the last key alone.
    if let whole = known.first(where: { $0.hasSuffix("." + name) }) { return whole }
    let words = name.split(separator: ".").map(String.init)
    return known.first { other in
      let others = other.split(separator: ".").map(String.init)
      return others.count == words.count
        && zip(words, others).allSatisfy { Spelling.nearest(to: $0, in: [$1], oneIn: 4) != nil }
    }
  }

  /// - Parameter name: any; a column whose name a tweet does not have is empty.
  init(_ name: String) {
    self.name = name
    let words = name.split(separator: ".").map(String.init)
    var path = Self.path(name)
    switch name {
    case "in_reply_to_username": (source, path) = (Self.reference("replied_to"), Self.path("author.username"))
    case "retweeted_user_id": (source, path) = (Self.reference("retweeted"), Self.path("author_id"))
    case "retweeted_username": (source, path) = (Self.reference("retweeted"), Self.path("author.username"))
    case "quoted_user_id": (source, path) = (Self.reference("quoted"), Self.path("author_id"))
    case "quoted_username": (source, path) = (Self.reference("quoted"), Self.path("author.username"))
    case "author.url": source = .authorAddress
    case "geo.id": source = .placeID
    case "__twarc.retrieved_at": source = .retrievedAt
    default:
      if words[0] == "referenced_tweets", words.count > 2 {
        (source, path) = (Self.reference(words[1]), path.dropFirst(2))
      } else if words.count == 2 && words[0] == "entities"
        || words.count == 4 && words[0] == "author" && words[1] == "entities"
      {
        source = Self.entities(words[words.count - 1])
      } else {
        source = .value
      }
    }
    self.path = path
    if case .reference = source {
      isOriginals = false
    } else {
      isOriginals = ["text", "entities", "attachments", "context_annotations", "public_metrics"].contains(words[0])
    }
  }

  /// A column of ``TableRows``.
  init(ofElements name: String) {
    (self.name, source, path, isOriginals) = (name, .element, Self.path(name), false)
  }

  private static func reference(_ type: String) -> Source { .reference(type: Array(type.utf8)) }

  private static func entities(_ kind: String) -> Source {
    switch kind {
    case "hashtags": .names("tag", sign: "#")
    case "cashtags": .names("tag", sign: "$")
    case "mentions": .names("username", sign: "@")
    case "urls": .addresses
    default: .value
    }
  }

  private static func path(_ name: String) -> Path { name.split(separator: ".").map { Array($0.utf8) }[...] }

  /// Columns from a list of names with commas between them.
  /// - Parameter rows: what a row is for; `nil` for a tweet.
  /// - Throws: `ToolError.usage` for a name that is empty, has an empty part, or is nearly one that is known.
  static func list(_ text: String, of rows: TableRows?) throws(ToolError) -> [TableColumn] {
    var columns: [TableColumn] = []
    for name in text.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
      guard !name.split(separator: ".", omittingEmptySubsequences: false).contains("") else {
        throw .usage("--fields '\(text)' has an empty name")
      }
      if let column = rows?.column(name) {
        columns.append(column)
        continue
      }
      if !isKnown(name), let meant = meant(by: name) {
        throw .usage("--fields: there is no column '\(name)'; did you mean '\(meant)'?")
      }
      columns.append(TableColumn(name))
    }
    return columns
  }

  /// The columns of twarc-csv.
  static var usual: [TableColumn] { TwarcColumnTable.names.map { TableColumn($0) } }
}

extension JSONValue {
  /// The value of the first member of that name, compared without decoding escapes.
  func member(_ name: [UInt8]) -> JSONValue? {
    for (key, value) in members where key.isSpelled(name) { return value }
    return nil
  }

  /// Whether it is a string of these bytes, compared without decoding escapes.
  func isSpelled(_ name: [UInt8]) -> Bool {
    let bytes = rawString
    return bytes.count == name.count && bytes.elementsEqual(name)
  }

  /// The value at the end of a way through objects.
  func value(at path: TableColumn.Path) -> JSONValue? {
    var value: JSONValue? = self
    for name in path { value = value?.member(name) }
    return value
  }
}
