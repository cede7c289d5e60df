package import ArgumentParser
import MediaStore
import Services
import TweetCLI
package import TweetCore
package import TweetStore

extension LinkKind: ExpressibleByArgument {}
extension TweetKind: ExpressibleByArgument {}

/// The options that choose tweets by when they were posted.
package struct PeriodOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Tweets posted at this time or later: 2h, 7d, a date, or RFC 3339.", valueName: "time"),
    transform: TimeOption.parse)
  package var since: Timestamp?

  @Option(help: ArgumentHelp("Tweets posted before this time.", valueName: "time"), transform: TimeOption.parse)
  package var until: Timestamp?

  package init() {}
}

/// The options that choose tweets by what is in them.
package struct FilterOptions: ParsableArguments {
  package enum Content: String, ExpressibleByArgument, CaseIterable, Sendable {
    case media, photo, video, links

    func require(in query: inout TweetQuery) {
      switch self {
      case .media: query.hasMedia = true
      case .photo: query.mediaKinds.insert(.photo)
      case .video: query.mediaKinds.insert(.video)
      case .links: query.hasLinks = true
      }
    }
  }

  @OptionGroup var period: PeriodOptions

  package init() {}

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Tweets by this user, or by any of several; a former user name works too.", valueName: "name"),
    completion: NameCompletion.users)
  var author: [String] = []

  @Option(
    parsing: .singleValue, help: ArgumentHelp("Tweets with this hashtag, or with all of several.", valueName: "tag"),
    completion: NameCompletion.tags)
  var tag: [String] = []

  // A query may begin with a hyphen.
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Tweets with all these words, \"words that stand together\", #tag and @name, without -word, and with a or b: a OR b.",
      valueName: "words"), transform: FilterOptions.search)
  var search: TweetQuery?

  @Option(help: ArgumentHelp("Tweets that a query in the language of SQLite's FTS5 finds.", valueName: "query"))
  var match: String?

  @Option(
    help: ArgumentHelp("Tweets in this language, by its code.", valueName: "code"),
    completion: LanguageCompletion.codes)
  var lang: String?

  @Option(
    help: ArgumentHelp(
      "Tweets with photos or videos (media), with photos, with videos, or with links.",
      valueName: "media|photo|video|links"))
  var has: [Content] = []

  @Option(
    help: ArgumentHelp("Tweets with a link to this kind of thing.", valueName: "kind"))
  var links: LinkKind?

  @Option(
    parsing: .singleValue,
    help: ArgumentHelp("Tweets with a link to this host or one below it, or to any of several.", valueName: "host"),
    transform: FilterOptions.host)
  var host: [LinkedHost] = []

  @Option(
    name: .customLong("is"), parsing: .singleValue,
    help: ArgumentHelp(
      "Replies, retweets, quotes, tweets that are none of these (original), or those that you liked or bookmarked.",
      valueName: "kind"))
  var kinds: [TweetKind] = []

  @Option(help: ArgumentHelp("Tweets with at least this many likes.", valueName: "n"), transform: CountOption.parse)
  var minLikes: Int?

  @Option(
    help: ArgumentHelp("Tweets with at most this many likes.", valueName: "n"), transform: CountOption.parseFromZero)
  var maxLikes: Int?

  @Option(help: ArgumentHelp("Tweets with at least this many retweets.", valueName: "n"), transform: CountOption.parse)
  var minRetweets: Int?

  @Option(
    name: [.long, .customLong("mark")], parsing: .singleValue,
    help: ArgumentHelp("Tweets with this label, or with all of several.", valueName: "label"),
    completion: NameCompletion.labels, transform: LabelOption.parse)
  var label: [TweetLabel] = []

  @Option(
    parsing: .singleValue, help: ArgumentHelp("Tweets without this label.", valueName: "label"),
    completion: NameCompletion.labels, transform: LabelOption.parse)
  var withoutLabel: [TweetLabel] = []

  @Option(
    help: ArgumentHelp("Tweets of this service.", valueName: "service"),
    completion: NameCompletion.services)
  var service: String?

  @Option(
    help: ArgumentHelp("Tweets that this source brought, such as '#swift' or @jack.", valueName: "source"),
    completion: NameCompletion.feeds, transform: FilterOptions.feed)
  var feed: FeedChoice?

  @Flag(help: "Also tweets that were edited later, are withheld everywhere, or were deleted and kept.")
  var all = false

  /// What the options, words and a saved query ask for together.
  /// - Parameters:
  ///   - words: of a query.
  ///   - saved: the name of a saved query; `nil` for none.
  package func query(
    in store: borrowing TweetStore, words: [String] = [], saved: String? = nil
  ) throws(ToolError) -> TweetQuery {
    var query = query
    if !words.isEmpty { query.parts.append(try QueryText(words.joined(separator: " ")).query) }
    if let saved {
      guard let text = try store.savedQuery(saved) else { throw try store.noSavedQuery(saved) }
      query.parts.append(try QueryText(text).query)
    }
    return query
  }

  /// Whether no option was given.
  package var isEmpty: Bool { query == TweetQuery() }

  /// What the options ask for.
  package var query: TweetQuery {
    var query = TweetQuery()
    (query.since, query.until) = (period.since, period.until)
    (query.service, query.lang) = (service, lang)
    if let feed { query.want([feed]) }
    query.authors = author.map { $0.hasPrefix("@") ? String($0.dropFirst()) : $0 }
    query.tags = tag.map { $0.hasPrefix("#") ? String($0.dropFirst()) : $0 }
    (query.match, query.linkKind) = (match, links?.rawValue)
    if let search { query.parts.append(search) }
    for content in has { content.require(in: &query) }
    query.includesHidden = all
    (query.kinds, query.minLikes, query.maxLikes, query.minRetweets) = (kinds, minLikes, maxLikes, minRetweets)
    query.labels = label
    query.excluded = withoutLabel.map { label in
      var other = TweetQuery()
      other.labels = [label]
      return other
    }
    query.hosts = host
    return query
  }

  static func search(_ text: String) throws -> TweetQuery {
    if text.hasPrefix("--") { throw ValidationError("words are missing: '\(text)' is an option") }
    do throws(ToolError) {
      return try QueryText(text, hasFields: false).query
    } catch {
      throw ValidationError(error.message ?? "")
    }
  }

  static func host(_ text: String) throws -> LinkedHost {
    guard let host = LinkedHost(text) else { throw ValidationError("'\(text)' is not a host, such as example.com") }
    return host
  }

  /// The SOURCE in its normal form, and as it stands: records of other programs may name their feeds in other ways. A
  /// source that names its service is that of this service alone.
  package static func feed(_ text: String) throws -> FeedChoice {
    do throws(ToolError) {
      let source = try Services.source(text, of: Services.reading(Settings.load().value(.service)))
      guard case .service(let name, _) = source else { return FeedChoice(names: [source.feed, text], service: nil) }
      return FeedChoice(names: [source.own.feed, text], service: name)
    } catch {
      throw ValidationError(error.message ?? "'\(text)' is not a source")
    }
  }
}

