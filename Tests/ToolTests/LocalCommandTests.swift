import Foundation
import TestSupport
import Testing

/// tw-local with a command.
@Suite(.onOwnThread) struct LocalCommandTests {
  @Test func setsTheEnvironmentOfTheCommand() throws {
    let home = try TemporaryDirectory()
    let script = """
      for name in TW_ENDPOINT TW_TOKEN TW_SERVICE TW_ACCOUNT TW_DB TW_ALLOW_PRIVATE TW_TOKEN_FILE \
      XDG_CONFIG_HOME XDG_DATA_HOME XDG_STATE_HOME; do eval "echo $name=\\$$name"; done
      mkdir -p "$XDG_DATA_HOME/deep/er" && touch "$XDG_DATA_HOME/deep/er/file" && ln -s / "$XDG_DATA_HOME/root"
      ls -ld "${XDG_DATA_HOME%/data}" | cut -c1-10
      """
    let result = try Tool.run(
      "tw-local", ["--", "sh", "-c", script], environment: ["TW_TOKEN_FILE": "/x", "TW_TOKEN": "old"], home: home)
    #expect(result.ending == .status(0) && result.errors == "")
    var values: [String: String] = [:]
    for line in result.lines.dropLast() {
      let halves = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      values[String(halves[0])] = String(halves[1])
    }
    let address = try #require(values["TW_ALLOW_PRIVATE"])
    #expect(address.hasPrefix("127.0.0.1:") && values["TW_ENDPOINT"] == "http://\(address)")
    #expect(values["TW_SERVICE"] == "local" && values["TW_ACCOUNT"] == "you" && values["TW_TOKEN_FILE"] == "")
    #expect(values["TW_TOKEN"]?.hasPrefix("local-") == true)
    let folder = try #require(values["XDG_DATA_HOME"]?.dropLast("/data".count))
    #expect(folder.hasPrefix(home.path) && values["TW_DB"] == folder + "/data/tw/tw.db")
    #expect(result.lines.last == "drwx------" && !FileManager.default.fileExists(atPath: String(folder)))
  }

  #if os(Linux)
    @Test func keepsItsDescriptorsFromTheCommand() throws {
      let result = try Tool.run("tw-local", ["--", "ls", "-l", "/proc/self/fd"])
      #expect(result.status == 0 && result.lines.count > 3)
      for name in ["eventpoll", "eventfd", "service.db"] { #expect(!result.output.contains(name), "\(result.output)") }
    }
  #endif

  /// A file that gets the variables has tokens in it.
  @Test func variablesInAFileAreForThisUserOnly() throws {
    let home = try TemporaryDirectory()
    let tool = try RunningTool(
      "/bin/sh", ["-c", "umask 022; exec \(Tool.path("tw-local")) > service.env"], home: home)
    try waitUntil { String(decoding: (try? home.read("service.env")) ?? [], as: UTF8.self).contains("TW_LOCAL_PID=") }
    var file = stat()
    #expect(stat(home.path + "/service.env", &file) == 0 && file.st_mode & 0o777 == 0o600)
    tool.signal(SIGTERM)
    _ = try tool.finish()
  }

  @Test func endsAsTheCommandDoes() throws {
    #expect(try Tool.run("tw-local", ["--", "sh", "-c", "exit 43"]).ending == .status(43))
    #expect(try Tool.run("tw-local", ["--", "sh", "-c", "kill -USR1 $$"]).ending == .signal(SIGUSR1))
    // SIGPIPE has its default disposition in a command.
    #expect(try Tool.run("tw-local", ["--", "sh", "-c", "kill -PIPE $$"]).ending == .signal(SIGPIPE))
    let missing = try Tool.run("tw-local", ["--", "/no/such/command"])
    #expect(missing.ending == .status(64) && missing.errors.contains("cannot run '/no/such/command': no such file"))
  }

  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func forwardsSignals(number: Int32) throws {
    let home = try TemporaryDirectory()
    let script = "trap 'echo got; exit 3' TERM INT HUP; echo ready; while :; do sleep 0.02; done"
    let tool = try RunningTool("tw-local", ["--", "sh", "-c", script], home: home)
    #expect(try tool.line() == "ready")
    // Twice, as timeout(1) does: tw-local must survive to clean up.
    tool.signal(number)
    tool.signal(number)
    let result = try tool.finish()
    #expect(result.ending == .status(3) && result.output == "ready\ngot\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path).filter { $0.contains("tw-local") } == [])
  }

  @Test func listensWhereItIsTold() throws {
    let port = try LoopbackListener { close($0) }.port
    // Until it is free again.
    usleep(300_000)
    let local = try LocalService(["--port", "\(port)"])
    #expect(Int(local.port) == port)
    #expect(try local.ask("GET", "/", token: nil).status == 200)
    let second = try Tool.run("tw-local", ["--port", "\(port)"])
    #expect(second.status != 0 && second.errors.contains("\(port)"), "\(second.errors)")
  }

  /// Standard output ends only when all processes that the command has started end.
  @Test(arguments: [SIGTERM, SIGINT, SIGHUP])
  func aSignalReachesAllOfAPipeline(number: Int32) throws {
    let script = "trap 'exit 9' TERM INT HUP; echo ready; sleep 600 | cat | cat"
    let tool = try RunningTool("tw-local", ["--", "bash", "-c", script])
    #expect(try tool.line() == "ready")
    // The pipeline starts after the line.
    usleep(300_000)
    tool.signal(number)
    #expect(try tool.finish(timeout: 30).ending == .status(9))
  }

  @Test func keepsItsDataInTheNamedFile() throws {
    let home = try TemporaryDirectory()
    let file = home.path + "/service.db"
    let show = ["--", "sh", "-c", "echo $TW_LOCAL_KEY"]
    let first = try Tool.run("tw-local", ["--db", file] + show, home: home)
    let second = try Tool.run("tw-local", ["--db", file] + show, home: home)
    #expect(first.ending == .status(0) && first.output == second.output && first.output.count > 30)
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try Tool.run("tw-local", ["--db", "/dev/null/x", "--", "true"]).ending == .status(73))
  }
}
