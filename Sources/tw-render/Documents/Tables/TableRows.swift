import ArgumentParser
import TweetCore

/// A list of a tweet of which a table has a row for each element.
enum TableRows: String, CaseIterable, Sendable {
  case links, hashtags, media

  /// Where the list is in a tweet; of a retweet in what it retweets.
  private var list: TableColumn {
    switch self {
    case .links: TableColumn("entities.urls")
    case .hashtags: TableColumn("entities.hashtags")
    case .media: TableColumn("attachments.media")
    }
  }

  /// The columns of the elements, as tweet(5) names them; `url` of a link is the whole address.
  private var names: [String] {
    switch self {
    case .links:
      [
        "url", "display_url", "unwound_url", "canonical_url", "status", "verdict", "link_kind", "content_type", "title",
        "error", "checked_at", "failing_since", "archived.url", "archived.at",
      ]
    case .hashtags: ["tag"]
    case .media: ["type", "url", "preview_image_url", "alt_text", "width", "height", "media_key", "picture.file"]
    }
  }

  /// The columns without `--fields`.
  var usual: [TableColumn] {
    let own =
      switch self {
      case .links: ["url", "unwound_url", "status", "verdict", "archived.url"]
      case .hashtags: ["tag", "id"]
      case .media: ["type", "url", "alt_text"]
      }
    return (["created_at", "author.username"] + own).map { column($0) ?? TableColumn($0) }
  }

  /// The column of the elements of that name; `nil` if they have none.
  func column(_ name: String) -> TableColumn? { names.contains(name) ? TableColumn(ofElements: name) : nil }

  /// The elements of a tweet. X has a link to each picture among the links.
  func elements(of row: TableRow) -> [JSONValue] {
    guard let list = row.value(of: list), list.isArray else { return [] }
    return list.elements.filter { $0.isObject && (self != .links || $0["media_key"] == nil) }
  }
}

/// The value of `--rows`: how many rows of a text are shown, or of what a table has rows.
enum RowsChoice: ExpressibleByArgument {
  case most(Int)
  case each(TableRows)

  init?(argument: String) {
    if let rows = TableRows(rawValue: argument) {
      self = .each(rows)
    } else if let number = Int(argument), (1...10_000).contains(number) {
      self = .most(number)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { TableRows.allCases.map(\.rawValue) }

  /// `nil` for rows of a table.
  var most: Int? { if case .most(let number) = self { number } else { nil } }
  /// `nil` for rows of a text.
  var each: TableRows? { if case .each(let rows) = self { rows } else { nil } }
}
