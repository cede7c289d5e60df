import Foundation
import TestSupport
import Testing

@testable import tw_local

/// Who may use each address of tw-local: every row of its tables, so that a new one is looked at too.
@Suite(.onOwnThread) struct LocalAccessTests {
  private let local: LocalService
  private let program: LocalProgram
  private let owner: String
  /// A post of the owner's, and a picture that no post has.
  private let (post, media): (String, String)

  /// What the addresses are asked with.
  private enum Asker: CaseIterable { case nobody, reader, stranger, ownProgram, other }

  init() throws {
    local = try LocalService(["--demo", "--rate", "0", "--rate-limit", "100000"])
    program = LocalProgram(local: local)
    owner = try local.ask("GET", "/2/users/me")["data"]["id"].text
    post = try local.post("mine")
    let upload = try local.ask(
      "POST", "/2/media/upload", body: ["media": Data(PNGPicture(2, 2).bytes).base64EncodedString()])
    media = upload["data"]["id"].text
    try #require(!media.isEmpty)
  }

  // MARK: The tables

  /// Rows that need no token.
  private static let open: Set = [
    "GET /api/v2/instance", "GET /api/v1/instance", "GET /.well-known/nodeinfo", "GET /nodeinfo/2.0",
    "GET /.well-known/oauth-authorization-server", "POST /api/v1/apps", "GET /api/v1/streaming/health",
    "GET /api/v1/timelines/public", "GET /api/v1/timelines/tag/*", "GET /api/v1/accounts/lookup",
    "GET /api/v1/accounts/*", "GET /api/v1/accounts/*/statuses", "GET /api/v1/accounts/*/followers",
    "GET /api/v1/accounts/*/following", "GET /api/v1/statuses", "GET /api/v1/statuses/*",
    "GET /api/v1/statuses/*/context",
    "GET /xrpc/com.atproto.server.describeServer", "GET /xrpc/com.atproto.identity.resolveHandle",
    "GET /xrpc/com.atproto.repo.getRecord", "GET /xrpc/com.atproto.repo.listRecords",
    "GET /xrpc/app.bsky.feed.getAuthorFeed", "GET /xrpc/app.bsky.feed.getPosts",
    "GET /xrpc/app.bsky.feed.getPostThread", "GET /xrpc/app.bsky.feed.getListFeed", "GET /xrpc/app.bsky.feed.getFeed",
    "GET /xrpc/app.bsky.actor.getProfile", "GET /xrpc/app.bsky.actor.getProfiles",
    "GET /xrpc/app.bsky.graph.getFollowers", "GET /xrpc/app.bsky.graph.getFollows",
    "GET /xrpc/app.bsky.graph.getLists", "GET /xrpc/network.bsky.jetstream.subscribeEvents", "GET /subscribe",
    "GET /*",
  ]

  /// Rows that read, although their method is POST.
  private static let reading: Set = [
    "POST /1.1/statuses/filter.json", "POST /1.1/statuses/lookup.json", "POST /1.1/users/lookup.json",
  ]

  /// Rows whose GET is refused to a reader: uploads need the scope of what they are about, and bookmarks are their
  /// owner's alone.
  private static let notReading: Set = [
    "GET /2/media/upload", "GET /1.1/media/upload.json", "GET /api/v1/media/*", "GET /2/users/*/bookmarks",
  ]

  /// What somebody else asks of what is the owner's, and the refusal. With `nil` the request is about the asker's own
  /// account, whatever it names.
  private struct Attack {
    let path: String
    var body = ""
    let refusal: Int?
  }

