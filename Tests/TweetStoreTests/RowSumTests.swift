import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

struct RowSumTests {
  private let scratch: TemporaryDirectory

  init() throws { scratch = try TemporaryDirectory() }

  /// Other values, other types of the same bytes, and bytes in another column.
  @Test func bytesThatMoveAreNoticed() throws {
    let database = try Database(scratch.path + "/a.db", TweetStore.kind, .readWrite)
    let rows = [
      "'a', 'b'", "'ab', ''", "'', 'ab'", "'ab'", "'ab', NULL", "NULL, 'ab'", "x'6162', ''", "1, 2", "2, 1", "1, NULL",
      "'1', '2'", "256, 2", "1.0, 2", "'b', 'a'", "",
    ]
    var sums: Set<Int> = []
    for row in rows {
      let sum = try database.prepare("SELECT row_sum(\(row))")
      #expect(try sum.step())
      sums.insert(sum.row.integer(0))
    }
    #expect(sums.count == rows.count)
  }

  /// The next key is found without a look at all rows: a bulk load would become slower with each user.
  @Test func theNextKeyIsFoundAtOnce() throws {
    let database = try Database(scratch.path + "/a.db", TweetStore.kind, .readWrite)
    let plan = try database.prepare(
      "EXPLAIN QUERY PLAN " + RowSum.users.insertNext(["'x'", "?1", "NULL", "NULL", "''", "NULL", "''"]))
    var steps: [String] = []
    while try plan.step() { steps.append(plan.row.text(3) ?? "") }
    // In the order of the key, from its end; an index would be in another order.
    #expect(steps.contains("SCAN users") && !steps.contains { $0.contains("INDEX") }, "\(steps)")
  }

  /// The checksums stand in files: they never change. XXH3's specification says so of its results.
  @Test func aKnownSum() throws {
    let database = try Database(scratch.path + "/a.db", TweetStore.kind, .readWrite)
    let sum = try database.first("SELECT row_sum('feeds', 1, 'x', '#swift')") { $0.integer(0) }
    #expect(sum == -4_329_122_617_371_080_934)
  }
}
