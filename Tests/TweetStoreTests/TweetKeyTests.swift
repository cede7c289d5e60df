import Testing
import TweetCore

@testable import TweetStore

struct TweetKeyTests {
  private func key(_ service: String, _ id: String, created: String?, seen: Int64 = 0) -> Int {
    let (service, id) = (Array(service.utf8), Array(id.utf8))
    return service.withBytes { service in
      id.withBytes { id in
        TweetKey.preferred(
          service: service, id: id, created: created.flatMap { Timestamp(parsing: $0) },
          seen: Timestamp(milliseconds: seen))
      }
    }
  }

  private func smallest(_ time: String) throws -> Int {
    TweetKey.smallest(at: try #require(Timestamp(parsing: time)))
  }

  @Test func keysAreInTheOrderOfTime() throws {
    let keys = [
      key("mastodon:a", "1", created: "1931-01-01T00:00:00Z"), key("x", "20", created: "2006-03-21T20:50:14Z"),
      key("bluesky", "at://a/b/c", created: "2020-01-01T00:00:00.001Z"),
      key("local", "7", created: "2020-01-01T00:00:00.002Z"),
      // Two tweets of one second: their ids have the millisecond.
      key("x", "1456010796927549441", created: "2021-11-03T21:30:00.000Z"),
      key("x", "1456010800631119872", created: "2021-11-03T21:30:00.000Z"),
      key("x", "1", created: "2074-01-01T00:00:00Z"), key("x", "1", created: "9999-12-31T23:59:59Z"),
    ]
    #expect(keys == keys.sorted())
    #expect(Set(keys).count == keys.count)
    #expect(keys[4] >= (try smallest("2021-11-03T21:30:00Z")))
    #expect(keys[5] < (try smallest("2021-11-03T21:30:01Z")))
  }

  @Test func aTweetWithoutATimeUsesTheTimeOfItsIDOrOfItsRetrieval() throws {
    #expect(
      key("x", "1456010796927549441", created: nil) == key("x", "1456010796927549441", created: "2021-11-03T21:30:00Z"))
    #expect(key("x", "20", created: nil, seen: 1_635_975_000_000) >= (try smallest("2021-11-03T21:30:00Z")))
    // An id whose time does not agree with the given time is ignored.
    #expect(key("x", "1456010796927549441", created: "2010-01-01T00:00:00Z") < (try smallest("2010-01-01T00:00:01Z")))
  }

  @Test func theNextKeyStaysInItsMillisecondWhileThereIsRoom() throws {
    let (first, second) = (try smallest("2021-11-03T21:30:00Z"), try smallest("2021-11-03T21:30:00.001Z"))
    for tries in 1..<16 { #expect((first..<second).contains(TweetKey.next(after: second - 1, tries: tries))) }
    #expect(TweetKey.next(after: first, tries: 16) >= second)
  }

  /// Ids that all give the same key must not make each tweet try all keys before it.
  @Test func idsThatCollideGetDifferentKeys() throws {
    let key = key("mastodon:a", "4194304", created: "2021-11-03T21:30:00Z")
    var taken: Set<Int> = [key]
    var all = 0
    for _ in 0..<20_000 {
      var (next, tries) = (key, 0)
      while taken.contains(next) {
        tries += 1
        next = TweetKey.next(after: next, tries: tries)
      }
      taken.insert(next)
      all += tries
    }
    #expect(all < 25_000)
  }
}
