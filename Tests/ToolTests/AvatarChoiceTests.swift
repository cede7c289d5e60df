import Foundation
import TestSupport
import Testing

@testable import tw_avatar

/// Which picture tw-avatar takes, and where it puts it, against a real site on loopback.
@Suite(.onOwnThread) struct AvatarChoiceTests {
  /// Pictures under all paths, but those that begin with `/gone`.
  private static func site() throws -> LoopbackServer {
    try LoopbackServer {
      $0.path.hasPrefix("/gone") ? .answer(404) : .answer(200, body: PictureSample.png(for: $0.path))
    }
  }

  private func user(
    _ url: String, _ name: String = "jack", id: String = "1", service: String = "x", at time: String? = nil
  ) -> String {
    #"{"tw":"user","service":"\#(service)","id":"\#(id)","username":"\#(name)","#
      + (time.map { #""retrieved_at":"\#($0)","# } ?? "") + #""profile_image_url":"\#(url)"}"# + "\n"
  }

  private func error(_ code: String) -> String { #","avatar":{"error":"\#(code)"}}"# }

  // MARK: Archives

  /// Pictures that an archive has need no request: neither the site nor a name look-up is there.
  @Test func picturesOfAnArchiveNeedNoRequest() throws {
    let home = try TemporaryDirectory()
    let (photo, face) = (PictureSample.png(for: "/photo"), PictureSample.png(for: "/face"))
    try home.write("x/data/tweets_media/99-AB-c_.png", photo)
    try home.write("x/data/profile_media/12-kZ.png", face)
    try home.write("x/data/direct_messages_media/5-secret.png", face)
    let record =
      #"{"tw":"tweet","id":"99","service":"x","text":"","author":{"id":"12","profile_image_url":"https://pbs.twimg.com/profile_images/1/kZ_normal.png"},"#
      + #""attachments":{"media":[{"type":"photo","url":"https://pbs.twimg.com/media/AB-c_.png"},{"type":"photo","url":"https://pbs.twimg.com/media/secret.png"}]}}"#
    func run(_ folder: String) throws -> ToolResult {
      // No server answers there, so every request fails.
      try Tool.run(
        "tw-avatar", ["--media", "--archive", folder, "--retries", "0", "--proxy", "http://127.0.0.1:9"],
        stdin: ToolInput(record + "\n"), home: home)
    }
    for folder in ["x", "x/data", "x"] {
      let result = try run(folder)
      #expect(result.output.contains(#""avatar":{"key":"\#(try ContentKey.of(face))""#), "\(result.output)")
      #expect(result.output.contains(#""picture":{"key":"\#(try ContentKey.of(photo))""#), "\(result.output)")
      #expect(result.output.contains(#""url":"https://pbs.twimg.com/media/secret.png","picture":{"error":"#))
    }
    #expect(try run("x/data/direct_messages_media").output.contains(#""avatar":{"key":"#))
    try home.write("y/data/tweets.js", "")
    for (folder, says) in [("none", "cannot read the directory 'none'"), ("y", "'y' has no pictures of an archive")] {
      let result = try run(folder)
      #expect(result.status == 66 && result.errors.contains(says), "\(result.errors)")
    }
  }

  // MARK: Notifications

  /// Whoever did something has a picture, and so have the people of the post that it was done to.
  @Test func peopleOfANotificationHavePictures() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    let record =
      #"{"tw":"notification","service":"x","id":"1","kind":"like","user":{"id":"2","profile_image_url":"\#(server.base)/a"},"#
      + #""tweet":{"id":"3","text":"","author":{"id":"4","profile_image_url":"\#(server.base)/b"}}}"#
    let result = try Tool.run(
      "tw-avatar", stdin: ToolInput(record + "\n"), environment: server.environment, home: home)
    for name in ["/a", "/b"] {
      let key = try ContentKey.of(PictureSample.png(for: name))
      #expect(result.output.contains(#"\#(name)","avatar":{"key":"\#(key)""#), "\(result.output)")
    }
  }

  // MARK: Newer profiles

  @Test func aPictureThatIsGoneIsTakenFromTheNewestProfile() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    let newest = user("\(server.base)/new_normal.png") + user("\(server.base)/gone2.png", "eve", id: "2")
    #expect(try Tool.run("tw-cache", ["add", "--db", "tw.db"], stdin: ToolInput(newest), home: home).status == 0)
    func run(_ record: String) throws -> ToolResult {
      try Tool.run(
        "tw-avatar", ["--db", "tw.db", "--size", "bigger"], stdin: ToolInput(record), environment: server.environment,
        home: home)
    }
    let key = try ContentKey.of(PictureSample.png(for: "/new_bigger.png"))
    for requests in [3, 3] {
      let result = try run(user("\(server.base)/gone_normal.png"))
      #expect(result.status == 0 && result.output.contains(#""avatar":{"key":"\#(key)","type""#))
      #expect(server.requests.count == requests)
    }
    #expect(server.targets == ["GET /gone_bigger.png", "GET /gone_normal.png", "GET /new_bigger.png"])
    // Neither this one nor the newer one; one whose profile names the same address; one whom nobody knows.
    for record in [
      user("\(server.base)/gone1.png", "eve", id: "2"), user("\(server.base)/gone2.png", "eve", id: "2"),
      user("\(server.base)/gone3.png", "sam", id: "3"), user("\(server.base)/gone4.png", id: "1", service: "bluesky"),
    ] { #expect(try run(record).output.contains(error("http 404"))) }
    #expect(Set(server.targets).count == server.requests.count)
  }

  /// The store has the picture of an address that is gone: a newer profile's picture is better.
  @Test func aNewerProfileCountsMoreThanAStoredPicture() throws {
    let server = try LoopbackServer { request in
      request.path == "/new.png" || request["X-Age"] == nil && request["If-None-Match"] == nil
        ? .answer(200, headers: ["ETag: \"1\""], body: PictureSample.png(for: request.path)) : .answer(404)
    }
    let home = try TemporaryDirectory()
    func run(_ time: String) throws -> String {
      let environment = server.environment.merging(["TW_NOW": time]) { $1 }
      return try Tool.run(
        "tw-avatar", ["--db", "tw.db"], stdin: ToolInput(user("\(server.base)/old.png")), environment: environment,
        home: home
      ).output
    }
    let old = try ContentKey.of(PictureSample.png(for: "/old.png"))
    #expect(try run("2026-01-01T00:00:00Z").contains(old))
    #expect(try run("2026-01-20T00:00:00Z").contains(old))
    let newest = ToolInput(user("\(server.base)/new.png"))
    #expect(try Tool.run("tw-cache", ["add", "--db", "tw.db"], stdin: newest, home: home).status == 0)
    #expect(try run("2026-01-29T00:00:00Z").contains(try ContentKey.of(PictureSample.png(for: "/new.png"))))
  }

  @Test func aDamagedTweetStoreIsToldAndEndsNothing() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    try home.write("tw.db", String(repeating: "no database", count: 1000))
    let result = try Tool.run(
      "tw-avatar", ["--db", "tw.db"], stdin: ToolInput(user("\(server.base)/gone.png")),
      environment: server.environment, home: home)
    #expect(result.status == 0 && result.output.contains(error("http 404")))
    #expect(result.errors.hasPrefix("tw-avatar: no newer profiles: "))
  }

  @Test(arguments: [
    "https://abs.twimg.com/sticky/default_profile_images/default_profile_normal.png",
    "https://m.example/avatars/original/missing.png",
  ])
  func standardPicturesAreNotRequested(_ url: String) throws {
    let result = try Tool.run("tw-avatar", ["--size", "400"], stdin: ToolInput(user(url)))
    #expect(result.status == 0 && result.errors.isEmpty && result.output.contains(#","avatar":{"default":true}}"#))
  }

  // MARK: One picture

  @Test func getWritesOnePicture() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    let users =
      user("\(server.base)/jack_normal.png") + user("\(server.base)/ann.png", "ann", id: "2")
      + user("\(server.base)/ann2.png", "ann", id: "2", service: "mastodon:m.example")
      + user("\(server.base)/gone.png", "eve", id: "3")
      + #"{"tw":"user","service":"x","id":"4","username":"sam"}"# + "\n"
      // Moritz was named max before. Nobody knows that the first leo is not named so any more.
      + user("\(server.base)/max.png", "max", id: "7", at: "2026-01-01T00:00:00Z")
      + user("\(server.base)/max.png", "moritz", id: "7", at: "2026-01-03T00:00:00Z")
      + user("\(server.base)/max2.png", "max", id: "6", at: "2026-01-02T00:00:00Z")
      + user("\(server.base)/leo1.png", "leo", id: "9", at: "2026-01-01T00:00:00Z")
      + user("\(server.base)/leo2.png", "leo", id: "8", at: "2026-01-02T00:00:00Z")
    #expect(try Tool.run("tw-cache", ["add", "--db", "tw.db"], stdin: ToolInput(users), home: home).status == 0)
    func get(_ name: String, _ options: [String] = []) throws -> ToolResult {
      try Tool.run(
        "tw-avatar", ["--db", "tw.db", "--get", name] + options, environment: server.environment, home: home)
    }
    let jack = try get("@jack", ["--size", "400"])
    #expect(jack.status == 0 && jack.stdout == PictureSample.png(for: "/jack_400x400.png") && jack.errors.isEmpty)
    #expect(try get("jack", ["--size", "400", "--no-cache"]).stdout == jack.stdout)
    #expect(try get("mastodon:m.example:ann").stdout == PictureSample.png(for: "/ann2.png"))
    #expect(try get("@max").stdout == PictureSample.png(for: "/max2.png"))
    #expect(try get("@leo").stdout == PictureSample.png(for: "/leo2.png"))
    #expect(try get("moritz").stdout == PictureSample.png(for: "/max.png"))
    for (name, status, message) in [
      ("@ann", 66, "several users are named 'ann': name the service, such as 'x:ann'"),
      ("@nobody", 66, "no user 'nobody' in 'tw.db'"), ("@sam", 66, "the profile of 'sam' in 'tw.db' names no picture"),
      ("@eve", 1, "no picture of '@eve': http 404"),
    ] {
      let result = try get(name)
      #expect(result.status == Int32(status) && result.stdout.isEmpty && result.errors.contains(message), "\(name)")
    }
    for options in [["--media"], ["--inline"], ["--export", "x"], ["file"]] {
      #expect(try get("@jack", options).status == 64)
    }
    let missing = try Tool.run("tw-avatar", ["--db", "none.db", "--get", "jack"], home: home)
    #expect(missing.status == 66 && !home.exists("none.db"))
  }

