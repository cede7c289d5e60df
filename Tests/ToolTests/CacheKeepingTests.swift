import Foundation
import TestSupport
import Testing
import TweetCore

@testable import MediaStore
@testable import SQLite
@testable import TweetStore

/// Pruning, export and import, check and repair.
@Suite(.onOwnThread) struct CacheKeepingTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// Makes a store with rows in every table.
  private func fill() throws {
    func more(_ other: Int) -> String {
      ",\"referenced_tweets\":[{\"type\":\"quoted\",\"id\":\"\(other)\",\"text\":\"in\\nside\",\"author\":{\"id\":\"9\"}}]"
        + ",\"entities\":{\"mentions\":[{\"username\":\"a\"}],\"urls\":[{\"url\":\"https://a/\(other % 7)\"}]}"
    }
    var input = (1...300).map {
      tweet($0, second: $0 * 7, text: "text 日本 \($0)", read: $0, feeds: ["#a"], more: more($0))
    }
    input.append(tweet(5, second: 35, text: "edited", likes: 3, read: 900, tags: ["b"], feeds: ["home"]))
    input.append(tweet(6, text: "v2", more: ",\"geo\":{\"id\":\"p\"},\"edit_history_tweet_ids\":[\"4\",\"6\"]"))
    input.append("{\"tw\":\"user\", \"service\":\"x\", \"id\":\"ujack\", \"username\":\"j2\", \"name\":\"\"}\n")
    // One who has had one name, and one who has the first name again.
    for (id, name, minute) in [("one", "one", 0), ("back", "a", 1), ("back", "b", 2), ("back", "a", 3)] {
      let read = "\"retrieved_at\":\"2021-11-03T21:3\(minute):00.000Z\""
      input.append("{\"tw\":\"user\",\"service\":\"x\",\"id\":\"\(id)\",\"username\":\"\(name)\",\(read)}\n")
    }
    input.append("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"50\",\"user_id\":\"ujack\"}\n")
    input.append(
      "{\"tw\":\"notice\",\"code\":\"withheld\",\"service\":\"x\",\"id\":\"51\",\"countries\":[\"XX\"]}\n"
        + "{\"tw\":\"notice\",\"code\":\"withheld\",\"service\":\"x\",\"user_id\":\"9\",\"countries\":[\"DE\"]}\n"
        + "{\"tw\":\"notice\",\"code\":\"scrub_geo\",\"service\":\"x\",\"user_id\":\"ujack\",\"up_to_id\":\"80\"}\n")
    let result = try add(input.joined())
    #expect(result.errors == "" && result.status == 0)
    // Its counts of a day later: the first ones are kept.
    let later = ",\"retrieved_at\":\"2021-11-05T00:00:00.000Z\"}\n"
    _ = try add(tweet(5, second: 35, text: "edited", likes: 9, tags: ["b"], feeds: ["home"]).dropLast(2) + later)
    #expect(try cache("label", "+later", "205", "207").status == 0)
  }

  /// All rows of all tables, without what differs in a copy: the keys of users and feeds, and the table `recent`.
  private func contents(_ path: String) throws -> [String] {
    let database = try Database(path, TweetStore.kind, .readOnly)
    let queries: [StaticString] = [
      "SELECT json_array(service, id, username, name, first_seen, retrieved_at, record(json, NULL)) FROM users",
      """
      SELECT json_array(u.service, u.id, n.username, n.name, n.first_seen) FROM user_names n JOIN users u ON u.key = user
      """,
      """
      SELECT json_array(t.key, t.service, t.id, u.id, created_at, lang, conversation_id, like_count, retweet_count,
        media, viewer, has_links, address, hidden, t.first_seen, last_seen, t.retrieved_at, text, indexed, record(t.json, t.text))
      FROM tweets t JOIN users u ON u.key = t.author
      """,
      "SELECT json_array(tag, tweet) FROM tweet_hashtags", "SELECT json_array(username, tweet) FROM tweet_mentions",
      "SELECT json_array(url, tweet, short_url, kind) FROM tweet_urls",
      "SELECT json_array(tweet, type, r.id, u.id) FROM tweet_references r LEFT JOIN users u ON u.key = r.author",
      "SELECT json_array(tweet, text, retrieved_at, record(json, text)) FROM tweet_versions",
      "SELECT json_array(service, id, original) FROM tweet_edits",
      """
      SELECT json_array(service, f.feed, tweet, first_seen, last_seen) FROM tweet_feeds t JOIN feeds f ON f.key = t.feed
      """,
      "SELECT json_array(service, id, user_id, deleted_at) FROM tombstones",
      "SELECT json_array(service, subject, id, countries, noticed_at) FROM withheld",
      "SELECT json_array(service, user_id, up_to_id, noticed_at) FROM scrubbed_places",
      "SELECT json_array(label, tweet) FROM (SELECT l.label, t.tweet FROM tweet_labels t JOIN labels l ON l.key = t.label)",
      "SELECT json_array(tweet, retrieved_at, like_count, retweet_count, reply_count, quote_count) FROM tweet_counts",
    ]
    var rows: [String] = []
    for query in queries {
      let before = rows.count
      try database.forEachRow(query) { rows.append($0.text(0) ?? "") }
      #expect(rows.count > before, "nothing from \(query)")
    }
    return rows.sorted()
  }

  @Test(arguments: [[], ["--keep-deleted"]])
  func anImportedExportIsTheSameStore(options: [String]) throws {
    try fill()
    _ = try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"60\"}\n", options)
    let export = try cache("export")
    #expect(export.errors == "" && export.status == 0)
    #expect(try cache("import", "--db", "copy.db", stdin: export.output).status == 0)
    let copy = home.path + "/copy.db"
    #expect(try contents(copy) == contents(store))
    #expect(try cache("export", "--db", "copy.db").output == export.output)
    // A second import changes nothing.
    #expect(try cache("import", "--db", "copy.db", stdin: export.output).status == 0)
    #expect(try contents(copy) == contents(store))
    try checkStore(copy)
  }

  /// What is no export is refused, whatever it is; an export of a newer version too, with a status of its own.
  @Test(arguments: [
    ("{\"tw\":\"stored\"}\n", 65), ("junk\n", 65), ("junk\n{\"a\":1}\n[]\n", 65), ("{\"tw\":\"context\"}\n", 65),
    ("{\"tw\":\"tweet\"}\n", 65), ("{\"tw\":\"tweet\"}\n{\"tw\":\"tweet\"}\n", 65), ("", 0),
    ("{\"tw\":\"store\",\"version\":1}\njunk\n", 1), ("{\"tw\":\"store\",\"version\":2}\n", 78),
  ])
  func importsOfSomethingElse(input: String, status: Int32) throws {
    let result = try cache("import", "--db", "other.db", stdin: input)
    #expect(
      result.status == status && result.output == "" && result.errors.isEmpty == (status == 0), "\(result.errors)")
    if status == 78 { #expect(result.errors.contains("newer version of tw: upgrade tw")) }
  }

  @Test func pruningOldTweetsAndPictures() throws {
    try fill()
    let media = Paths.mediaStore(besides: store)
    do {
      let pictures = try MediaStore(media, note: { _ in })
      for (number, time) in [0, 3_000_000].enumerated() {
        let key = "key\(number)"
        try pictures.store(
          [
            StoredAvatar(
              url: "https://p/\(number)", key: key, fetchedAt: Timestamp(milliseconds: 1_635_975_000_000 + Int64(time)))
          ],
          pictures: [(StoredPicture(key: key, type: "image/png", width: 1, height: 1, size: 3), [1, 2, 3])])
      }
    }
    // Twenty minutes after the first tweet.
    let cut = time(1200)
    let foreseen = try prune("--older-than", cut, "--dry-run")
    #expect(
      foreseen.output
        == "forgotten or deleted tweets that could come back\t1\ntweets\t170\nusers\t2\nnotifications\t0\n"
        + "pictures and links\t1\n"
        && foreseen.errors == "")
    let asked = try prune("--older-than", cut)
    #expect(
      asked.status == 64
        && asked.errors.contains(
          " back: 1, tweets: 170, users: 2, notifications: 0, pictures and links: 1? Nobody can be asked here: say --yes"
        ))
    #expect(try list("--all").count > 170)
    let result = try prune("--older-than", cut, "--yes")
    let removed = "170 tweets, 2 users, 1 pictures and links, and what would bring back 1 forgotten or deleted tweets"
    #expect(result.errors == "tw-cache: removed \(removed)\n" && result.status == 0)
    #expect(try list("--all", "--oldest-first", "--limit", "1") == ["172"])
    #expect(
      try MediaStore(media, note: { _ in }).picture("key0") == nil
        && MediaStore(media, note: { _ in }).picture("key1") != nil)
    try checkStore()
    #expect(
      try prune("--older-than", cut, "--dry-run").output
        == "tweets\t0\nusers\t0\nnotifications\t0\npictures and links\t0\n")
    // Where there is nothing to remove, there is nothing to ask.
    #expect(try prune("--older-than", cut).status == 0)
    #expect(try cache("prune").status == 64)
    #expect(try cache("prune", "--db", "none.db", "--older-than", "1d").status == 66)
    #expect(!home.exists("none.db"))
  }

  /// Pictures of profiles that have others now, in every size of them; not photos, and not those of today.
  @Test func pruningPicturesThatNoProfileNames() throws {
    func user(_ id: Int, _ picture: String) -> String {
      #"{"tw":"user","service":"x","id":"\#(id)","username":"a\#(id)","profile_image_url":"\#(picture)"}"# + "\n"
    }
    let users = user(1, "https://p.example/1/new_normal.jpg") + user(2, "https://p.example/2/face.png?v=2")
    #expect(try cache("add", stdin: users).status == 0)
    let media = Paths.mediaStore(besides: store)
    let urls = [
      "https://p.example/1/old_normal.jpg", "https://p.example/1/old_400x400.jpg",
      "https://p.example/1/new_400x400.jpg",
      "https://p.example/1/new_normal.jpg", "https://p.example/2/face.png?v=1", "https://p.example/3/left.png",
      "https://p.example/media/photo.jpg",
    ]
    do {
      let pictures = try MediaStore(media, note: { _ in })
      for (number, url) in urls.enumerated() {
        let key = "key\(number)"
        let kind = url.contains("/media/") ? "media" : "avatar"
        try pictures.store(
          [StoredAvatar(url: url, kind: kind, key: key, fetchedAt: .now)],
          pictures: [(StoredPicture(key: key, type: "image/png", width: 1, height: 1, size: 3), [1, 2, 3])])
      }
    }
    func kept() throws -> [Int] {
      let pictures = try MediaStore(media, note: { _ in })
      return try urls.indices.filter { number in
        let isKept = try pictures.avatar(urls[number]) != nil
        #expect(try (pictures.picture("key\(number)") != nil) == isKept)
        return isKept
      }
    }
    let foreseen = try prune("--unused-pictures", "--dry-run")
    #expect(foreseen.output == "unused pictures\t3\n" && foreseen.errors == "" && foreseen.status == 0)
    let asked = try prune("--unused-pictures")
    #expect(asked.status == 64 && asked.errors.contains(": unused pictures: 3? Nobody can be asked here: say --yes"))
    #expect(try kept() == Array(urls.indices))
    let result = try prune("--unused-pictures", "--yes")
    #expect(result.errors == "tw-cache: removed 0 tweets, 0 users, 3 pictures and links\n" && result.status == 0)
    #expect(try kept() == [2, 3, 4, 6])
    #expect(try prune("--unused-pictures", "--dry-run").output == "unused pictures\t0\n")
  }

  /// `prune` as it runs two days after the first tweet.
  private func prune(_ options: String...) throws -> ToolResult {
    try Tool.run("tw-cache", ["prune"] + options, environment: ["TW_NOW": time(172_800)], home: home)
  }

  /// `1m` is a minute: a slip of one letter must not remove all tweets, and neither must a size without its unit.
  @Test(arguments: [
    (["--older-than", "1m"], "'1m' is less than a day ago: m is minutes, months are '1mo'"),
    (["--older-than", "23h"], "less than a day ago"), (["--older-than", "500ms"], "less than a day ago"),
    (["--older-than", "2999-01-01"], "less than a day ago"), (["--older-than", "1M"], "not a time"),
    (["--max-size", "10"], "less than 1M: 10 bytes"), (["--max-size", "1023K"], "less than 1M"),
  ])
  func pruningAlmostAllIsRefused(options: [String], message: String) throws {
    try fill()
    let all = try list("--all").count
    let result = try Tool.run(
      "tw-cache", ["prune", "--yes"] + options, environment: ["TW_NOW": time(172_800)], home: home)
    #expect(result.status == 64 && result.errors.contains(message), "\(result.errors)")
    #expect(try list("--all").count == all)
  }

  /// Sources of `refresh` are in an export, so that they move to another machine with the tweets.
  @Test func sourcesOfAnExport() throws {
    for (source, every) in [("#tea", "15m"), ("@jack", "6h"), ("search:a b", "1d")] {
      #expect(try cache("source", "add", source, "--every", every).status == 0)
    }
    #expect(try cache("source", "pause", "@jack").status == 0)
    let checkpoint = #"{"version":1,"places":{}}"#
    do {
      let tweets = try TweetStore(store, .readWrite)
      for source in try tweets.sources() where source.name.source == "#tea" { try tweets.save(checkpoint, of: source) }
    }
    let export = try cache("export").output
    #expect(
      export.contains(
        ##"{"tw":"source","service":"x","account":"","source":"#tea","every":900,"checkpoint":""## + #"{\"version\":1"#)
    )
    #expect(
      export.contains(##"{"tw":"source","service":"x","account":"","source":"user:jack","every":21600,"paused":true}"##)
    )
    #expect(try cache("import", "--db", "copy.db", stdin: export).status == 0)
    #expect(try cache("export", "--db", "copy.db").output == export)
    #expect(try cache("check", "--db", "copy.db").output == "")
    // A store that has the source, in another case, keeps its own checkpoint and interval; where it has none, it gets
    // them.
    do {
      let other = try TweetStore(home.path + "/other.db", .readWrite)
      let tea = RefreshedSource.Name(service: "x", account: "", source: "#Tea")
      try other.save("{}", of: try other.findOrAddSource(tea))
      try other.register(RefreshedSource.Name(service: "x", account: "", source: "user:jack"), every: 60)
    }
    #expect(try cache("import", "--db", "other.db", stdin: export).status == 0)
    let known = try TweetStore(home.path + "/other.db", .readOnly).sources()
    #expect(known.map(\.name.source) == ["#Tea", "search:a b", "user:jack"])
    #expect(known.map(\.every) == [900, 86_400, 60] && known.map(\.checkpoint) == ["{}", nil, nil])
    #expect(known.map(\.isPaused) == [false, false, false])
    // Repair keeps all of it.
    #expect(try cache("check", "--repair").status == 0)
    #expect(try cache("export").output == export)
  }

  @Test(arguments: [
    ##"{"tw":"source","service":"x","account":"","source":"hom"}"##, ##"{"tw":"source","service":"x","source":"#a"}"##,
    ##"{"tw":"source","service":"x","account":"","source":"#a","every":0}"##,
    ##"{"tw":"source","service":"x","account":"","source":"#a","every":99999999999999999}"##,
    ##"{"tw":"source","service":"","account":"","source":"#a"}"##,
  ])
  func aWrongSourceOfAnExportIsBad(line: String) throws {
    let result = try cache("import", stdin: #"{"tw":"store","version":1}"# + "\n" + line + "\n")
    #expect(result.status == 1 || result.status == 65, "\(result.errors)")
    #expect(try cache("source", "list").output == "")
  }

  @Test func pruningToASize() throws {
    let text = String(repeating: "some words of it ", count: 60)
    _ = try add((0..<4000).map { tweet($0, second: $0, text: "\(text) \($0)") }.joined())
    let size = { () throws -> Int in
      try FileManager.default.attributesOfItem(atPath: store)[.size] as? Int ?? 0
    }
    #expect(try size() > 4 << 20)
    let foreseen = try cache("prune", "--max-size", "2M", "--dry-run").lines
    let expected = foreseen.first?.split(separator: "\t").last.flatMap { Int($0) } ?? 0
    #expect(try list("--all").count == 4000)
    #expect(try cache("prune", "--max-size", "2M", "--quiet", "--yes").errors == "")
    // It says "about": what is left differs by less than a quarter.
    #expect(try abs(4000 - list("--all").count - expected) < 1000)
    #expect(try size() <= 2 << 20)
    let left = try list("--all")
    #expect(left.count > 200 && left.first == "3999")
    #expect(try list("--search", "17") == [])
    #expect(try list("--search", "3999") == ["3999"])
    try checkStore()
  }

  /// A backup is the store at one moment, whole and checked, and a restored one is that store again.
  @Test func backupAndRestore() throws {
    try fill()
    let export = try cache("export").output
    let writer = try RunningTool("tw-cache", ["add"], home: home)
    writer.send(ToolInput(tweet(9000, second: 9000)))
    #expect(try writer.line() != nil)
    // Another program writes: the copy has what was stored before, and no log of its own.
    let backup = try cache("backup", "copy.db")
    #expect(backup.output == "" && backup.errors == "" && backup.status == 0)
    #expect(!home.exists("copy.db-wal") && !home.exists("copy.db.part"))
    #expect(try list("--db", "copy.db").first == "9000")
    let rights = try FileManager.default.attributesOfItem(atPath: home.path + "/copy.db")[.posixPermissions] as? Int
    #expect(rights == 0o600)
    #expect(try writer.finish().status == 0)
    _ = try add("{\"tw\":\"delete\",\"service\":\"x\",\"id\":\"9000\"}\n" + tweet(9001, second: 9001))

    let restored = try cache("restore", "copy.db")
    #expect(restored.errors == "tw-cache: the store that was there is now '\(store).old'\n" && restored.status == 0)
    #expect(try list().first == "9000" && cache("check").output == "")
    #expect(try list("--db", store + ".old").first == "9001")
    #expect(try cache("restore", "--db", "new.db", "copy.db").errors == "")
    #expect(try cache("export", "--db", "new.db").output == cache("export").output)
    let mode = try Database(home.path + "/new.db", TweetStore.kind, .readOnly).first("PRAGMA journal_mode") {
      $0.text(0)
    }
    #expect(mode == "wal")
    #expect(export.split(separator: "\n").count > 300)
  }

  /// What a killed program has left of a copy goes with the next copy into the same folder, whatever its name is.
  @Test func halfCopiesOfOtherDaysGo() throws {
    _ = try add(tweet(1))
    let half = "SQLite format 3\0" + String(repeating: "\0", count: 8000)
    for name in ["monday.db.new-aB3xYz", "tuesday.db.new-q1w2e3"] { try home.write(name, half) }
    try home.write("monday.db.new-aB3xYz-journal", "x")
    try home.write("empty.db.new-AAAAAA", "")
    let others = ["notes.new-abcdef", "other.db.new-abcde", "new-abcdef"]
    try home.write(others[0], String(repeating: "my notes ", count: 20))
    for name in others.dropFirst() { try home.write(name, half) }
    #expect(try cache("backup", "wednesday.db").status == 0)
    let left = try FileManager.default.contentsOfDirectory(atPath: home.path).filter { $0.contains("new-") }
    #expect(left.sorted() == others.sorted())
  }

  /// Checked links that no tweet has any more go with a prune.
  @Test func kindsOfLinksThatNobodyPostsGo() throws {
    let lines = ["a", "b", "c"].enumerated().map { number, name in
      "{\"tw\":\"link\",\"url\":\"https://\(name).example/\",\"link_kind\":\"page\",\"checked_at\":\"\(time(number))\"}\n"
    }
    #expect(try cache("import", stdin: lines.joined()).status == 0)
    let link = #","entities":{"urls":[{"start":0,"end":1,"url":"https://t.co/a","expanded_url":"https://a.example/"}]}"#
    _ = try add(tweet(1, more: link).replacing("2021-11", with: "2025-11"))
    #expect(try cache("prune", "--yes", "--older-than", "2021-11-01").status == 0)
    #expect(try cache("export").lines.count { $0.contains("\"tw\":\"link\"") } == 3)
    let pruned = try Tool.run(
      "tw-cache", ["prune", "--yes", "--older-than", "2021-11-04"], environment: ["TW_NOW": time(172_800)], home: home)
    #expect(pruned.status == 0, "\(pruned.errors)")
    let left = try cache("export").lines.filter { $0.contains("\"tw\":\"link\"") }
    #expect(left.count == 2 && left[0].contains("a.example") && left[1].contains("c.example"), "\(left)")
    #expect(try cache("check").output == "")
  }

  /// What a link leads to is known best by whoever checked it last, whichever export comes last.
  @Test func anImportedLinkKindTakesNoNewerOnesPlace() throws {
    func link(_ kind: String, _ day: Int) -> String {
      "{\"tw\":\"link\",\"url\":\"https://a.example/1\",\"link_kind\":\"\(kind)\",\"checked_at\":\"2021-11-0\(day)T00:00:00.000Z\"}\n"
    }
    for (line, kept) in [
      (link("video", 4), link("video", 4)), (link("music", 3), link("video", 4)), (link("music", 4), link("video", 4)),
      (link("image", 5), link("image", 5)),
    ] {
      #expect(try cache("import", stdin: line).status == 0)
      #expect(try cache("export").lines.filter { $0.contains("\"tw\":\"link\"") } == [String(kept.dropLast())])
    }
    try checkStore()
  }

  /// What another program is writing gets into the store that is kept, not into one that nobody finds.
  @Test func restoreWaitsForTheLockOfTheWriters() throws {
    _ = try add(tweet(1))
    #expect(try cache("backup", "copy.db").status == 0)
    _ = try add(tweet(2, second: 1))
    let lock = try WriteLock(of: store, nil)
    try lock.acquire(within: 30)
    let restore = try RunningTool("tw-cache", ["restore", "copy.db"], home: home)
    try waitUntil { try LockQueue.count(of: store) == 1 }
    #expect(!home.exists(".local/share/tw/tw.db.old"))
    lock.release()
    let result = try restore.finish()
    #expect(result.ending == .status(0), "\(result.errors)")
    #expect(try list() == ["1"] && list("--db", store + ".old") == ["2", "1"])
  }

  /// A damaged store does not replace a good backup, and a damaged backup no store.
  @Test func backupsOfDamagedStores() throws {
    try fill()
    #expect(try cache("backup", "copy.db").status == 0)
    let copy = try home.read("copy.db")
    var bytes = try home.read(".local/share/tw/tw.db")
    let at = bytes.indices.first { bytes[$0...].starts(with: "text 日本 77".utf8) } ?? 0
    bytes[at] ^= 1
    try home.write(".local/share/tw/tw.db", bytes)
    let damaged = try cache("backup", "copy.db")
    #expect(damaged.status == 74 && damaged.errors.contains("is damaged and was not copied: tweet 'x:77' is damaged"))
    #expect(try home.read("copy.db") == copy && !home.exists("copy.db.part"))
    try home.write("bad.db", bytes)
    #expect(try cache("restore", "bad.db").status == 74)
    #expect(try home.read(".local/share/tw/tw.db") == bytes && !home.exists(".local/share/tw/tw.db.old"))
    for (file, status) in [("none.db", 66), ("text", 65)] as [(String, Int32)] {
      try home.write("text", "no store\n")
      #expect(try cache("restore", file).status == status)
    }
    #expect(try cache("backup", "no/such/folder.db").status == 73)
    #expect(mkfifo(home.path + "/pipe", 0o600) == 0)
    #expect(try cache("backup", "pipe").status == 73)
  }

  @Test func aStoreWithoutFaultsGivesNoOutput() throws {
    try fill()
    let result = try cache("check")
    #expect(result.output == "" && result.errors == "" && result.status == 0)
  }

  @Test func faultsAreReported() throws {
    try fill()
    do {
      let database = try Database(store, TweetStore.kind, .readWrite)
      try database.write { () throws(ToolError) in
        try database.run("INSERT INTO tweet_hashtags VALUES ('gone', 77)")
        try database.run("UPDATE tweets SET text = 'not indexed', indexed = NULL WHERE id = '7'")
      }
    }
    let result = try cache("check")
    #expect(
      result.lines == [
        "1 rows of tweet_hashtags name what is not in tweets", "tweet 'x:7' is damaged",
        "the full-text index does not agree with the texts",
      ] && result.status == 1)
    #expect(result.errors == "tw-cache: '\(store)' is damaged: 'tw-cache check --repair' saves what is sound\n")
    // A symbolic link leads to the same store.
    try FileManager.default.createSymbolicLink(atPath: home.path + "/link.db", withDestinationPath: store)
    let repair = try cache("check", "--repair", "--db", "link.db")
    #expect(repair.output.hasPrefix("altered\ttweet\tx\t7\n") && repair.status == 1)
    #expect(repair.errors.hasPrefix("tw-cache: saved 298 tweets and 4 users; 1 records are altered, 0 are lost\n"))
    #expect(try ids([String(decoding: home.read(".local/share/tw/tw.db.altered"), as: UTF8.self)]) == ["7"])
    #expect(try cache("check").status == 0)
    #expect(home.exists(".local/share/tw/tw.db.damaged") && !home.exists("link.db.damaged"))
    #expect(try cache("check", "--repair", "--db", "none.db").status == 66)
  }

  /// `--repair` replaces the file, so it must be a store of this version.
  @Test(arguments: ["DELETE", "WAL"])
  func onlyAStoreIsRepaired(journal: String) throws {
    func make(_ name: String, _ kind: DatabaseKind, mark: Int32) throws -> [UInt8] {
      do {
        let database = try Database("\(home.path)/\(name)", kind, .readWrite)
        try database.execute("PRAGMA journal_mode = \(journal); PRAGMA application_id = \(mark)")
        if mark == 0 { try database.execute("PRAGMA user_version = 0") }
      }
      return try home.read(name)
    }
    // Of another program: without a mark, as most databases are, and with one.
    let list = DatabaseKind(
      name: "list", place: "--db", applicationID: 7, version: 1, move: "", damage: "", schema: "CREATE TABLE tweets (a)"
    )
    for mark: Int32 in [0, 7] {
      let bytes = try make("foreign.db", list, mark: mark)
      let names = try FileManager.default.contentsOfDirectory(atPath: home.path).sorted()
      let result = try cache("check", "--repair", "--db", "foreign.db")
      #expect(
        result.status == 65
          && result.errors == "tw-cache: '\(home.path)/foreign.db' is a database, but no tweet store\n")
      #expect(try home.read("foreign.db") == bytes)
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).sorted() == names)
      for name in names where name.hasPrefix("foreign.db") { unlink("\(home.path)/\(name)") }
    }
    let later = DatabaseKind(
      name: "tweet store", place: "--db", applicationID: TweetStore.kind.applicationID, version: 3, move: "",
      damage: "",
      schema: "CREATE TABLE later (a)")
    let bytes = try make("later.db", later, mark: later.applicationID)
    let result = try cache("check", "--repair", "--db", "later.db")
    #expect(
      result.status == 78 && result.errors.contains("was made by another version of tw (schema 3, this one has 2)"))
    #expect(try home.read("later.db") == bytes && !home.exists("later.db.damaged"))
    try home.write("text", "no database at all, but a text of more than a few bytes\n")
    #expect(try cache("check", "--repair", "--db", "text").status == 65)
    #expect(!home.exists("text.damaged"))
  }

  /// One bit of a record is another one: it is left out and counted, with a status of its own, wherever it would be
  /// printed; and it is merged with nothing.
  @Test func anAlteredRecordIsNotPrinted() throws {
    _ = try add((1...9).map { tweet($0, second: $0, text: "needle\($0)") }.joined())
    var bytes = try home.read(".local/share/tw/tw.db")
    let needle = Array("needle5".utf8)
    // The text is there as a column, as a record and in the index: the record begins with a brace.
    let record = bytes.indices.first { bytes[$0...].starts(with: "{\"tw\":\"tweet\",\"id\":\"5\"".utf8) } ?? 0
    let at = (record..<bytes.count).first { bytes[$0...].starts(with: needle) } ?? 0
    bytes[at] ^= 1
    try home.write(".local/share/tw/tw.db", bytes)
    let listed = try cache("list")
    #expect(ids(listed.lines) == ["9", "8", "7", "6", "4", "3", "2", "1"])
    #expect(
      listed.errors
        == "tw-cache: '\(store)': 1 record is damaged and was left out: tweet 'x:5'; keep a copy of it, then 'tw-cache "
        + "check --repair' saves what is sound\n")
    #expect(listed.status == 74)
    for command in [["show", "5"], ["show", "5", "--versions"], ["export"], ["list", "--search", "needle5"]] {
      let result = try Tool.run("tw-cache", command, home: home)
      #expect(!result.output.contains("oeedle5") && result.status == 74, "\(command)")
    }
    let again = try add(tweet(5, second: 5, text: "needle5", likes: 1, read: 9))
    #expect(again.output == "" && again.status == 74)
    #expect(again.errors.hasPrefix("tw-cache: tweet 'x:5' is damaged in the store; "))
    let repair = try cache("check", "--repair")
    #expect(repair.output == "altered\ttweet\tx\t5\n" && repair.status == 1)
    #expect(try list().count == 8)
    #expect(try add(tweet(5, second: 5, text: "needle5", likes: 1, read: 9)).status == 0)
    #expect(try list().count == 9 && cache("check").status == 0)
  }

  /// Two pages of the file are overwritten.
  @Test func aDamagedStoreIsRepaired() throws {
    let text = String(repeating: "word ", count: 100)
    _ = try add((0..<3000).map { tweet($0, second: $0, text: text, read: $0, feeds: ["#a"]) }.joined())
    let whole = Set(try list())
    var bytes = try home.read(".local/share/tw/tw.db")
    let size = 8192
    // A leaf page of a table begins with byte 13. Only tweets have texts.
    let leaves = (1..<bytes.count / size).filter { page in
      bytes[page * size] == 13 && bytes[page * size + size / 2..<(page + 1) * size].contains("word word ".utf8)
    }
    #expect(leaves.count > 50)
    for page in [leaves[10], leaves[leaves.count / 2]] {
      for at in page * size..<page * size + 5000 { bytes[at] = 0xAA }
    }
    try home.write(".local/share/tw/tw.db", bytes)
    let broken = try cache("list")
    #expect(broken.errors.hasSuffix("then 'tw-cache check --repair' saves what is sound\n") && broken.status == 74)
    #expect(try cache("check").status == 1)
    let repair = try cache("check", "--repair")
    let saved = Set(try list())
    #expect(saved.isSubset(of: whole) && saved.count > 2900 && saved.count < 3000)
    #expect(repair.status == 1)
    #expect(
      Set(repair.lines.filter { !$0.hasPrefix("lost\trows\t") })
        == Set(whole.subtracting(saved).map { "lost\ttweet\tx\t\($0)" }))
    #expect(try list("--feed", "#a").count == saved.count)
    #expect(try cache("check").status == 0)
    try checkStore()
  }
}
