import TweetCore

/// Receives how far the upgrade of a file is: how many of all rows are done, and in about how many seconds the rest will be.
/// It is called only if the upgrade takes longer than two seconds.
package typealias UpgradeSteps = (_ done: Int, _ all: Int, _ secondsLeft: Int) -> Void

/// What there is to know about long upgrades of a kind of file, and who is told.
package struct UpgradeReport {
  /// SQL for how many rows each migration in batches still has to do; its parameter is the first key that is not done.
  let rest: String
  let steps: UpgradeSteps
}

/// Measures an upgrade, and reports how far it is when it takes long.
struct UpgradeClock {
  /// Milliseconds after which an upgrade takes long.
  private static let patience = 2000

  private let report: UpgradeReport?
  private let start = MonotonicClock.milliseconds
  /// The rows of the migrations that are finished.
  private var finished = 0
  /// All rows that were done, those of the current migration included.
  private var done = 0
  /// All rows of the upgrade, once something is reported.
  private var all: Int?

  init(_ report: UpgradeReport?) { self.report = report }

  /// The current migration is finished.
  mutating func finishMigration() { finished = done }

  /// To be called after each batch.
  /// - Parameter laterMigrations: how many migrations in batches follow the current one.
  mutating func update(
    _ connection: Connection, _ position: BatchPosition, laterMigrations: Int
  ) throws(ToolError) {
    guard let report else { return }
    let before = done
    done = finished + position.rows
    let elapsed = MonotonicClock.milliseconds - start
    // A batch that did no rows belongs to the beginning, where nothing is measured yet, or to the end.
    if all == nil, elapsed >= Self.patience, done > before {
      let rest = try Self.count(connection, report.rest, from: position.key)
      let later = laterMigrations == 0 ? 0 : try Self.count(connection, report.rest, from: .min) * laterMigrations
      all = done + rest + later
    }
    // Others may have written more rows meanwhile.
    if let all { report.steps(done, max(all, done), elapsed * max(all - done, 0) / max(done, 1) / 1000) }
  }

  private static func count(_ connection: Connection, _ sql: String, from key: Int) throws(ToolError) -> Int {
    let statement = try Statement(sql, on: connection.handle)
    statement.bind(1, key)
    return try statement.step() ? statement.row.integer(0) : 0
  }
}
