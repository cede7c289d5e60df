import ArgumentParser
import MediaStore
import TweetCLI
package import TweetCore
package import TweetStore

/// A query as a person writes it: the words of the options with their values, and words of texts. `-` before one of
/// them excludes what it finds; ``QueryNode`` says how they are joined.
///
///     author:jack (tag:swift OR "tide tables") -is:retweet since:7d
package struct QueryText {
  /// The most bytes of a query.
  static let longest = 10_000

  package let query: TweetQuery

  /// - Parameter hasFields: whether a query has the words of options; `--search` has only those of texts, and `in:`.
  /// - Throws: ``ToolError/usage(_:)`` that names the part that is wrong.
  package init(_ text: String, hasFields: Bool = true) throws(ToolError) {
    guard text.utf8.count <= Self.longest else { throw .usage("a query has at most \(Self.longest) bytes") }
    query = try Self.query(try QueryNode(parsing: text, hasFields: hasFields))
  }

  private static func query(_ node: QueryNode) throws(ToolError) -> TweetQuery {
    var query = TweetQuery()
    var (words, feeds): ([String], [FeedChoice]) = ([], [])
    let parts: [QueryNode] = if case .all(let parts) = node { parts } else { [node] }
    for part in parts {
      switch part {
      case .term(let term):
        if let name = term.field {
          let field = try Self.field(name, of: term)
          if field == "feed" { feeds.append(try feed(term.value)) } else { try set(field, term.value, in: &query) }
        } else {
          words.append(term.isQuoted ? "\"\(term.value)\"" : term.value)
        }
      case .not(let other):
        if case .term(let term) = other, let name = term.field, bounds.contains(try field(name, of: term)) {
          throw .usage("'-\(name):': a time cannot be excluded")
        }
        query.excluded.append(try self.query(other))
      case .any(let others):
        query.alternatives.append(try others.map { (other) throws(ToolError) in try self.query(other) })
      case .all: query.parts.append(try self.query(part))
      }
    }
    if !feeds.isEmpty { query.want(feeds) }
    if !words.isEmpty { query.search = words.joined(separator: " ") }
    if let place = query.searchPlace, words.isEmpty {
      throw .usage("'in:\(place.rawValue)' needs words beside it, which are looked for there")
    }
    return query
  }

  /// - Throws: `ValidationError` where ``init(_:)`` throws.
  package static func check(_ text: String) throws {
    do throws(ToolError) { _ = try QueryText(text) } catch { throw ValidationError(error.message ?? "") }
  }

  private static let bounds = ["since", "until", "after", "before"]
  /// Those of the options of `list` that choose tweets.
  static let fields =
    bounds + [
      "author", "tag", "label", "lang", "has", "links", "is", "min-likes", "max-likes", "min-retweets", "service",
      "feed",
      "host", "match", "in",
    ]
  /// Other names of fields.
  private static let otherNames = ["mark": "label", "from": "author"]

  /// The option that a name means.
  private static func field(_ name: String, of term: QueryNode.Term) throws(ToolError) -> String {
    let normal = name.lowercased().replacing("_", with: "-")
    let field = otherNames[normal] ?? normal
    if fields.contains(field) {
      if term.value.isEmpty { throw .usage("'\(field):' has no value") }
      return field
    }
    let near = Spelling.nearest(to: field, in: fields + otherNames.keys).map { "; did you mean '\($0):'?" }
    throw .usage(
      "a query has no '\(name):'" + (near ?? " (\(fields.joined(separator: ", "))); as words of a text it needs quotes")
    )
  }

  private static func feed(_ value: String) throws(ToolError) -> FeedChoice {
    do { return try FilterOptions.feed(value) } catch {
      throw .usage("'feed:\(value)': \((error as? ValidationError)?.message ?? "\(error)")")
    }
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
    func number(from least: Int = 1) throws(ToolError) -> Int {
      guard let number = Int(value), number >= least else { throw wrong("not a number above \(least - 1)") }
      return number
    }
    switch field {
    case "author": query.authors.append(value.hasPrefix("@") ? String(value.dropFirst()) : value)
    case "tag": query.tags.append(value.hasPrefix("#") ? String(value.dropFirst()) : value)
    case "label": query.labels.append(try parsed(LabelOption.parse))
    case "lang": try set(\.lang, value)
    case "service": try set(\.service, value)
    case "match": try set(\.match, value)
    case "in": try set(\.searchPlace, try choice(SearchPlace.self))
    case "has":
      try choice(FilterOptions.Content.self).require(in: &query)
    case "links": try set(\.linkKind, try choice(LinkKind.self).rawValue)
    case "is": query.kinds.append(try choice(TweetKind.self))
    case "min-likes": try set(\.minLikes, try number())
    case "max-likes": try set(\.maxLikes, try number(from: 0))
    case "min-retweets": try set(\.minRetweets, try number())
    case "host": query.hosts.append(try parsed(FilterOptions.host))
    case "since": try set(\.since, try parsed(TimeOption.parse))
    case "until": try set(\.until, try parsed(TimeOption.parse))
    case "after": try set(\.after, value)
    case "before": try set(\.before, value)
    default: throw .bug("no field '\(field)'")
    }
  }
}
