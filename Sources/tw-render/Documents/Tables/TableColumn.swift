import TweetCore

/// A column of a table: its name, and where in a tweet its value is.
///
/// A name is a way through objects, `author.username`. Names of twarc-csv's columns mean what they mean there
/// (`_format_tweet` in its dataframe_converter.py): a retweet has the text, entities, attachments and counts of the tweet
/// that it retweets; a reference is found by its type; entities are lists of their names.
struct TableColumn {
  typealias Path = ArraySlice<[UInt8]>

  enum Source {
    /// The value at the end of the path.
    case value
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

  /// Columns from a list of names with commas between them; `nil` if a name is empty or has an empty part.
  static func list(_ text: String) -> [TableColumn]? {
    let names = text.split(separator: ",", omittingEmptySubsequences: false)
    guard names.allSatisfy({ !$0.split(separator: ".", omittingEmptySubsequences: false).contains("") }) else {
      return nil
    }
    return names.map { TableColumn(String($0)) }
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
