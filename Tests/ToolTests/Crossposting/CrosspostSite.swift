import Foundation
import TestSupport
import Testing

/// A person with an account at X, at a Mastodon server and at Bluesky.
struct CrosspostSite {
  let home: TemporaryDirectory
  let x: PostService
  let mastodon: PostingMastodon
  let bluesky: FakePDS

  /// - Parameters:
  ///   - longest: characters of a post at the Mastodon server.
  ///   - isNew: whether that is of a version that can be trusted with keys.
  ///   - refusals: what X refuses besides posts, by the beginning of the requests' targets.
  init(
    longest: Int = 500, isNew: Bool = false, refusals: [String: (code: Int, body: String)] = [:]
  ) throws {
    home = try TemporaryDirectory()
    x = try PostService(refusals: refusals)
    mastodon = try PostingMastodon(longest: longest, isNew: isNew)
    bluesky = try FakePDS()
    let path = try home.write(
      ".config/tw/credentials.json",
      #"{"accounts":[{"service":"x","name":"jack","base":"\#(x.environment["TW_ENDPOINT"] ?? "")","method":"token","#
        + #""token":"secret-token","id":"7"},"#
        + #"{"service":"\#(mastodon.name)","name":"maja","base":"\#(mastodon.base)","method":"token","token":"t0k","id":"7"}]}"#
    )
    chmod(path, 0o600)
    let login = try bluesky.signIn(home)
    try #require(login.status == 0, "\(login.errors)")
  }

  var all: String { "x,\(mastodon.name),bluesky" }
  /// Accounts that are signed in, in place of those that are.
  func changeAccounts(_ change: (String) throws -> String) throws {
    let path = ".config/tw/credentials.json"
    chmod(try home.write(path, change(String(decoding: home.read(path), as: UTF8.self))), 0o600)
  }

  var environment: [String: String] { ["TW_DIRECTORY_BLUESKY": bluesky.base] }

  func post(_ arguments: [String], stdin: ToolInput = "", _ more: [String: String] = [:]) throws -> ToolResult {
    try Tool.run("tw-post", arguments, stdin: stdin, environment: environment.merging(more) { $1 }, home: home)
  }

  func start(_ arguments: [String]) throws -> RunningTool {
    try RunningTool("tw-post", arguments, environment: environment, home: home)
  }

  /// What waits or was refused, a line each, without times.
  func outbox() throws -> [[String]] {
    try post(["outbox"]).lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  /// The texts at Bluesky, in the order of their keys.
  var blueskyTexts: [String] {
    bluesky.records().sorted { $0.key < $1.key }.compactMap { record in
      let object = try? JSONSerialization.jsonObject(with: Data(record.value.utf8)) as? [String: Any]
      return object?["text"] as? String
    }
  }

  /// How many posts each has.
  var counts: [Int] { [x.posts.count, mastodon.posts.count, bluesky.records().count] }
}
