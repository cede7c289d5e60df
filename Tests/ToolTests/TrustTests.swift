import Foundation
import TestSupport
import Testing

/// `tls-server.py`: HTTPS servers on loopback ports, and the authority that vouches for them in `ca.pem`.
struct TLSServers {
  let home: TemporaryDirectory
  private let tool: RunningTool
  private let ports: [String: Int]

  /// Cancels the test where a program is missing.
  /// - Parameter base: the address of an HTTP server that `relay` and `proxy` lead to.
  init(relaying base: String = "") throws {
    home = try TemporaryDirectory()
    guard try Tool.shell("openssl version && python3 -c 'import ssl'").status == 0 else {
      try Test.cancel("needs openssl(1) and python3")
    }
    tool = try RunningTool(
      "/usr/bin/env",
      ["python3", "-W", "ignore", "\(Package.root)/Tests/ToolTests/tls-server.py", home.path]
        + base.split(separator: ":").dropFirst(2).map(String.init),
      home: home)
    let line = try #require(try tool.line())
    ports = try JSONDecoder().decode([String: Int].self, from: Data(line.utf8))
  }

  /// The address of the server with that fault; `good` has none.
  func base(_ fault: String) -> String { "https://localhost:\(ports[fault] ?? 0)" }
  func port(_ name: String) -> Int { ports[name] ?? 0 }
}

/// Programs that carry a token tell it nobody whose certificate they do not trust.
@Suite(.onOwnThread) struct TrustTests {
  private static let commands = [
    ["tw-stream", "--once", "home"], ["tw-post", "hello, world"], ["tw-auth", "status"],
    ["tw-auth", "login", "--method", "token", "--token-file", "-"], ["tw-cache", "refresh", "home"],
  ]

  @Test func aTokenGoesOverTrustedConnectionsOnly() throws {
    let servers = try TLSServers()
    let authority = servers.home.path + "/ca.pem"
    for command in Self.commands {
      func start(_ server: String, _ options: [String] = [], _ variables: [String: String] = [:]) throws -> RunningTool
      {
        let access = ["TW_SERVICE": "local", "TW_ENDPOINT": servers.base(server), "TW_TOKEN": "a-token"]
        let tool = try RunningTool(
          command[0], Array(command.dropFirst()) + options, environment: access.merging(variables) { $1 })
        tool.send("a-token\n")
        tool.closeInput()
        return tool
      }
      for server in ["good", "name", "expired"] {
        let refused = try start(server, [], server == "good" ? [:] : ["TW_CA_FILE": authority]).finish()
        #expect(refused.status == 69, "\(command)")
        #expect(refused.errors.contains("no trusted connection to the service"), "\(command): \(refused.errors)")
      }
      #expect(!servers.home.exists("credentials"), "\(command)")
      let hasOption = ["tw-stream", "tw-post"].contains(command[0]) || command.contains("login")
      for (options, variables) in [([], ["TW_CA_FILE": authority]), (["--ca-file", authority], [:])]
      where options.isEmpty || hasOption {
        let trusting = try start("good", options, variables)
        try waitUntil { servers.home.exists("credentials") }
        trusting.signal(SIGTERM)
        _ = try trusting.finish()
        try FileManager.default.removeItem(atPath: servers.home.path + "/credentials")
      }
    }
  }
}
