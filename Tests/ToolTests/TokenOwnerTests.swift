import Foundation
import TestSupport
import Testing
import TweetCore

@testable import tw_browse

/// A token goes to its own service and to no other, whoever starts the tool that asks.
@Suite(.onOwnThread) struct TokenOwnerTests {
  private let home: TemporaryDirectory
  private let server: MastodonServer
  /// What no request may have in it.
  private static let token = "token-of-x"

  init() throws {
    home = try TemporaryDirectory()
    server = try MastodonServer()
    try write("x-token", Self.token + "\n")
    try write("own-token", "token-of-tea\n")
  }

  private func write(_ name: String, _ text: String) throws { chmod(try home.write(name, text), 0o600) }

  private func configure(_ lines: String...) throws {
    try write(".config/tw/config", lines.map { $0 + "\n" }.joined())
  }

  private func run(_ tool: String, _ words: [String], _ variables: [String: String]) throws -> ToolResult {
    try Tool.run(tool, words, environment: variables, home: home)
  }

  /// The fields `Authorization` that came, each once.
  private func fields(_ server: LoopbackServer) -> Set<String> {
    Set(server.requests.compactMap { $0["Authorization"] })
  }

  /// The setting of README and the variables without a service mean X. A source of another service is read without
  /// them, and with what is named for it.
  @Test func refreshSendsATokenToItsOwnServiceAlone() throws {
    let bluesky = try LoopbackServer { _ in .answer(400, #"{"error":"InvalidRequest","message":"no"}"#) }
    let x = try LoopbackServer { _ in .answer(200, #"{"data":[],"meta":{"result_count":0}}"#) }
    let places = ["TW_ENDPOINT_BLUESKY": bluesky.base, "TW_ENDPOINT": x.base]
    for (service, source) in [(server.name, "#tea"), ("bluesky", "@bob.example"), ("x", "search:milk")] {
      #expect(try run("tw-cache", ["source", "add", "--service", service, source], [:]).status == 0)
    }
    let tea = "mastodon:#tea@127.0.0.1:\(server.server.port)"
    let file = "token-file = \(home.path)/x-token"
    for (number, (lines, variables))
      in ([
        ([file], [:]), ([], ["TW_TOKEN": Self.token]), ([], ["TW_TOKEN_FILE": home.path + "/x-token"]),
      ] as [([String], [String: String])]).enumerated()
    {
      try configure(lines.joined())
      for source in [tea, "bluesky:@bob.example", "search:milk"] {
        _ = try run("tw-cache", ["refresh", source], variables.merging(places) { $1 })
      }
      #expect(fields(x) == ["Bearer \(Self.token)"], "\(number)")
      #expect(fields(server.server) == [] && fields(bluesky) == [], "\(number)")
    }
    #expect(!server.targets.isEmpty && !bluesky.requests.isEmpty)
    try configure(file, "token-file.\(server.name) = \(home.path)/own-token")
    #expect(try run("tw-cache", ["refresh", tea], places).status == 0)
    #expect(fields(server.server) == ["Bearer token-of-tea"])
    #expect(try run("tw-cache", ["refresh", "search:milk"], places).status == 0)
    #expect(fields(x) == ["Bearer \(Self.token)"])
  }

  /// A variable with the name of its service is that service's, also in a child that asks another one.
  @Test func aVariableIsOfTheServiceBesideIt() throws {
    let given = ["TW_SERVICE": server.name, "TW_TOKEN": "token-of-tea"]
    #expect(try run("tw-stream", ["--once", "#tea"], given).status == 0)
    #expect(fields(server.server) == ["Bearer token-of-tea"])
    let other = try MastodonServer()
    for (service, source) in [(server.name, "#tea"), (other.name, "#milk")] {
      #expect(try run("tw-cache", ["source", "add", "--service", service, source], [:]).status == 0)
      #expect(try run("tw-cache", ["refresh", source], given).status == 0)
    }
    #expect(try run("tw-stream", ["--once", "mastodon:#milk@127.0.0.1:\(other.server.port)"], given).status == 0)
    #expect(fields(other.server) == [] && !other.targets.isEmpty)
    // X's token is not that of the service that the settings have for every day.
    try configure("service = \(other.name)")
    let read = try run("tw-stream", ["--once", "#milk"], ["TW_TOKEN": Self.token])
    #expect(read.status == 0 && fields(other.server) == [], "\(read.errors)")
    let post = try run("tw-post", ["hello there"], ["TW_TOKEN": Self.token])
    #expect(
      post.status == 77 && post.errors.contains("the token of the environment is not for it"), "\(post.errors)")
    #expect(post.errors.contains("'tw config set token-file.\(other.name) FILE'"), "\(post.errors)")
    #expect(fields(other.server) == [])
  }

  /// The tools themselves, with the setting that README names.
  @Test func theSettingIsForXAlone() throws {
    try configure("token-file = \(home.path)/x-token")
    let there = ["TW_SERVICE": server.name]
    #expect(try run("tw-stream", ["--once", "#tea"], there).status == 0)
    #expect(try run("tw-post", ["hello there"], there).status == 77)
    #expect(try run("tw-post", ["flush"], there).status == 0)
    #expect(try run("tw-auth", ["status"], there).status == 77)
    #expect(try run("tw-auth", ["token"], there).output == "")
    #expect(fields(server.server) == [] && !server.targets.isEmpty)
    // Whose token it is, the person says.
    let login = try run("tw-auth", ["login", "--service", server.name, "--method", "token"], ["TW_TOKEN": Self.token])
    #expect(login.status == 64 && fields(server.server) == [], "\(login.errors)")
  }

  /// A plugin that a refresh starts is no exception.
  @Test func aPluginOfARefreshHasNoTokenOfX() throws {
    try StreamPluginTests.add("env > ~/plugin", "own", to: home)
    _ = try run(
      "tw-cache", ["refresh", "own:x"], StreamPluginTests.environment(home, ["TW_TOKEN": Self.token]))
    #expect(!String(decoding: try home.read("plugin"), as: UTF8.self).contains(Self.token))
  }

  /// What the full screen gives the tools that it starts.
  @Test func theFullScreenGivesATokenToItsServiceAlone() throws {
    let settings = try Settings(text: "service = mastodon:tea.example\n", path: "-") {
      ["TW_TOKEN": "t", "TW_ENDPOINT": "https://x.example"][$0]
    }
    let accounts = ChosenAccounts(option: nil, settings, known: [])
    #expect(accounts.variables(at: "mastodon:tea.example")["TW_TOKEN"] == .some(nil))
    #expect(accounts.variables(at: "bluesky")["TW_TOKEN"] == .some(nil))
    #expect(accounts.variables(at: "bluesky")["TW_ENDPOINT"] == .some(nil))
    #expect(accounts.variables(at: "x").index(forKey: "TW_TOKEN") == nil)
  }

  @Test func settingsOfTokensAreSetAndListed() throws {
    let name = "token-file.\(server.name)"
    let path = home.path + "/own-token"
    #expect(try run("tw", ["config", "set", name, path], [:]).status == 0)
    #expect(try run("tw", ["config", "get", name], [:]).output == path + "\n")
    #expect(try run("tw", ["config", "list"], [:]).output == "\(name) = \(path)\n")
    #expect(try run("tw", ["config", "set", "token-file.nowhere", path], [:]).status == 64)
    #expect(try run("tw", ["config", "set", name, "relative"], [:]).status == 64)
    chmod(path, 0o644)
    let doctor = try run("tw", ["doctor", "--offline"], [:])
    #expect(doctor.output.contains("mend: chmod 600 \(path)"), "\(doctor.output)")
    #expect(try run("tw", ["config", "unset", name], [:]).status == 0)
    #expect(try run("tw", ["config", "list"], [:]).output == "")
  }
}
