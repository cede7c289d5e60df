import Foundation
import TestSupport
import Testing

/// tw-local's timelines, lists and searches, over real sockets.
@Suite(.onOwnThread) struct LocalTimelineTests {
  private let local: LocalService

  init() throws { local = try LocalService(["--demo", "--rate", "0"]) }

  private func ids(_ answer: LocalAnswer) -> [String] { answer["data"].array.map { $0["id"].text } }

  @Test func readsLists() throws {
    let path = "/2/lists/1001/tweets?tweet.fields=author_id"
    let whole = try local.ask("GET", path)
    var paged: [String] = []
    var token = ""
    repeat {
      let page = try local.ask("GET", path + "&max_results=7" + (token.isEmpty ? "" : "&pagination_token=\(token)"))
      paged += ids(page)
      token = page["meta"]["next_token"].text
    } while !token.isEmpty
    #expect(paged.count > 20 && paged == ids(whole))
    #expect(Set(whole["data"].array.map { $0["author_id"].text }).count == 4)

    let unknown = try local.ask("GET", "/2/lists/7/tweets")
    #expect(unknown.status == 200 && unknown["errors"][0]["resource_type"] == "list")
    #expect(unknown["data"].value == nil && unknown["errors"][0]["type"].text.hasSuffix("/resource-not-found"))
    #expect(try local.ask("GET", path + "&since_id=1").status == 400)
    let searched = try local.search("list:1001 -is:retweet", "max_results=100")
    #expect(ids(searched).count > 10 && Set(ids(searched)).isSubset(of: ids(whole)))
  }

  @Test func searchesAWeekAndTheArchive() throws {
    let recent = try local.search("from:oss_cafe", "max_results=100")
    let path = "/2/tweets/search/all?query=from:oss_cafe&tweet.fields=created_at&max_results=500"
    let archive = try local.ask("GET", path)
    #expect(ids(archive).count == ids(recent).count + 1 && ids(archive).starts(with: ids(recent)))
    let start = archive["data"].array.last?["created_at"].text.prefix(19) ?? ""
    #expect(try ids(local.ask("GET", path + "&start_time=\(start)Z")) == ids(archive))
    // Only recent search refuses these; the archive accepts them.
    for (parameter, says) in [
      ("since_id=1", "'since_id' must be a tweet id created after 20"),
      ("start_time=2020-01-01T00:00:00Z", "'start_time' must be on or after 20"),
    ] {
      let refused = try local.search("from:oss_cafe", parameter)
      #expect(refused.status == 400 && refused["errors"][0]["message"].text.contains(says))
      let name = String(parameter.prefix { $0 != "=" })
      #expect(refused["errors"][0]["parameters"][name].array.count == 1)
      #expect(try ids(local.ask("GET", path + "&" + parameter)) == ids(archive))
    }
    let mixed = try local.search("from:oss_cafe", "since_id=\(ids(recent)[2])&end_time=2026-01-01T00:00:00Z")
    #expect(mixed.status == 400 && mixed["errors"][0]["message"].text.hasPrefix("Invalid use of 'since_id'"))
  }

  @Test func acceptsTheOldestStartThatItNames() throws {
    let refused = try local.search("#swift", "start_time=2020-01-01T00:00:00Z")
    let message = refused["errors"][0]["message"].text
    let named = try #require(message.firstMatch(of: /after (\d{4}-\d\d-\d\dT\d\d:\d\d)Z/)).1
    // The limit changes each minute.
    let start = try #require(ISO8601DateFormatter().date(from: named + ":00Z")).addingTimeInterval(120)
    #expect(try local.search("#swift", "start_time=\(ISO8601DateFormatter().string(from: start))").status == 200)
  }

  @Test func ordersAPageByLikes() throws {
    let byTime = try local.search("-is:retweet #swift", "tweet.fields=public_metrics&max_results=10")
    let byLikes = try local.search(
      "-is:retweet #swift", "tweet.fields=public_metrics&max_results=10&sort_order=relevancy")
    let likes = byLikes["data"].array.map { $0["public_metrics"]["like_count"].number }
    #expect(likes.count > 4 && likes == likes.sorted(by: >))
    #expect(Set(ids(byTime)) == Set(ids(byLikes)) && ids(byTime) != ids(byLikes))
    #expect(byTime["meta"]["newest_id"] == byLikes["meta"]["newest_id"])
    #expect(try local.search("#swift", "sort_order=best").status == 400)
  }

