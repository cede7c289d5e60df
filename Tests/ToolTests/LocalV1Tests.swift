import Foundation
import TestSupport
import Testing

/// tw-local's X v1.1 REST endpoints, over real sockets.
@Suite(.onOwnThread) struct LocalV1Tests {
  private let local: LocalService

  init() throws { local = try LocalService(["--demo", "--rate", "0"]) }

  /// An answer that is an array.
  private func list(_ path: String) throws -> [LooseJSON] {
    let answer = try local.ask("GET", "/1.1/" + path)
    #expect(answer.status == 200, "\(path): \(answer.text)")
    return LooseJSON(try JSONSerialization.jsonObject(with: Data(answer.body))).array
  }

  private func ids(_ posts: [LooseJSON]) -> [String] { posts.map { $0["id_str"].text } }

  @Test func pagesByMaxID() throws {
    let whole = try ids(list("statuses/home_timeline.json?count=200"))
    #expect(whole.count > 50 && whole == whole.sorted(by: >))
    var paged: [String] = []
    while true {
      let last = paged.last.flatMap { Int($0) }.map { "&max_id=\($0 - 1)" } ?? ""
      let page = try ids(list("statuses/home_timeline.json?count=9" + last))
      if page.isEmpty { break }
      paged += page
    }
    #expect(paged == whole)
    // `max_id` is included, `since_id` is not.
    let middle = try ids(list("statuses/home_timeline.json?since_id=\(whole[9])&max_id=\(whole[3])"))
    #expect(middle == Array(whole[3..<9]))
    #expect(try ids(list("statuses/home_timeline.json")).count == 20)
    let wrong = try local.ask("GET", "/1.1/statuses/home_timeline.json?since_id=x")
    #expect(wrong.status == 400 && wrong["errors"][0]["code"].number == 44)
  }

