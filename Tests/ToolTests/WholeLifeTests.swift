import Foundation
import TestSupport
import Testing

/// Two people and a service of their own, from signing up to signing out, through the binaries alone.
@Suite(.onOwnThread) struct WholeLifeTests {
  private let service: LocalService
  private let home: TemporaryDirectory

  init() throws {
    service = try LocalService()
    home = try TemporaryDirectory()
    try home.write("password", "correct horse\n")
  }

  private func run(_ tool: String, _ words: [String]) throws -> ToolResult {
    try Tool.run(tool, words, environment: ["TW_SERVICE": "local"], home: home)
  }

  /// Runs a tool that must succeed.
  private func output(_ tool: String, _ words: [String], sourceLocation: SourceLocation = #_sourceLocation) throws
    -> String
  {
    let result = try run(tool, words)
    try #require(result.ending == .status(0), "\(result.errors)", sourceLocation: sourceLocation)
    return result.output
  }

  private func signUp(_ name: String) throws {
    _ = try output("tw-auth", ["login", "--endpoint", service.base, "--create", name, "--password-file", "password"])
  }

  /// The id of the record that a tool has printed.
  private func id(_ record: String) throws -> String {
    try String(#require(record.firstMatch(of: /"id":"([0-9]+)"/)).1)
  }

  /// Posts of a source as records, newest first.
  private func read(_ source: String) throws -> String {
    try Tool.shell(
      "set -o pipefail; tw-stream --once --api 1.1 \(source) | tw-parse | grep '^{\"tw\":\"tweet\"'",
      environment: ["TW_SERVICE": "local"], home: home
    ).output
  }

  private func counts(_ id: String) throws -> [Int] {
    let post = try service.ask("GET", "/2/tweets/\(id)?tweet.fields=public_metrics")["data"]["public_metrics"]
    return ["like_count", "retweet_count", "reply_count"].map { post[$0].number }
  }

  /// An account that is kept under another name is one viewer for tw-post and tw-stream.
  @Test func aViewerHasTheNameOfTheAccount() throws {
    try signUp("maja")
    let first = try id(output("tw-post", ["Hello, #world"]))
    _ = try output(
      "tw-auth",
      ["login", "--endpoint", service.base, "--user", "maja", "--password-file", "password", "--account", "work"])
    _ = try output("tw-auth", ["use", "work"])
    #expect(try output("tw-post", ["like", first]).contains(#""viewer":{"account":"work","liked":true}"#))
    #expect(try read("user:maja").contains(#""viewer":{"account":"work","liked":true,"retweeted":false}"#))
  }

  @Test func twoPeopleFromSignUpToSignOut() throws {
    try signUp("maja")
    let first = try id(output("tw-post", ["Hello, #world"]))
    try signUp("finn")
    #expect(try output("tw-auth", ["list"]).contains("finn\toauth2\t\(service.base)\tin use"))

    _ = try output("tw-post", ["follow", "@maja"])
    #expect(try read("home").contains("Hello, #world"))
    let reply = try output("tw-post", ["reply", first, "@maja hello yourself"])
    for verb in ["retweet", "like"] { _ = try output("tw-post", [verb, first]) }
    #expect(try counts(first) == [1, 1, 1])
    // The records say whose view they are.
    #expect(
      try read("user:maja").contains(#""text":"Hello, #world""#)
        && read("user:maja").contains(#""viewer":{"account":"finn","liked":true,"retweeted":true}"#))
    let mentions = try run("tw-stream", ["--once", "--account", "maja", "mentions"])
    #expect(mentions.output.contains("hello yourself") && mentions.output.contains(#""account":"maja","base":"#))

    for words in [["unlike", first], ["unretweet", first], ["delete", try id(reply)], ["unfollow", "maja"]] {
      _ = try output("tw-post", words)
    }
    #expect(try counts(first) == [0, 0, 0])
    #expect(try !read("home").contains("Hello, #world"))
    #expect(try read("user:maja").contains(#""viewer":{"account":"finn","liked":false,"retweeted":false}"#))

    _ = try output("tw-auth", ["use", "maja"])
    #expect(try output("tw-post", ["Still here"]).contains(#""username":"maja""#))
    let token = try output("tw-auth", ["token"]).split(separator: "\n").first.map(String.init)
    _ = try output("tw-auth", ["logout"])
    #expect(try service.ask("GET", "/2/users/me", token: token).status == 401)
    #expect(try output("tw-post", ["Only finn now"]).contains(#""username":"finn""#))
    _ = try output("tw-auth", ["logout", "finn"])
    #expect(try run("tw-post", ["Nobody!"]).ending == .status(78))
    // Signed out is not gone.
    _ = try output(
      "tw-auth", ["login", "--endpoint", service.base, "--user", "maja", "--password-file", "password"])
    #expect(try read("user:maja").contains("Hello, #world"))
  }
}
