import Foundation
import TestSupport
import Testing
import TweetCore

@testable import tw_local

/// tw-local as a process, over real sockets.
@Suite(.onOwnThread) struct LocalTests {
  @Test func refusesUnknownTokensAndPaths() throws {
    let local = try LocalService()
    let refused = try local.ask("GET", "/2/users/me", token: nil)
    #expect(refused.status == 401 && refused.headers["content-type"] == "application/problem+json; charset=utf-8")
    #expect(refused.text == #"{"title":"Unauthorized","detail":"Unauthorized","type":"about:blank","status":401}"#)
    #expect(try local.ask("GET", "/2/users/me", token: "wrong").status == 401)
    #expect(try local.ask("GET", "/2/nothing").status == 404)
    #expect(try local.ask("PUT", "/2/tweets").status == 405)
    let unknown = try local.ask("GET", "/2/tweets/search/recent?query=x&foo=1")
    #expect(unknown.status == 400 && unknown["errors"][0]["message"].text.hasPrefix("The query parameter [foo]"))
  }

  @Test func countsRequestsInWindows() throws {
    let local = try LocalService(["--rate-window", "4s"])
    let first = try local.ask("GET", "/2/users/me")
    #expect(first.headers["x-rate-limit-limit"] == "75" && first.headers["x-rate-limit-remaining"] == "74")
    var last = first
    for _ in 1...75 { last = try local.ask("GET", "/2/users/me") }
    #expect(last.status == 429 && last.headers["x-rate-limit-remaining"] == "0" && last["title"] == "Too Many Requests")
    // Other endpoints have their own windows.
    #expect(try local.ask("GET", "/2/users/by/username/you").status == 200)
    let reset = try #require(last.headers["x-rate-limit-reset"].flatMap { Double($0) })
    try waitUntil(seconds: 1000) { Date().timeIntervalSince1970 >= reset }
    #expect(try local.ask("GET", "/2/users/me").status == 200)
  }

  @Test func postsAsXDoes() throws {
    let local = try LocalService()
    let text = "a <b> & @YOU, @nobody: #größe_1 http://e.org/x_(y)). 👨‍👩‍👧‍👦 $TW"
    let made = try local.ask("POST", "/2/tweets", body: ["text": text])
    #expect(made.status == 201)
    let id = made["data"]["id"].text
    #expect(made.headers["location"] == "\(local.base)/2/tweets/\(id)")
    let short = made["data"]["text"].text.split(separator: " ").first { $0.hasPrefix("http") }?.dropLast(2) ?? ""
    #expect(made["data"]["text"].text == "a &lt;b&gt; &amp; @YOU, @nobody: #größe_1 \(short)). 👨‍👩‍👧‍👦 $TW")

    let plain = try local.ask("GET", "/2/tweets/\(id)")
    #expect(Set(plain["data"].object.keys) == ["id", "text", "edit_history_tweet_ids"])
    let full = try local.ask("GET", "/2/tweets/\(id)?tweet.fields=entities,author_id,lang&expansions=author_id")
    let entities = full["data"]["entities"]
    #expect(entities["hashtags"][0]["tag"] == "größe_1" && entities["mentions"].array.count == 1)
    #expect(entities["urls"][0]["expanded_url"] == "http://e.org/x_(y)" && entities["urls"][0]["url"].text == short)
    #expect(full["includes"]["users"][0]["username"] == "you")
    try expectOffsets(in: full["data"])
    let followed = try local.ask("GET", "/s/\(short.split(separator: "/").last ?? "")", token: nil)
    #expect(followed.status == 301 && followed.headers["location"] == "http://e.org/x_(y)")

    #expect(try local.ask("POST", "/2/tweets", body: ["text": text]).status == 403)
    #expect(try local.ask("POST", "/2/tweets", body: ["text": " "]).status == 400)
    #expect(try local.ask("POST", "/2/tweets", body: ["text": "x", "colour": "red"]).status == 400)
    #expect(try local.ask("POST", "/2/tweets", raw: Array(#"{"text":"#.utf8)).status == 400)
    let reply = try local.ask(
      "POST", "/2/tweets", body: ["text": "yes", "reply": ["in_reply_to_tweet_id": id]])["data"]["id"].text
    let fields = "tweet.fields=conversation_id,referenced_tweets&expansions=in_reply_to_user_id"
    let answered = try local.ask("GET", "/2/tweets/\(reply)?\(fields)")
    #expect(answered["data"]["conversation_id"].text == id)
    #expect(answered["data"]["referenced_tweets"][0]["type"] == "replied_to")

    #expect(try local.ask("DELETE", "/2/tweets/\(id)")["data"]["deleted"] == true)
    let partial = try local.ask(
      "GET", "/2/tweets?ids=\(id),\(reply)&tweet.fields=referenced_tweets&expansions=referenced_tweets.id")
    #expect(partial.status == 200 && partial["data"].array.count == 1)
    #expect(partial["errors"].array.map { $0["parameter"].text } == ["ids", "referenced_tweets.id"])
  }

