import Foundation
import TestSupport
import Testing

/// A tool that has a credential in its memory leaves no core file, and lets no other process of the user look into it.
@Suite(.onOwnThread) struct SecrecyTests {
  enum Holder: String, CaseIterable {
    case stream, post, status, login, local
  }

  /// Starts a tool as a user who is not root, and waits until it has a credential.
  private func start(_ holder: Holder, _ server: LoopbackServer, in folder: TemporaryDirectory) throws -> RunningTool {
    let tool: String
    switch holder {
    case .stream: tool = "tw-stream --once home"
    case .post: tool = "tw-post -- hello"
    case .status: tool = "tw-auth status"
    case .login:
      tool = "tw-auth login --method app --endpoint \(server.base) --client-id a --client-secret-file secret"
      try folder.write("secret", "b\n")
    case .local: tool = "tw-local"
    }
    let running = try begin(
      tool, ["TW_SERVICE": "local", "TW_ENDPOINT": server.base, "TW_TOKEN": "a-token"], in: folder)
    if holder == .local {
      try running.waitForLines(6)
    } else {
      try waitUntil { !server.requests.isEmpty }
    }
    return running
  }

  /// Runs a command with core files of any size, as nobody where the test runs as root, who may read everything.
  private func begin(
    _ command: String, _ variables: [String: String], in folder: TemporaryDirectory
  ) throws -> RunningTool {
    let words = ["/bin/bash", "-c", "ulimit -c unlimited && exec \(command)"]
    let user = geteuid() == 0 ? ["/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : []
    chmod(folder.path, 0o777)
    return try RunningTool(
      (user + words)[0], Array((user + words).dropFirst()), environment: variables, home: folder,
      directory: folder.path)
  }

  /// What another process of the same user reads of a process's memory and environment.
  private func readers(of process: Int32, in folder: TemporaryDirectory) throws -> [Ending] {
    try ["exec 3< /proc/\(process)/mem", "cat /proc/\(process)/environ"].map { script in
      let tool = try begin("bash -c '\(script)'", [:], in: folder)
      return try tool.finish().ending
    }
  }

  private func coreFiles(_ folder: TemporaryDirectory) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("core") }
  }

  #if os(Linux)
    /// A sanitizer reads its own process, and reports SIGABRT and exits.
    @Test(.enabled(if: Sanitizer.name == nil), arguments: Holder.allCases)
    func leavesNoCoreFileAndIsNotReadable(_ holder: Holder) throws {
      // The machine must write core files at all, and let processes be read, or this says nothing.
      let folder = try TemporaryDirectory()
      let other = try begin("sleep 60", [:], in: folder)
      let name = URL(fileURLWithPath: "/proc/\(other.processID)/comm")
      try waitUntil { try Data(contentsOf: name) == Data("sleep\n".utf8) }
      let readable = try readers(of: other.processID, in: folder)
      other.signal(SIGABRT)
      #expect(try other.finish().ending == .signal(SIGABRT))
      let core = try coreFiles(folder)
      guard readable == [.status(0), .status(0)], core.count == 1 else {
        try Test.cancel("needs a machine that writes core files where a process is, and lets its user read processes")
      }
      try FileManager.default.removeItem(atPath: folder.path + "/" + core[0])

      let server = try LoopbackServer { _, connection in connection.pause(30) }
      let tool = try start(holder, server, in: folder)
      #expect(try readers(of: tool.processID, in: folder) == [.status(1), .status(1)])
      tool.signal(SIGABRT)
      #expect(try tool.finish().ending == .signal(SIGABRT))
      #expect(try coreFiles(folder) == [])
    }

    /// What tw-local runs, and what a person has print a secret, has its own memory.
    @Test func aCommandIsReadable() throws {
      let result = try Tool.run("tw-local", ["--", "sh", "-c", "cat /proc/$$/environ > /dev/null"])
      #expect(result.ending == .status(0), "\(result.errors)")
    }
  #endif
  // MARK: Programs that are started

  private static let browser = "#!/bin/sh\nenv > ~/browser.part && mv ~/browser.part ~/browser\n"

  /// Editor, browser, commands that print secrets and plugins have no use for the token; a plugin gets that of its own
  /// service.
  @Test func nobodyElseHasTheToken() throws {
    let service = try PostService()
    let home = try StreamPluginTests.home("env > ~/plugin", name: "test")
    try StreamPluginTests.add("env > ~/other", "other", to: home)
    let base = service.environment["TW_ENDPOINT"] ?? ""
    let accounts = [
      #"{"service":"local","name":"jack","base":"\#(base)","method":"token","token_command":"env > ~/command; echo t"}"#,
      #"{"service":"test","name":"jill","base":"https://test.example","method":"token","token":"own-token"}"#,
    ]
    chmod(try home.write(".config/tw/credentials.json", #"{"accounts":[\#(accounts.joined(separator: ","))]}"#), 0o600)
    try home.program("bin/browser", Self.browser)
    try home.write("token-file", "file-token\n")
    let variables = StreamPluginTests.environment(
      home,
      service.environment.merging([
        "EDITOR": "sh -c 'env > ~/editor; echo text >> \"$1\"' x", "BROWSER": "browser",
        "TW_TOKEN_FILE": home.path + "/token-file",
      ]) { $1 })
    func run(_ tool: String, _ words: [String]) throws {
      let result = try Tool.run(tool, words, environment: variables, home: home)
      #expect(result.ending == .status(0), "\(result.errors)")
    }
    try run("tw-post", ["--edit"])
    try run("tw-post", ["--account", "jack", "two words"])
    try run("tw-stream", ["--once", "test:x"])
    try run("tw-stream", ["--once", "other:x"])
    let login = try RunningTool(
      "tw-auth", ["login", "--redirect-uri", "http://127.0.0.1:0/callback"], environment: variables, home: home)
    try waitUntil { home.exists("browser") }
    login.signal(SIGTERM)
    _ = try login.finish()
    for name in ["editor", "command", "other", "browser"] {
      let text = String(decoding: try home.read(name), as: UTF8.self)
      #expect(text.contains("TW_SERVICE=local") && !text.contains("TW_TOKEN"), "\(name)")
    }
    let plugin = String(decoding: try home.read("plugin"), as: UTF8.self).split(separator: "\n")
    #expect(plugin.filter { $0.hasPrefix("TW_TOKEN") } == ["TW_TOKEN=own-token"])
  }

  /// The service of a plugin may be the one that the token of the environment is for.
  @Test func aPluginHasTheTokenOfItsService() throws {
    let home = try StreamPluginTests.home("env > ~/plugin", name: "own")
    let variables = StreamPluginTests.environment(
      home, ["TW_SERVICE": "own", "TW_ENDPOINT": "http://127.0.0.1:9", "TW_TOKEN": "a-token"])
    #expect(try Tool.run("tw-stream", ["--once", "own:x"], environment: variables, home: home).ending == .status(0))
    #expect(String(decoding: try home.read("plugin"), as: UTF8.self).contains("TW_TOKEN=a-token\n"))
  }
}