/// A feed, by the names that records may have for it.
package struct FeedChoice: Sendable {
  let names: [String]
  /// The service that its name names; `nil` for any.
  let service: String?
}

extension TweetQuery {
  /// Wants the tweets that are in any of these feeds.
  package mutating func want(_ wanted: [FeedChoice]) {
    if wanted.allSatisfy({ $0.service == nil }) { return feeds += wanted.flatMap(\.names) }
    // One feed has an index of its own.
    if wanted.count == 1, service == nil {
      (feeds, service) = (wanted[0].names, wanted[0].service)
      return
    }
    alternatives.append(
      wanted.map { feed in
        var query = TweetQuery()
        (query.feeds, query.service) = (feed.names, feed.service)
        return query
      })
  }
}

extension TweetStore {
  /// The error for a name that no saved query has. It suggests one that is alike.
  package func noSavedQuery(_ name: String) throws(ToolError) -> ToolError {
    let near = Spelling.question(about: name, in: try savedQueries().map(\.name)) ?? ""
    return .noInput("no saved query '\(name)' in '\(path)'\(near)")
  }
}

/// Options that name a label.
package enum LabelOption {
  /// Parses the value.
  package static func parse(_ text: String) throws -> TweetLabel {
    guard let label = TweetLabel(text) else { throw ValidationError("'\(text)': \(TweetLabel.rule)") }
    return label
  }

  /// Says which of the labels no tweet ever had: a list with one of them is empty.
  package static func noteUnknown(_ labels: [TweetLabel], in store: borrowing TweetStore) throws(ToolError) {
    if labels.isEmpty { return }
    let known = try store.labelCounts().map(\.label)
    for label in labels where !known.contains(label.text) {
      let near = Spelling.question(about: label.text, in: known)
      let advice = label == .unread ? "; 'tw config set new-labels unread' gives it to new tweets" : ""
      Diagnostics.note("no tweet has had the label '\(label.text)'\(near ?? advice)")
    }
  }
}