  @Test func aLongPostIsTruncatedAndComplete() throws {
    let local = try LocalService()
    let text = String(repeating: "wörter & ", count: 40) + "https://e.org"
    let id = try local.ask("POST", "/2/tweets", body: ["text": text])["data"]["id"].text
    let post = try local.ask("GET", "/2/tweets/\(id)?tweet.fields=note_tweet,entities")["data"]
    #expect(post["text"].text.hasSuffix("…") && post["text"].text.unicodeScalars.count <= 280)
    #expect(!post["text"].text.contains("&am…") && post["entities"].object.isEmpty)
    #expect(post["note_tweet"]["text"].text.hasPrefix("wörter &amp; wörter"))
    #expect(post["note_tweet"]["entities"]["urls"][0]["expanded_url"] == "https://e.org")
  }

  @Test func displaysTheStartOfALink() throws {
    let local = try LocalService()
    let id = try local.post("https://www.example.com/a/path/that/is/long/ http://example.com/")
    let links = try local.ask("GET", "/2/tweets/\(id)?tweet.fields=entities")["data"]["entities"]["urls"].array
    #expect(links.map { $0["display_url"].text } == ["example.com/a/path/that/is…", "example.com"])
  }

  @Test func countsLikesAndRetweets() throws {
    let local = try LocalService(["--demo", "--rate", "0"])
    let me = try local.ask("GET", "/2/users/me")["data"]["id"].text
    let id = try local.search("from:yuki_dev has:hashtags -is:quote")["data"][0]["id"].text
    func counts() throws -> [Int] {
      let metrics = try local.ask("GET", "/2/tweets/\(id)?tweet.fields=public_metrics")["data"]["public_metrics"]
      return ["like_count", "retweet_count"].map { metrics[$0].number }
    }
    let before = try counts()
    for _ in 1...2 {
      #expect(try local.ask("POST", "/2/users/\(me)/likes", body: ["tweet_id": id])["data"]["liked"] == true)
      #expect(try local.ask("POST", "/2/users/\(me)/retweets", body: ["tweet_id": id])["data"]["retweeted"] == true)
    }
    #expect(try counts() == before.map { $0 + 1 })
    let mine = try local.ask("GET", "/2/users/\(me)/tweets?tweet.fields=referenced_tweets")
    #expect(mine["data"].array.count == 1 && mine["data"][0]["text"].text.hasPrefix("RT @yuki_dev: "))
    // A retweet of a retweet is one of the original, which is there already.
    let retweet = mine["data"][0]["id"].text
    let again = try local.ask("POST", "/2/users/\(me)/retweets", body: ["tweet_id": retweet])
    #expect(try again["data"]["rest_id"].text == retweet && counts() == before.map { $0 + 1 })
    _ = try local.ask("DELETE", "/2/users/\(me)/likes/\(id)")
    _ = try local.ask("DELETE", "/2/users/\(me)/retweets/\(id)")
    #expect(try counts() == before)
  }

