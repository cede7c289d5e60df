import Foundation
import Synchronization
import TestSupport
import Testing
import TweetCore

/// Cards of pages, which tw-post reads itself.
@Suite(.onOwnThread(minutes: 5)) struct BlueskyCardTests {
  private let home: TemporaryDirectory
  private let server: FakePDS
  private let site: LoopbackServer

  init() throws {
    home = try TemporaryDirectory()
    server = try FakePDS()
    site = try CardSite().server
    let login = try server.signIn(home)
    try #require(login.status == 0, "\(login.errors)")
  }

  private func post(_ arguments: [String], isAllowed: Bool = true) throws -> ToolResult {
    let variables = isAllowed ? site.environment : [:]
    return try Tool.run("tw-post", arguments, environment: server.environment.merging(variables) { $1 }, home: home)
  }

  private func card() throws -> [String: Any] {
    let text = try #require(server.records().values.first)
    let record = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
    let embed = try #require(record?["embed"] as? [String: Any])
    #expect(embed["$type"] as? String == "app.bsky.embed.external")
    return try #require(embed["external"] as? [String: Any])
  }

  @Test func aCardHasWhatThePageSays() throws {
    let dry = try post(["--dry-run", "--card", "\(site.base)/", "Look here"])
    #expect(dry.status == 0 && dry.errors.contains("the card: 'Tea & milk', with a picture of "), "\(dry.errors)")
    #expect(dry.output.contains(#""title":"Tea & milk""#), "\(dry.output)")
    #expect(server.calls("com.atproto.repo.uploadBlob").isEmpty)
    let posted = try post(["--card", "first", "Look here: \(site.base)/."])
    #expect(posted.status == 0, "\(posted.errors)")
    let card = try card()
    #expect(card["uri"] as? String == "\(site.base)/" && card["title"] as? String == "Tea & milk")
    #expect(card["description"] as? String == "All of it")
    let upload = try #require(server.calls("com.atproto.repo.uploadBlob").first)
    #expect(upload["Content-Type"] == "image/jpeg" && (Int(upload["Content-Length"] ?? "") ?? .max) <= 1_000_000)
    let bytes = try copy()
    let size = try #require(PictureHeader(bytes))
    #expect(size.width == 1200 && size.height == 257, "no wider than apps show it: \(size)")
    #expect((card["thumb"] as? [String: Any])?["mimeType"] as? String == "image/jpeg")
    let plain = try post(["--card", "\(site.base)/plain", "And here"])
    #expect(plain.status == 0 && server.records().values.contains { $0.contains(#""title":"Plain""#) })
  }

  /// The picture as it is in the outbox, while it waits.
  private func copy() throws -> [UInt8] {
    #expect(try post(["--later", "--card", "\(site.base)/", "Later"]).status == 0)
    let folder = home.path + "/.local/share/tw/outbox.db.files"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let name = try #require(names.first)
    return Array(try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name)))
  }

  /// A page that leads to this machine, or stands on it, is not read, and neither is one that is not there.
  @Test func aPageThatCannotBeReadIsSaid() throws {
    for (path, isAllowed, reason) in [
      ("/inward", true, "private-address"), ("/", false, "private-address"), ("/none", true, "dead"),
    ] {
      let address = site.base + path
      let refused = try post(["--card", address, "Look here"], isAllowed: isAllowed)
      #expect(refused.status == 69 && refused.errors.contains(reason), "\(path): \(refused.errors)")
      #expect(server.records().isEmpty)
    }
    let posted = try post(["--card", "\(site.base)/none", "--card-optional", "Look here"])
    #expect(posted.status == 0 && posted.errors.contains("the post has no card"), "\(posted.errors)")
    let record = try #require(server.records().values.first)
    #expect(!record.contains("embed"))
    for address in ["here", "ftp://a.example/", "https://me:secret@a.example/"] {
      let wrong = try post(["--card", address, "Look here"])
      #expect(wrong.status == 64 && wrong.errors.contains("is not an address of a page"), "\(wrong.errors)")
    }
    #expect(try post(["--card", "first", "No link"]).status == 64)
  }

  /// Of an endless page its beginning is enough; of an endless picture nothing is.
  @Test func whatHasNoEndIsCutOff() throws {
    let page = try post(["--card", "\(site.base)/endless", "Look here"])
    #expect(page.status == 0, "\(page.errors)")
    let card = try card()
    #expect(card["title"] as? String == "Endless")
    #expect(site.sentBytes < 64 << 20, "of a gigabyte: \(site.sentBytes)")
  }

  @Test(arguments: [
    ("/inward-picture", "127.0.0.1 is not a public address"), ("/broken-picture", "is damaged or cut off"),
    ("/bomb-picture", "more than 25 million pixels"), ("/endless-picture", "more than 16777216 bytes"),
  ])
  func aPictureThatCannotBeUsedIsLeftOut(_ path: String, _ reason: String) throws {
    let posted = try post(["--card", site.base + path, "Look here"])
    #expect(posted.status == 0 && posted.errors.contains("the card has no picture"), "\(posted.errors)")
    #expect(posted.errors.contains(reason), "\(posted.errors)")
    let card = try card()
    #expect(card["thumb"] == nil && server.calls("com.atproto.repo.uploadBlob").isEmpty)
  }

  /// The page has changed when the command is said again after a kill: it is the same post all the same.
  @Test func theSameCommandIsTheSamePost() throws {
    server.state.withLock { $0.writeDelay = 1 }
    let command = ["--card", "\(site.base)/counted", "Look here"]
    let tool = try RunningTool(
      "tw-post", command, environment: server.environment.merging(site.environment) { $1 }, home: home)
    try waitUntil { !server.records().isEmpty }
    tool.signal(SIGKILL)
    _ = try tool.finish()
    server.state.withLock { $0.writeDelay = 0 }
    let again = try post(command)
    #expect(again.status == 0 && again.lines.count == 1, "\(again.errors)")
    #expect(server.records().count == 1, "\(server.records())")
  }
}
