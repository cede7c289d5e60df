import Foundation
import TestSupport
import Testing
import TweetCore

@testable import TweetStore

/// Programs of others that read the store.
@Suite(.onOwnThread(minutes: 8)) struct CacheNeighboursTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// They find the full-text index by the words in its SQL, and their users the tables that tw-db(5) describes.
  @Test func datasetteAndSQLiteUtilsSeeTheFullTextIndex() throws {
    let python = try PythonPackage.needed("datasette", "sqlite_utils")
    _ = try add(
      tweet(1, second: 1, text: "tide tables") + tweet(2, second: 2, text: "日本 tide") + tweet(3, second: 3, text: "no"))
    #expect(try cache("label", "+later", "1", "3").status == 0)
    func run(_ arguments: String...) throws -> String {
      let result = try Tool.run(python, ["-m"] + arguments, home: home, timeout: 120)
      #expect(result.status == 0, "\(arguments): \(result.errors)")
      return result.output
    }
    let found = try run("sqlite_utils", "search", store, "tweets", "tide", "-c", "id", "--csv")
    #expect(Set(found.split { $0.isNewline }) == ["id", "1", "2"], "\(found)")
    let page = try run("datasette", store, "--get", "/tw/tweets.json?_search=tables&_shape=array&_col=id")
    #expect(page.contains("\"id\": \"1\"") && !page.contains("\"id\": \"2\""))
    #expect(try run("datasette", store, "--get", "/tw/tweets").contains("name=\"_search\""))
    let timeline = try run("datasette", store, "--get", "/tw/timeline.json?_shape=array")
    #expect(timeline.contains("\"text\": \"tide tables\""))
    let sql = "select%20l.label%2C%20t.id%20from%20tweet_labels%20m%20join%20labels%20l%20on%20l.key%3Dm.label"
    let labelled = try run(
      "datasette", store, "--get", "/tw.json?_shape=array&sql=\(sql)%20join%20tweets%20t%20on%20t.key%3Dm.tweet")
    #expect(labelled.contains("\"label\": \"later\", \"id\": \"1\""))
    // Its own way to make the index again.
    _ = try run("sqlite_utils", "rebuild-fts", store, "tweets")
    #expect(try list("--search", "日本") == ["2"] && list("--search", "tide") == ["2", "1"])
    // Nothing else has changed.
    #expect(try cache("check").output == "" && list("--label", "later") == ["3", "1"])
  }
}