  @Test func pagesThroughSearch() throws {
    let local = try LocalService(["--demo", "--rate", "0"])
    let query = "from:tomasz_io OR from:pip_ops OR is:retweet lang:en #opensource"
    let whole = try local.search(query, "max_results=100")
    var ids: [String] = []
    var token = ""
    repeat {
      let page = try local.search(query, "max_results=10" + (token.isEmpty ? "" : "&next_token=\(token)"))
      ids += page["data"].array.map { $0["id"].text }
      token = page["meta"]["next_token"].text
    } while !token.isEmpty
    #expect(ids.count > 10 && ids == whole["data"].array.map { $0["id"].text })
    #expect(ids == ids.sorted(by: >) && whole["meta"]["newest_id"].text == ids.first)
    #expect(whole["meta"]["oldest_id"].text == ids.last && whole["meta"]["result_count"].number == ids.count)
    let newer = try local.search(query, "since_id=\(ids[3])")
    #expect(newer["data"].array.map { $0["id"].text } == Array(ids[..<3]))
    let older = try local.search(query, "until_id=\(ids[3])&max_results=100")
    #expect(older["data"].array.map { $0["id"].text } == Array(ids[4...]))
    let nothing = try local.search("zebra")
    #expect(nothing.text == #"{"meta":{"result_count":0}}"#)
    #expect(try local.search(query, "since_id=1").status == 400)
    #expect(try local.search(query, "max_results=9").status == 400)
  }

  @Test func streamsPostsThatMatchTheRules() throws {
    let local = try LocalService(["--keep-alive", "100ms"])
    let path = "/2/tweets/search/stream?tweet.fields=author_id&expansions=author_id"
    let without = try local.ask("GET", path)
    #expect(without.status == 409 && without["connection_issue"] == "RuleConfigurationIssue")
    let rules = "/2/tweets/search/stream/rules"
    let add = ["add": [["value": "apple -pie", "tag": "fruit"], ["value": "from:you #x OR pear"]]]
    #expect(try local.ask("POST", rules + "?dry_run=true", body: add)["meta"]["summary"]["created"].number == 2)
    #expect(try local.ask("GET", path).status == 409)
    #expect(try local.ask("POST", rules, body: add).status == 201)
    let twice = try local.ask("POST", rules, body: add)
    #expect(twice["errors"].array.count == 2 && twice["errors"][0]["title"] == "DuplicateRule")
    let wrong = try local.ask("POST", rules, body: ["add": [["value": "near:home"]]])
    #expect(wrong.status == 400 && wrong["meta"]["summary"]["invalid"].number == 1)
    let listed = try local.ask("GET", rules)
    #expect(listed["data"].array.map { $0["value"].text } == ["apple -pie", "from:you #x OR pear"])

    let stream = try local.open("GET", path)
    #expect(try stream.head().status == 200)
    #expect(try stream.line() == "\r\n")
    let second = try local.ask("GET", path)
    #expect(second.status == 429 && second["connection_issue"] == "TooManyConnections")
    for text in ["apple pie", "an Apple a day #x", "nothing"] {
      #expect(try local.ask("POST", "/2/tweets", body: ["text": text]).status == 201)
    }
    let message = try stream.message()
    #expect(message["data"]["text"] == "an Apple a day #x" && message["includes"]["users"][0]["username"] == "you")
    #expect(message["matching_rules"].array.map { $0["tag"].text } == ["fruit", ""])

    // When a client has left, its account may open another stream at once. Rules change while a stream is open.
    stream.close()
    var again = try local.open("GET", path)
    var tries = 0
    while try again.head().status == 429 {
      tries += 1
      // Fewer than a rate-limit window allows.
      try #require(tries < 40)
      usleep(50_000)
      again = try local.open("GET", path)
    }
    let id = listed["data"][1]["id"].text
    let removed = try local.ask("POST", rules, body: ["delete": ["ids": [id, "1"]]])
    #expect(removed["meta"]["summary"]["deleted"].number == 1 && removed["meta"]["summary"]["not_deleted"].number == 1)
    for text in ["pear", "apple tart"] { _ = try local.ask("POST", "/2/tweets", body: ["text": text]) }
    #expect(try again.message()["data"]["text"] == "apple tart")
  }