  /// An attack for each row that changes something.
  private var attacks: [String: Attack] {
    let (user, ids) = ("/2/users/\(owner)", #"{"tweet_id":"\#(post)","target_user_id":"1"}"#)
    let (toot, did) = (TimedID.mastodon(Int(post) ?? 0), BlueskyName.did(Int(owner) ?? 0))
    let uri = "at://\(did)/app.bsky.feed.post/\(TimedID.key(Int(post) ?? 0))"
    let record =
      #"{"repo":"\#(did)","collection":"app.bsky.feed.post","rkey":"\#(TimedID.key(Int(post) ?? 0))","#
      + #""record":{"text":"not mine","createdAt":"2026-01-01T00:00:00Z"}}"#
    let alt = #"{"id":"\#(media)","metadata":{"alt_text":{"text":"not mine"}}}"#
    var attacks: [String: Attack] = [
      "POST /2/tweets": Attack(path: "/2/tweets", body: #"{"text":"of another"}"#, refusal: nil),
      "DELETE /2/tweets/*": Attack(path: "/2/tweets/\(post)", refusal: 403),
      "POST /2/media/upload/initialize": Attack(
        path: "/2/media/upload/initialize", body: #"{"media_type":"image/png","total_bytes":9}"#, refusal: nil),
      "POST /2/media/upload/*/append": Attack(
        path: "/2/media/upload/\(media)/append", body: #"{"media":"AAAA","segment_index":0}"#, refusal: 400),
      "POST /2/media/upload/*/finalize": Attack(path: "/2/media/upload/\(media)/finalize", refusal: 400),
      "POST /2/media/upload": Attack(path: "/2/media/upload", body: "{}", refusal: nil),
      "POST /2/media/metadata": Attack(path: "/2/media/metadata", body: alt, refusal: 400),
      "POST /2/tweets/search/stream/rules": Attack(path: "/2/tweets/search/stream/rules?delete_all=true", refusal: nil),
      "POST /1.1/statuses/update.json": Attack(path: "/1.1/statuses/update.json?status=another", refusal: nil),
      "POST /1.1/statuses/destroy/*": Attack(path: "/1.1/statuses/destroy/\(post).json", refusal: 403),
      "POST /1.1/statuses/retweet/*": Attack(path: "/1.1/statuses/retweet/\(post).json", refusal: nil),
      "POST /1.1/statuses/unretweet/*": Attack(path: "/1.1/statuses/unretweet/\(post).json", refusal: nil),
      "POST /1.1/favorites/create.json": Attack(path: "/1.1/favorites/create.json?id=\(post)", refusal: nil),
      "POST /1.1/favorites/destroy.json": Attack(path: "/1.1/favorites/destroy.json?id=\(post)", refusal: nil),
      "POST /1.1/media/upload.json": Attack(
        path: "/1.1/media/upload.json?command=FINALIZE&media_id=\(media)", refusal: 400),
      "POST /1.1/media/metadata/create.json": Attack(
        path: "/1.1/media/metadata/create.json", body: #"{"media_id":"\#(media)","alt_text":{"text":"not mine"}}"#,
        refusal: 400),
      "POST /1.1/account/update_profile_image.json": Attack(
        path: "/1.1/account/update_profile_image.json?user_id=\(owner)", refusal: nil),
      "POST /api/v1/apps": Attack(
        path: "/api/v1/apps?client_name=x&redirect_uris=http://127.0.0.1/", refusal: nil),
      "POST /api/v1/statuses": Attack(path: "/api/v1/statuses?status=another+one", refusal: nil),
      "DELETE /api/v1/statuses/*": Attack(path: "/api/v1/statuses/\(toot)", refusal: 404),
      "POST /api/v2/media": Attack(path: "/api/v2/media", refusal: nil),
      "POST /api/v1/media": Attack(path: "/api/v1/media", refusal: nil),
      "PUT /api/v1/media/*": Attack(path: "/api/v1/media/\(media)?description=not+mine", refusal: 422),
      "POST /xrpc/com.atproto.repo.createRecord": Attack(
        path: "/xrpc/com.atproto.repo.createRecord", body: record, refusal: 403),
      "POST /xrpc/com.atproto.repo.putRecord": Attack(
        path: "/xrpc/com.atproto.repo.putRecord", body: record, refusal: 403),
      "POST /xrpc/com.atproto.repo.deleteRecord": Attack(
        path: "/xrpc/com.atproto.repo.deleteRecord", body: record, refusal: 403),
      "POST /xrpc/com.atproto.repo.uploadBlob": Attack(path: "/xrpc/com.atproto.repo.uploadBlob", refusal: nil),
    ]
    for (relation, item) in [("likes", post), ("retweets", post), ("bookmarks", post), ("following", "1")] {
      attacks["POST /2/users/*/\(relation)"] = Attack(path: "\(user)/\(relation)", body: ids, refusal: 403)
      attacks["DELETE /2/users/*/\(relation)/*"] = Attack(path: "\(user)/\(relation)/\(item)", refusal: 403)
    }
    for act in ["reblog", "favourite", "bookmark"].flatMap({ [$0, "un" + $0] }) {
      attacks["POST /api/v1/statuses/*/\(act)"] = Attack(path: "/api/v1/statuses/\(toot)/\(act)", refusal: nil)
    }
    for act in ["follow", "unfollow"] {
      attacks["POST /api/v1/accounts/*/\(act)"] = Attack(
        path: "/api/v1/accounts/\(TimedID.mastodon(Int(owner) ?? 0))/\(act)", refusal: nil)
    }
    for act in ["createBookmark", "deleteBookmark"] {
      attacks["POST /xrpc/app.bsky.bookmark.\(act)"] = Attack(
        path: "/xrpc/app.bsky.bookmark.\(act)", body: #"{"uri":"\#(uri)"}"#, refusal: nil)
    }
    return attacks
  }

  private static var rows: [(name: String, method: String, path: String)] {
    (Router.endpoints + Router.mastodonEndpoints + Router.blueskyEndpoints).flatMap { endpoint in
      let halves = endpoint.name.split(separator: " ").map(String.init)
      return halves[0].split(separator: ",").map { ("\($0) \(halves[1])", String($0), halves[1]) }
    }
  }

  // MARK: The test

  @Test func nobodyDoesWhatIsNotTheirs() throws {
    let tokens = try tokens()
    let rows = Self.rows
    #expect(rows.count > 100 && Set(rows.map(\.name)).count == rows.count)
    try addThingsOfTheOwner()
    let before = try thingsOfTheOwner()
    var attacks = attacks
    for row in rows {
      let attack = attacks.removeValue(forKey: row.name)
      let (isOpen, isReading) = (Self.open.contains(row.name), Self.reading.contains(row.name))
      let changes = row.method != "GET" && !isReading
      #expect((attack != nil) == changes, "\(row.name) is not in the table, or has no attack")
      let path = attack?.path ?? row.path.replacingOccurrences(of: "*", with: post) + Self.query(row.path)
      for asker in Asker.allCases {
        let answer = try ask(row.method, path, tokens[asker] ?? nil, attack?.body)
        let what = Comment(rawValue: "\(row.name) as \(asker): \(answer)")
        let isRefused = [401, 403, 422].contains(answer)
        switch asker {
        // A did is no path of the API, and nobody has the one that this names.
        case _ where isOpen: #expect(!isRefused || attack != nil && answer == 422, what)
        case .nobody: #expect(answer == 401, what)
        case .stranger: #expect(isRefused, what)
        case .reader: #expect((answer == 403) == (changes || Self.notReading.contains(row.name)), what)
        case .ownProgram:
          #expect(isRefused == (changes && row.path != "/2/tweets/search/stream/rules" || needsUser(row)), what)
        case .other: #expect(answer == attack?.refusal ?? answer, what)
        }
      }
      if changes { #expect(try thingsOfTheOwner() == before, "after \(row.name)") }
    }
    #expect(attacks.isEmpty, "\(attacks.keys) are no rows")
  }

  /// What v1.1 refuses with 403 where it is missing.
  private static func query(_ path: String) -> String {
    path.hasPrefix("/1.1/") ? "?id=1&user_id=1&list_id=1001&track=x&q=x" : ""
  }

  /// Reading that is about the one who asks.
  private func needsUser(_ row: (name: String, method: String, path: String)) -> Bool {
    if Self.notReading.contains(row.name) || row.path.hasPrefix("/api/") || row.path.hasPrefix("/xrpc/") { return true }
    return [
      "/2/users/me", "/2/users/*/timelines/reverse_chronological", "/2/users/*/bookmarks", "/2/users/*/liked_tweets",
      "/2/users/*/followers", "/2/users/*/following", "/1.1/statuses/home_timeline.json",
      "/1.1/statuses/mentions_timeline.json", "/1.1/account/verify_credentials.json",
    ].contains(row.path)
  }

  private func ask(_ method: String, _ path: String, _ token: String?, _ body: String?) throws -> Int {
    try local.open(
      method, path, token: token, headers: ["Content-Type": "application/json"],
      body: method == "GET" ? nil : Array((body ?? "").utf8)
    ).head().status
  }

  private func tokens() throws -> [Asker: String?] {
    let reads = "tweet.read users.read follows.read like.read list.read bookmark.read timeline.read"
    let writes = reads + " tweet.write follows.write like.write bookmark.write media.write"
    let app = try local.ask(
      "POST", "/api/v1/apps?client_name=x&redirect_uris=http://127.0.0.1/&scopes=read+write", token: nil)
    let stranger = try program.post(
      "/oauth/token",
      [
        "grant_type": "client_credentials", "client_id": app["client_id"].text,
        "client_secret": app["client_secret"].text, "scope": "read write",
      ])
    let own = try program.post(
      "/oauth2/token", ["grant_type": "client_credentials"],
      headers: ["Authorization": "Basic " + Data("\(local.key):\(local.secret)".utf8).base64EncodedString()])
    let tokens: [Asker: String?] = [
      .nobody: nil, .stranger: stranger["access_token"].text, .ownProgram: own["access_token"].text,
      .reader: try program.signIn("yuki_dev", "tw-local", scopes: reads)["access_token"].text,
      .other: try program.signIn("maren_k", "tw-local", scopes: writes)["access_token"].text,
    ]
    #expect(tokens.values.allSatisfy { $0 != "" })
    return tokens
  }

  private func addThingsOfTheOwner() throws {
    let posts = try local.search("#swift", "max_results=10")["data"].array.map { $0["id"].text }
    for (relation, post) in zip(["likes", "retweets", "bookmarks"], posts) {
      #expect(try local.ask("POST", "/2/users/\(owner)/\(relation)", body: ["tweet_id": post]).status == 200)
    }
    let rules = ["add": [["value": "tea"], ["value": "coffee"]]]
    #expect(try local.ask("POST", "/2/tweets/search/stream/rules", body: rules).status == 201)
    let alt: [String: Any] = ["id": media, "metadata": ["alt_text": ["text": "mine"]]]
    #expect(try local.ask("POST", "/2/media/metadata", body: alt).status == 200)
  }

  private func thingsOfTheOwner() throws -> [String] {
    try ["tweets", "bookmarks", "liked_tweets", "following"].flatMap { relation in
      ["\(relation):"]
        + (try local.ask("GET", "/2/users/\(owner)/\(relation)?max_results=100")["data"].array.map { $0["id"].text })
    }
      + (try local.ask("GET", "/2/tweets/search/stream/rules")["data"].array.map { $0["value"].text })
      + [
        try local.ask("GET", "/api/v1/media/\(media)")["description"].text,
        try local.ask("GET", "/2/users/me?user.fields=profile_image_url")["data"]["profile_image_url"].text,
      ]
  }
}
