import SQLite
package import TweetCore

/// Rows that are not as they were written, which a reader leaves out: how many, and the names of the first ones.
package struct DamagedRows: Sendable {
  /// How many names an error has room for.
  private static let mostNamed = 5

  package private(set) var count = 0
  private var first: [String] = []

  package init() {}

  /// Counts a row. `name` says which: a tweet or a user, and its id as far as it can be read.
  mutating func append(_ name: String) {
    count += 1
    if first.count < Self.mostNamed { first.append(name) }
  }

  /// Counts the rows of another read.
  mutating func append(_ other: DamagedRows) {
    count += other.count
    first += other.first.prefix(Self.mostNamed - first.count)
  }

  /// Throws if there are any: what was read without them is not all that was asked for.
  package func check(of path: String) throws(ToolError) {
    if count == 0 { return }
    let names = first.joined(separator: ", ") + (count > first.count ? ", ..." : "")
    let rows = counted(count, "record is damaged and was", "records are damaged and were")
    throw .inputOutput("'\(path)': \(rows) left out: \(names); \(TweetStore.kind.damage)")
  }

  /// The error of a writer that may not merge a damaged record with a new one.
  static func error(_ name: String) -> ToolError {
    .inputOutput("\(name) is damaged in the store; \(TweetStore.kind.damage)")
  }
}
