import ArgumentParser
import MediaStore
import TweetCLI
import TweetCore
import TweetStore

/// A query as a person writes it: the words of the options with their values, and words of texts. `-` before one of them
/// excludes what it finds.
///
///     author:jack tag:swift "tide tables" -is:retweet since:7d
struct QueryText {
  /// One part of a query.
  private struct Term {
    var isExcluded = false
    /// A name of an option; `nil` for words of a text.
    var field: String?
    var value = ""
    /// Whether the value stood in double quotes.
    var isQuoted = false
  }

  /// The most bytes of a query.
  static let longest = 10_000

  private(set) var query = TweetQuery()

  /// - Throws: ``ToolError/usage(_:)`` that names the part that is wrong.
  init(_ text: String) throws(ToolError) {
    guard text.utf8.count <= Self.longest else { throw .usage("a query has at most \(Self.longest) bytes") }
    var words: [String] = []
    for term in try Self.terms(of: text) {
      guard let field = term.field else {
        let word = term.isQuoted ? "\"\(term.value)\"" : term.value
        if term.isExcluded {
          var other = TweetQuery()
          other.search = word
          query.excluded.append(other)
        } else {
          words.append(word)
        }
        continue
      }
      if term.isExcluded {
        if Self.bounds.contains(field) { throw .usage("'-\(field):': a time cannot be excluded") }
        var other = TweetQuery()
        try Self.set(field, term.value, in: &other)
        query.excluded.append(other)
      } else {
        try Self.set(field, term.value, in: &query)
      }
    }
    if !words.isEmpty { query.search = words.joined(separator: " ") }
  }

  /// - Throws: `ValidationError` where ``init(_:)`` throws.
  static func check(_ text: String) throws {
    do throws(ToolError) { _ = try QueryText(text) } catch { throw ValidationError(error.message ?? "") }
  }

  private static let bounds = ["since", "until", "after", "before"]
  /// Those of the options of `list` that choose tweets.
  static let fields =
    bounds + [
      "author", "tag", "label", "lang", "has", "links", "is", "min-likes", "min-retweets", "service", "feed", "host",
      "match",
    ]
  /// Other names of fields.
  private static let otherNames = ["mark": "label", "from": "author"]

  private static func terms(of text: String) throws(ToolError) -> [Term] {
    var terms: [Term] = []
    var rest = text[...]
    while true {
      rest = rest.drop { $0.isWhitespace }
      if rest.isEmpty { return terms }
      var term = Term()
      if rest.first == "-", rest.dropFirst().first.map({ !$0.isWhitespace }) ?? false {
        term.isExcluded = true
        rest.removeFirst()
      }
      let name = rest.prefix { $0.isASCII && ($0.isLetter || $0 == "-" || $0 == "_") }
      let behind = rest[name.endIndex...]
      // An address is a word.
      if !name.isEmpty, behind.first == ":", !behind.hasPrefix("://") {
        term.field = try field(String(name))
        rest = behind.dropFirst()
      }
      if rest.first == "\"" {
        guard let end = rest.dropFirst().firstIndex(of: "\"") else {
          throw .usage("a quote is not closed in '\(text)'")
        }
        term.value = String(rest[rest.index(after: rest.startIndex)..<end])
        term.isQuoted = true
        rest = rest[end...].dropFirst()
      } else {
        let word = rest.prefix { !$0.isWhitespace }
        term.value = String(word)
        rest = rest[word.endIndex...]
      }
      if let field = term.field, term.value.isEmpty { throw .usage("'\(field):' has no value") }
      terms.append(term)
    }
  }

  private static func field(_ name: String) throws(ToolError) -> String {
    let normal = name.lowercased().replacing("_", with: "-")
    let field = otherNames[normal] ?? normal
    if fields.contains(field) { return field }
    let near = Spelling.nearest(to: field, in: fields + otherNames.keys).map { "; did you mean '\($0):'?" }
    throw .usage(
      "a query has no '\(name):'" + (near ?? " (\(fields.joined(separator: ", "))); as words of a text it needs quotes")
    )
  }

  private static func set(_ field: String, _ value: String, in query: inout TweetQuery) throws(ToolError) {
    func wrong(_ what: String) -> ToolError { .usage("'\(field):\(value)': \(what)") }
    func choice<Kind: RawRepresentable & CaseIterable>(_: Kind.Type) throws(ToolError) -> Kind
    where Kind.RawValue == String {
      if let kind = Kind(rawValue: value) { return kind }
      let all = Kind.allCases.map(\.rawValue)
      let near = Spelling.question(about: value, in: all) ?? ""
      throw wrong("not one of \(all.joined(separator: ", "))\(near)")
    }
    func set<Value>(_ path: WritableKeyPath<TweetQuery, Value?>, _ value: Value) throws(ToolError) {
      if query[keyPath: path] != nil { throw wrong("'\(field):' is given twice") }
      query[keyPath: path] = value
    }
    func parsed<Value>(_ parse: (String) throws -> Value) throws(ToolError) -> Value {
      do { return try parse(value) } catch { throw wrong((error as? ValidationError)?.message ?? "\(error)") }
    }
    func number() throws(ToolError) -> Int {
      guard let number = Int(value), number > 0 else { throw wrong("not a number above 0") }
      return number
    }
    switch field {
    case "author": query.authors.append(value.hasPrefix("@") ? String(value.dropFirst()) : value)
    case "tag": query.tags.append(value.hasPrefix("#") ? String(value.dropFirst()) : value)
    case "label": query.labels.append(try parsed(LabelOption.parse))
    case "lang": try set(\.lang, value)
    case "service": try set(\.service, value)
    case "match": try set(\.match, value)
    case "has":
      switch try choice(FilterOptions.Content.self) {
      case .media: query.hasMedia = true
      case .links: query.hasLinks = true
      }
    case "links": try set(\.linkKind, try choice(LinkKind.self).rawValue)
    case "is": query.kinds.append(try choice(TweetKind.self))
    case "min-likes": try set(\.minLikes, try number())
    case "min-retweets": try set(\.minRetweets, try number())
    case "feed": query.feeds += try parsed(FilterOptions.feeds)
    case "host": query.hosts.append(try parsed(FilterOptions.host))
    case "since": try set(\.since, try parsed(TimeOption.parse))
    case "until": try set(\.until, try parsed(TimeOption.parse))
    case "after": try set(\.after, value)
    case "before": try set(\.before, value)
    default: throw .bug("no field '\(field)'")
    }
  }
}