  // MARK: Where pictures go

  @Test func aPictureCanBeInTheRecord() throws {
    let server = try Self.site()
    for options in [[], ["--no-cache"]] {
      let home = try TemporaryDirectory()
      let records = user("\(server.base)/a.png") + user("\(server.base)/gone.png") + user("\(server.base)/a.png")
      let result = try Tool.run(
        "tw-avatar", ["--inline"] + options, stdin: ToolInput(records), environment: server.environment, home: home)
      let datas = result.lines.map { $0.firstMatch(of: /"data":"data:image\/png;base64,([^"]*)"}}$/)?.1 }
      #expect(datas[1] == nil && datas[0] == datas[2])
      let png = try #require(datas[0].flatMap { Data(base64Encoded: String($0)) })
      // 48 × 256 pixels, shrunk.
      #expect(png.starts(with: [0x89, 0x50, 0x4E, 0x47]) && Array(png[16..<24]) == [0, 0, 0, 24, 0, 0, 0, 128])
    }
  }

  @Test func withoutACacheNothingIsKept() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    for _ in 1...2 {
      let result = try Tool.run(
        "tw-avatar", ["--db", "d/tw.db", "--no-cache", "--export", "out"],
        stdin: ToolInput(user("\(server.base)/a.png") + user("\(server.base)/a.png", "eve", id: "1")),
        environment: server.environment, home: home)
      #expect(result.status == 0 && result.lines.last?.contains(#""file":"out/eve.png"}"#) == true)
    }
    #expect(server.targets == ["GET /a.png", "GET /a.png"] && !home.exists("d"))
    #expect(try home.read("out/jack.png") == PictureSample.png(for: "/a.png"))
  }

  @Test func anExportHasALinkWithoutTheFormat() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    func export(_ name: String, _ picture: String) throws -> ToolResult {
      try Tool.run(
        "tw-avatar", ["--export", "out"], stdin: ToolInput(user("\(server.base)/\(picture)", name)),
        environment: server.environment, home: home)
    }
    try home.write("out/eve", "a file of one's own")
    for name in ["jack", "eve", "jack"] { #expect(try export(name, "a").status == 0) }
    func target(_ path: String) throws -> String {
      try FileManager.default.destinationOfSymbolicLink(atPath: home.path + "/" + path)
    }
    #expect(try target("out/jack") == "jack.png" && home.read("out/jack") == PictureSample.png(for: "/a"))
    #expect(try home.read("out/eve") == Array("a file of one's own".utf8))
    // A link that leads elsewhere is ours to replace, and what it leads to is not.
    try home.write("secret", "keep")
    for name in ["out/jack", "out/jack.png"] {
      try FileManager.default.removeItem(atPath: home.path + "/" + name)
      try FileManager.default.createSymbolicLink(atPath: home.path + "/" + name, withDestinationPath: "../secret")
    }
    #expect(try export("jack", "a").status == 0)
    #expect(try target("out/jack") == "jack.png" && home.read("secret") == Array("keep".utf8))
    #expect(try home.read("out/jack.png") == PictureSample.png(for: "/a"))
  }

  /// Somebody who may write to the directory makes links under the names that a draft will have.
  @Test func noPlantedLinkIsFollowed() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    try home.write("secret", "keep")
    try FileManager.default.createDirectory(atPath: home.path + "/out", withIntermediateDirectories: true)
    // The tool has the shell's number.
    let plant = "ln -s ../secret out/.jack.png.$$.tmp; ln -s ../secret out/.jack.$$.tmp; exec tw-avatar --export out"
    let result = try Tool.shell(
      "sh -c '\(plant)' <<'END'\n\(user("\(server.base)/a"))END", environment: server.environment, home: home)
    #expect(result.status == 0)
    #expect(try home.read("secret") == Array("keep".utf8) && home.read("out/jack.png") == PictureSample.png(for: "/a"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/out").sorted() == ["jack", "jack.png"])
  }

  /// What a killed run left goes with the next one an hour later; other files stay.
  @Test func draftsOfAKilledRunAreRemoved() throws {
    let server = try Self.site()
    let home = try TemporaryDirectory()
    let others = [".jack.png.tmp", "jack.png.12.tmp", ".jack.png.1x.tmp", ".12.tmp", ".jack.png.12"]
    for name in others + [".jack.png.12.tmp", ".ann.7.tmp", ".new.png.12.tmp"] {
      try home.write("out/\(name)", "half")
      if name == ".new.png.12.tmp" { continue }
      let then = timeval(tv_sec: 1_000_000, tv_usec: 0)
      utimes("\(home.path)/out/\(name)", [then, then])
    }
    let result = try Tool.run(
      "tw-avatar", ["--export", "out"], stdin: ToolInput(user("\(server.base)/a")), environment: server.environment,
      home: home)
    #expect(result.status == 0)
    let names = try FileManager.default.contentsOfDirectory(atPath: home.path + "/out")
    #expect(names.sorted() == (others + [".new.png.12.tmp", "jack", "jack.png"]).sorted())
  }

  @Test(arguments: [([], 8), (["--jobs-per-host", "2"], 2)] as [([String], Int)])
  func oneHostIsNotFlooded(_ options: [String], most: Int) throws {
    let server = try LoopbackServer { .answer(200, body: PictureSample.png(for: $0.path), after: 0.05) }
    let records = (0..<30).map { user("\(server.base)/\($0).png") }.joined()
    let result = try Tool.run(
      "tw-avatar", options, stdin: ToolInput(records), environment: server.environment)
    #expect(result.status == 0 && server.requests.count == 30)
    #expect((server.mostAtOnce.values.max() ?? 0) <= most)
  }
}