  @Test func leavesOutExcludedPosts() throws {
    let user = try local.ask("GET", "/2/users/by/username/tomasz_io")["data"]["id"].text
    func kinds(_ rest: String) throws -> Set<String> {
      let page = try local.ask("GET", "/2/users/\(user)/tweets?max_results=100&tweet.fields=referenced_tweets\(rest)")
      return Set(page["data"].array.map { $0["referenced_tweets"][0]["type"].text })
    }
    #expect(try kinds("") == ["", "retweeted", "replied_to", "quoted"])
    #expect(try kinds("&exclude=replies") == ["", "retweeted", "quoted"])
    #expect(try kinds("&exclude=replies,retweets") == ["", "quoted"])
    let wrong = try local.ask("GET", "/2/users/\(user)/tweets?exclude=likes")
    #expect(wrong.status == 400)
  }

  @Test(arguments: [
    ("start_time=2099-01-01T00:00:00Z", "a minimum of 10 seconds prior"),
    ("start_time=2026-01-02T00:00:00Z&end_time=2026-01-02T00:00:00Z", "'end_time' must be after 'start_time'"),
    ("end_time=2026-01-02", "not a valid date-time"), ("since_id=12345678901234567890", "must match ^[0-9]{1,19}$"),
    ("max_results=501", "is not between 10 and 500"), ("tweet.fields=text,x", "value [x] is not one of [article"),
    ("expansions=pinned_tweet_id", "value [pinned_tweet_id] is not one of"), ("next_token=x", "value [x] is not valid"),
    ("colour=red", "The query parameter [colour] is not one of [query,"),
  ])
  func refusesParameters(parameters: String, message: String) throws {
    let answer = try local.ask("GET", "/2/tweets/search/all?query=x&" + parameters)
    #expect(answer.status == 400 && answer["title"] == "Invalid Request")
    #expect(answer["errors"][0]["message"].text.contains(message))
  }

  @Test func looksUpUpToAHundredPosts() throws {
    let known = try ids(local.search("-is:retweet #opensource", "max_results=10"))
    let answer = try local.ask("GET", "/2/tweets?ids=\((known + ["5"]).joined(separator: ","))")
    #expect(answer.status == 200 && ids(answer) == known)
    let error = answer["errors"][0]
    #expect(error["value"] == "5" && error["resource_id"] == "5" && error["parameter"] == "ids")
    #expect(error["title"] == "Not Found Error" && error["resource_type"] == "tweet")
    let many = (1...101).map(String.init).joined(separator: ",")
    #expect(try local.ask("GET", "/2/tweets?ids=\(many)").status == 400)
  }
}

/// The options of tw-local that try how clients handle limits and delays.
@Suite(.onOwnThread) struct LocalLimitsTests {
  @Test func refusesAStreamUntilARuleIsInForce() throws {
    let local = try LocalService(["--rule-delay", "2s"])
    let path = "/2/tweets/search/stream"
    #expect(try local.ask("POST", path + "/rules", body: ["add": [["value": "x"]]]).status == 201)
    #expect(try local.ask("GET", path + "/rules")["data"].array.count == 1)
    let early = try local.ask("GET", path)
    #expect(early.status == 409 && early["connection_issue"] == "RuleConfigurationIssue")
    var status = 409
    for _ in 1...40 where status == 409 {
      usleep(500_000)
      status = try local.open("GET", path).head().status
    }
    #expect(status == 200)
  }

  /// Rules that are stored when the service starts are in force at once.
  @Test func matchesOnlyRulesInForce() throws {
    let home = try TemporaryDirectory()
    let rules = "/2/tweets/search/stream/rules"
    do {
      let local = try LocalService(["--db", home.path + "/service.db"])
      #expect(try local.ask("POST", rules, body: ["add": [["value": "old"]]]).status == 201)
      local.tool.signal(SIGTERM)
      _ = try local.tool.finish()
    }
    let local = try LocalService(["--db", home.path + "/service.db", "--rule-delay", "1d"])
    let stream = try local.open("GET", "/2/tweets/search/stream")
    #expect(try stream.head().status == 200)
    #expect(try local.ask("POST", rules, body: ["add": [["value": "new"]]]).status == 201)
    try local.post("new")
    let id = try local.post("new and old")
    let message = try stream.message()
    #expect(message["data"]["id"].text == id && message["matching_rules"].array.count == 1)
  }

  @Test func hasTheRateLimitThatIsSet() throws {
    let local = try LocalService(["--rate-limit", "2", "--rate-window", "1h"])
    #expect(try local.ask("GET", "/2/users/me").headers["x-rate-limit-limit"] == "2")
    #expect(try local.ask("GET", "/2/users/me").status == 200)
    let refused = try local.ask("GET", "/2/users/me")
    #expect(refused.status == 429 && refused.headers["x-rate-limit-remaining"] == "0")
    let reset = try #require(refused.headers["x-rate-limit-reset"].flatMap { Double($0) })
    #expect((3000...3601).contains(reset - Date().timeIntervalSince1970))
    #expect(try Tool.run("tw-local", ["--rate-limit", "-1", "--", "true"]).status == 64)
  }
}
