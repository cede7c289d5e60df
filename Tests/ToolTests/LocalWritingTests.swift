import Foundation
import TestSupport
import Testing

/// Writing to a tw-local: follows, bookmarks, and what v1.1 writes.
@Suite(.onOwnThread) struct LocalWritingTests {
  private let local: LocalService
  private let me: String

  init() throws {
    local = try LocalService(["--demo", "--rate", "0"])
    me = try local.ask("GET", "/2/users/me")["data"]["id"].text
  }

  private func id(of name: String) throws -> String {
    try local.ask("GET", "/2/users/by/username/\(name)")["data"]["id"].text
  }

  private func counts(_ name: String) throws -> (followers: Int, following: Int) {
    let metrics = try local.ask("GET", "/2/users/by/username/\(name)?user.fields=public_metrics")["data"][
      "public_metrics"]
    return (metrics["followers_count"].number, metrics["following_count"].number)
  }

  private func homeAuthors() throws -> Set<String> {
    let home = try local.ask("GET", "/2/users/\(me)/timelines/reverse_chronological?tweet.fields=author_id")
    return Set(home["data"].array.map { $0["author_id"].text })
  }

  private func form(_ path: String, _ pairs: KeyValuePairs<String, String>) throws -> LocalAnswer {
    let body = pairs.map {
      "\($0.key)=\($0.value.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")"
    }.joined(separator: "&")
    return try local.ask(
      "POST", path, headers: ["Content-Type": "application/x-www-form-urlencoded"], raw: Array(body.utf8))
  }

  private func code(_ answer: LocalAnswer) -> Int { answer["errors"][0]["code"].number }

  @Test func followsAndUnfollows() throws {
    let maren = try id(of: "maren_k")
    #expect(try homeAuthors().contains(maren))
    let (before, mine) = (try counts("maren_k").followers, try counts("you").following)
    let ended = try local.ask("DELETE", "/2/users/\(me)/following/\(maren)")
    #expect(ended.status == 200 && ended["data"]["following"] == false)
    #expect(try !homeAuthors().contains(maren))
    #expect(try counts("maren_k").followers == before - 1 && counts("you").following == mine - 1)
    let begun = try local.ask("POST", "/2/users/\(me)/following", body: ["target_user_id": maren])
    #expect(begun["data"]["following"] == true && begun["data"]["pending_follow"] == false)
    // Twice is as once.
    _ = try local.ask("POST", "/2/users/\(me)/following", body: ["target_user_id": maren])
    #expect(try counts("maren_k").followers == before)
    #expect(try homeAuthors().contains(maren))
    #expect(try local.ask("POST", "/2/users/\(me)/following", body: ["target_user_id": me]).status == 403)
    #expect(try local.ask("POST", "/2/users/\(maren)/following", body: ["target_user_id": me]).status == 403)
    #expect(try local.ask("POST", "/2/users/\(me)/following", body: ["target_user_id": "1"])["errors"].array.count == 1)
  }

  @Test func bookmarks() throws {
    let (path, id) = ("/2/users/\(me)/bookmarks", try local.post("one"))
    func count() throws -> Int {
      let post = try local.ask("GET", "/2/tweets/\(id)?tweet.fields=public_metrics")
      return post["data"]["public_metrics"]["bookmark_count"].number
    }
    for _ in 1...2 {
      let kept = try local.ask("POST", path, body: ["tweet_id": id])
      #expect(kept.status == 200 && kept["data"]["bookmarked"] == true)
    }
    // Twice is as once.
    #expect(try count() == 1)
    #expect(try local.ask("DELETE", path + "/\(id)")["data"]["bookmarked"] == false)
    #expect(try count() == 0)
    let other = try self.id(of: "pip_ops")
    #expect(try local.ask("POST", "/2/users/\(other)/bookmarks", body: ["tweet_id": id]).status == 403)
    #expect(try local.ask("POST", path, body: ["tweet_id": "1"]).status == 400)
  }

  @Test func postsByV1() throws {
    let posted = try form("/1.1/statuses/update.json", ["status": "Hello Ladies + Gentlemen & <all>"])
    #expect(posted.status == 200 && posted["text"] == "Hello Ladies + Gentlemen &amp; &lt;all&gt;")
    let again = try form("/1.1/statuses/update.json", ["status": "Hello Ladies + Gentlemen & <all>"])
    #expect(again.status == 403 && code(again) == 187)
    #expect(try code(form("/1.1/statuses/update.json", ["status": " "])) == 170)
    #expect(try code(form("/1.1/statuses/update.json", ["status": String(repeating: "x", count: 25_001)])) == 186)
    let id = posted["id_str"].text
    let reply = try form(
      "/1.1/statuses/update.json", ["status": "an answer", "in_reply_to_status_id": id])
    #expect(reply["in_reply_to_status_id_str"].text == id)
    let theirs = try local.search("from:maren_k -is:retweet")["data"][0]["id"].text
    let ignored = try form("/1.1/statuses/update.json", ["status": "nobody is named", "in_reply_to_status_id": theirs])
    #expect(ignored["in_reply_to_status_id_str"].value == nil || ignored["in_reply_to_status_id_str"].text == "")
    let named = try form(
      "/1.1/statuses/update.json",
      ["status": "somebody is", "in_reply_to_status_id": theirs, "auto_populate_reply_metadata": "true"])
    #expect(named["text"].text.hasPrefix("@maren_k ") && named["in_reply_to_status_id_str"].text == theirs)
    #expect(try code(form("/1.1/statuses/update.json", ["status": "x", "in_reply_to_status_id": "1"])) == 385)
    let deleted = try local.ask("POST", "/1.1/statuses/destroy/\(id).json")
    #expect(deleted.status == 200 && deleted["id_str"].text == id)
    #expect(try code(local.ask("POST", "/1.1/statuses/destroy/\(id).json")) == 144)
    #expect(try code(local.ask("POST", "/1.1/statuses/destroy/\(theirs).json")) == 183)
    #expect(try local.ask("POST", "/1.1/statuses/destroy/\(id)").status == 404)
  }

  @Test func likesAndRetweetsByV1() throws {
    let theirs = try local.search("from:maren_k -is:retweet")["data"][0]["id"].text
    let liked = try form("/1.1/favorites/create.json", ["id": theirs])
    #expect(liked["favorited"] == true)
    let count = liked["favorite_count"].number
    #expect(try code(form("/1.1/favorites/create.json", ["id": theirs])) == 139)
    let unliked = try form("/1.1/favorites/destroy.json", ["id": theirs])
    #expect(unliked["favorited"] == false && unliked["favorite_count"].number == count - 1)
    #expect(try code(form("/1.1/favorites/destroy.json", ["id": theirs])) == 144)
    let retweet = try local.ask("POST", "/1.1/statuses/retweet/\(theirs).json")
    #expect(retweet["retweeted_status"]["id_str"].text == theirs && retweet["retweeted"] == true)
    #expect(try code(local.ask("POST", "/1.1/statuses/retweet/\(theirs).json")) == 327)
    // The retweet may be named instead of what it retweets.
    let undone = try local.ask("POST", "/1.1/statuses/unretweet/\(retweet["id_str"].text).json")
    #expect(undone["id_str"].text == theirs && undone["retweeted"] == false)
    #expect(try code(local.ask("POST", "/1.1/statuses/retweet/1.json")) == 144)

    let since = try local.post("a mark")
    #expect(try local.ask("GET", "/1.1/statuses/home_timeline.json?since_id=\(since)").text == "[]")
    let home = try local.ask("GET", "/1.1/statuses/home_timeline.json?count=200&trim_user=true")
    #expect(LooseJSON(try JSONSerialization.jsonObject(with: Data(home.body))).array.count > 10)
  }
}