  /// The first is too small for a clock, the second for a number.
  @Test(arguments: ["0." + String(repeating: "0", count: 40) + "1", "0." + String(repeating: "0", count: 400) + "1"])
  func refusesImpossibleRates(rate: String) throws {
    let refused = try Tool.run("tw-local", ["--demo", "--rate", rate, "--", "true"])
    #expect(refused.status == 64 && refused.errors.contains("0.01/h to 2000/s"))
  }

  @Test func aSignalEndsAStreamWithItsLastChunk() throws {
    let local = try LocalService(["--demo", "--rate", "100"])
    _ = try local.ask("POST", "/2/tweets/search/stream/rules", body: ["add": [["value": "#swift OR #opensource"]]])
    let stream = try local.open("GET", "/2/tweets/search/stream")
    #expect(try stream.head().status == 200)
    _ = try stream.message()
    let start = ContinuousClock.now
    local.tool.signal(SIGTERM)
    while let line = try stream.line() { #expect(line.hasSuffix("\r\n")) }
    #expect(stream.endedWithLastChunk)
    #expect(try local.tool.finish().ending == .signal(SIGTERM))
    // It takes 200 ms; the machine may be busy.
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  @Test func theDemoIsConsistent() throws {
    let local = try LocalService(["--demo", "--rate", "200"])
    let fields = "max_results=100&tweet.fields=entities,note_tweet,referenced_tweets,attachments,lang,author_id"
    let expansions = "&expansions=author_id,referenced_tweets.id,referenced_tweets.id.author_id,attachments.media_keys"
    let me = try local.ask("GET", "/2/users/me")["data"]["id"].text
    func home() throws -> LocalAnswer {
      try local.ask(
        "GET",
        "/2/users/\(me)/timelines/reverse_chronological?\(fields)\(expansions)&user.fields=profile_image_url"
          + "&media.fields=url,alt_text")
    }
    var page = try home()
    for _ in 1...100 where page["data"].array.count < 100 {
      usleep(200_000)
      page = try home()
    }
    #expect(page["data"].array.count == 100)
    var links: Set<String> = []
    for post in page["data"].array + page["includes"]["tweets"].array {
      try expectOffsets(in: post)
      links.formUnion(post["entities"]["urls"].array.map { $0["url"].text })
      #expect(post["text"].text.unicodeScalars.count < 420)
      // No placeholder of the script is left; one post has braces of its own.
      #expect(!post["text"].text.contains(/\{[a-z]+[0-9]?\}/))
    }
    let types = Set(page["data"].array.flatMap { $0["referenced_tweets"].array.map { $0["type"].text } })
    #expect(types == ["retweeted", "quoted", "replied_to"])
    #expect(Set(page["data"].array.map { $0["lang"].text }).isSuperset(of: ["en", "ja", "ar", "iw", "hi"]))
    #expect(!links.isEmpty && page["includes"]["media"][0]["alt_text"].text.count > 10)
    for link in links {
      let answer = try local.ask("GET", String(link.dropFirst(local.base.count)), token: nil)
      #expect(answer.status == 301 && answer.headers["location"]?.hasPrefix(local.base) == true)
    }
    for user in page["includes"]["users"].array {
      let path = String(user["profile_image_url"].text.dropFirst(local.base.count))
      let picture = try local.ask("GET", path, token: nil)
      #expect(path.hasSuffix("_normal.png") && picture.headers["content-type"] == "image/png")
      #expect(picture.body.starts(with: [0x89, 0x50, 0x4E, 0x47]))
      let tag = try #require(picture.headers["etag"])
      let known = try local.ask("GET", path, token: nil, headers: ["If-None-Match": tag])
      #expect(known.status == 304 && known.body.isEmpty)
      let changed = try #require(picture.headers["last-modified"])
      #expect(try local.ask("GET", path, token: nil, headers: ["If-Modified-Since": changed]).status == 304)
    }
  }
}