  @Test func readsUsersListsAndMentions() throws {
    let mine = try list("statuses/user_timeline.json?screen_name=MAREN_K&count=200&trim_user=true")
    #expect(mine.contains { $0["retweeted_status"].value != nil })
    #expect(mine.allSatisfy { Set($0["user"].object.keys) == ["id", "id_str"] })
    let id = mine[0]["user"]["id_str"].text
    let own = try list("statuses/user_timeline.json?user_id=\(id)&include_rts=false&exclude_replies=1&count=200")
    #expect(!own.isEmpty && own.count < mine.count)
    #expect(own.allSatisfy { $0["retweeted_status"].value == nil && $0["in_reply_to_status_id"].value is NSNull })
    #expect(try local.ask("GET", "/1.1/statuses/user_timeline.json?screen_name=nobody").status == 404)
    let byID = try ids(list("lists/statuses.json?list_id=1002&count=100"))
    #expect(byID.count > 5)
    #expect(try local.ask("GET", "/1.1/lists/statuses.json")["errors"][0]["code"].number == 112)
    #expect(try byID == local.ask("GET", "/2/lists/1002/tweets")["data"].array.map { $0["id"].text })
    #expect(try local.ask("GET", "/1.1/lists/statuses.json?list_id=7")["errors"][0]["code"].number == 34)
    let post = try local.ask("POST", "/2/tweets", body: ["text": "hello @you"])
    #expect(post.status == 201)
    // An account's own posts are not among its mentions.
    #expect(try list("statuses/mentions_timeline.json").isEmpty)
    let user = try local.ask("GET", "/1.1/users/show.json?screen_name=tomasz_io")
    #expect(user["screen_name"] == "tomasz_io" && user["entities"]["description"]["urls"].array.count == 1)
    #expect(
      try list("users/lookup.json?screen_name=you,maren_k,nobody").map { $0["screen_name"].text } == ["you", "maren_k"])
    #expect(try local.ask("GET", "/1.1/account/verify_credentials.json")["screen_name"] == "you")
    #expect(try local.ask("GET", "/1.1/users/show.json?screen_name=nobody")["errors"][0]["code"].number == 50)
  }

  @Test func searchesPageByPage() throws {
    var found: [String] = []
    var next = "?q=%23opensource%20OR%20filter%3Amedia%20-filter%3Aretweets&count=4&include_entities=1"
    while true {
      let page = try local.ask("GET", "/1.1/search/tweets.json" + next)
      #expect(page.status == 200 && page["search_metadata"]["count"].number == 4)
      found += ids(page["statuses"].array)
      next = page["search_metadata"]["next_results"].text
      if next.isEmpty { break }
      #expect(next.hasPrefix("?max_id=") && next.contains("&q=%23opensource%20OR"))
    }
    let expected = try local.search("#opensource -is:retweet OR has:media -is:retweet #terminal", "max_results=100")
    #expect(found.count > 10 && Set(found).isSuperset(of: expected["data"].array.map { $0["id"].text }))
    #expect(found == found.sorted(by: >) && Set(found).count == found.count)
    let newer = try local.ask("GET", "/1.1/search/tweets.json?q=%23opensource%20-filter:retweets&since_id=\(found[3])")
    #expect(
      !ids(newer["statuses"].array).contains(found[3]) && newer["search_metadata"]["since_id_str"].text == found[3])
    let none = try local.ask("GET", "/1.1/search/tweets.json?q=zebra")
    #expect(none["statuses"].array.isEmpty && none["search_metadata"]["next_results"].value == nil)
    #expect(try local.ask("GET", "/1.1/search/tweets.json")["errors"][0]["code"].number == 25)
    func search(_ query: String) throws -> [LooseJSON] {
      try local.ask("GET", "/1.1/search/tweets.json?count=100&q=" + query)["statuses"].array
    }
    let arabic = try search("from:maren_k&lang=ar")
    #expect(!arabic.isEmpty && arabic.allSatisfy { $0["lang"] == "ar" })
    #expect(try arabic.count < search("from:maren_k").count)
    // Search goes back a week; a timeline goes back further.
    let timeline = try list("statuses/user_timeline.json?screen_name=oss_cafe&count=200")
    #expect(try search("from:oss_cafe").count == timeline.count - 1)
  }

  // MARK: The same posts in both versions

  private static let fields =
    "tweet.fields=created_at,author_id,conversation_id,in_reply_to_user_id,referenced_tweets,entities,attachments,lang,"
    + "public_metrics,source,possibly_sensitive,note_tweet&expansions=author_id,in_reply_to_user_id,referenced_tweets.id,"
    + "referenced_tweets.id.author_id,attachments.media_keys&user.fields=created_at,name,username,profile_image_url,"
    + "protected,verified,url,entities,description,location,public_metrics&media.fields=media_key,type,url,alt_text,"
    + "width,height"

  /// Records by id, with the values that both versions of the API have.
  private func records(_ raw: String) throws -> [String: [String: String]] {
    let parsed = try Tool.run("tw-parse", ["--only", "tweet"], stdin: .init(raw))
    #expect(parsed.status == 0 && parsed.errors == "")
    var records: [String: [String: String]] = [:]
    for line in parsed.lines {
      let record = LooseJSON(try JSONSerialization.jsonObject(with: Data(line.utf8)))
      records[record["id"].text] = try Self.commonValues(of: record)
    }
    return records
  }

  private static func commonValues(of record: LooseJSON) throws -> [String: String] {
    var values: [String: String] = [:]
    for key in ["text", "created_at", "lang", "source", "author_id", "in_reply_to_user_id"] {
      values[key] = record[key].text
    }
    for key in ["id", "username", "name", "profile_image_url", "description", "location", "url", "created_at"] {
      values["author." + key] = record["author"][key].text
    }
    func write(_ value: Any) throws -> String {
      String(decoding: try JSONSerialization.data(withJSONObject: value, options: .sortedKeys), as: UTF8.self)
    }
    for key in ["hashtags", "cashtags", "urls"] {
      values[key] = try write(record["entities"][key].value ?? [])
    }
    values["mentions"] = record["entities"]["mentions"].array.map { mention in
      "\(mention["start"].number)-\(mention["end"].number) \(mention["username"].text) \(mention["id"].text)"
    }.joined(separator: ", ")
    values["references"] = record["referenced_tweets"].array.map { "\($0["type"].text) \($0["id"].text)" }
      .joined(separator: ", ")
    values["repeated"] = record["referenced_tweets"].array.first { $0["type"] == "retweeted" }?["text"].text
    values["quoted"] = record["referenced_tweets"].array.first { $0["type"] == "quoted" }?["text"].text
    let media = record["attachments"]["media"].array.map { medium in
      ["media_key", "type", "url", "alt_text", "width", "height"].map { medium[$0].value ?? "" }
    }
    values["media"] = try write(media)
    for key in ["retweet_count", "reply_count", "like_count", "quote_count"] {
      values[key] = "\(record["public_metrics"][key].number)"
    }
    return values
  }

  private func expectSame(_ old: [String: [String: String]], _ new: [String: [String: String]]) {
    #expect(Set(old.keys) == Set(new.keys))
    for (id, record) in new {
      for (key, value) in record { #expect(old[id]?[key] == value, "\(key) of \(id)") }
    }
  }

  @Test func isParsedIntoTheSameRecords() throws {
    let me = try local.ask("GET", "/2/users/me")["data"]["id"].text
    let home = try local.ask("GET", "/2/users/\(me)/timelines/reverse_chronological?\(Self.fields)")
    let new = try records(home.text + "\n")
    #expect(new.count > 50)
    let ids = new.keys.joined(separator: ",")
    let old = try records(
      local.ask("GET", "/1.1/statuses/lookup.json?id=\(ids)&tweet_mode=extended&include_ext_alt_text=true").text)
    #expect(old.count == new.count)
    expectSame(old, new)
    // The compat mode truncates long posts.
    let compat = try list("statuses/lookup.json?id=\(ids)")
    #expect(compat.contains { $0["truncated"] == true } && compat.allSatisfy { $0["full_text"].value == nil })
  }

  @Test func streamsWhatIsParsedIntoTheSameRecords() throws {
    let old = try local.open("GET", "/1.1/statuses/sample.json")
    let new = try local.open("GET", "/2/tweets/sample/stream?\(Self.fields)")
    #expect(try old.head().status == 200)
    #expect(try new.head().status == 200)
    let me = try local.ask("GET", "/2/users/me")["data"]["id"].text
    let target = try local.search("from:pip_ops -is:retweet", "max_results=10")["data"][0]["id"].text
    let long = String(repeating: "wörter <&> 👨‍👩‍👧‍👦 #größe @maren_k ", count: 6) + "https://example.com/a?b=c&d #end"
    for body: [String: Any] in [
      ["text": "plain"], ["text": long], ["text": "quote 🐣", "quote_tweet_id": target],
      ["text": "@pip_ops @nobody yes", "reply": ["in_reply_to_tweet_id": target]],
      ["text": long + " " + long],
    ] {
      #expect(try local.ask("POST", "/2/tweets", body: body).status == 201)
    }
    #expect(try local.ask("POST", "/2/users/\(me)/retweets", body: ["tweet_id": target]).status == 200)
    var lines = (old: "", new: "")
    for _ in 1...6 {
      lines.old += try #require(try old.line())
      lines.new += try #require(try new.line())
    }
    let (before, after) = try (records(lines.old), records(lines.new))
    #expect(after.count == 6 && before.count == 6)
    expectSame(before, after)
  }
}
