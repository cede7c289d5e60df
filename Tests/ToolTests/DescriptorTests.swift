import Foundation
import TestSupport
import Testing

/// Programs that tools start get standard input, output and error, and nothing else: a lock or a socket that leaks into
/// a child is held by it as well.
@Suite(.onOwnThread, .enabled(if: FileManager.default.fileExists(atPath: "/dev/fd"), "needs /dev/fd"))
struct DescriptorTests {
  /// Lists the descriptors it was given, the listing's own among them.
  private static let listing = "ls /dev/fd > \"$HOME/descriptors.$$\""

  /// What the programs that ran in `home` were given.
  private func lists(in home: TemporaryDirectory) throws -> [[String]] {
    let names = try FileManager.default.contentsOfDirectory(atPath: home.path)
    return try names.filter { $0.hasPrefix("descriptors.") }.map { name in
      String(decoding: try home.read(name), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  @Test(arguments: [
    "tw-parse --rejects r", "tw-cache add", "tw-avatar", "tw-linkcheck", "tw-render",
  ])
  func decodersGetNone(_ command: String) throws {
    let home = try StreamPluginTests.home("")
    let gzip = "#!/bin/sh\n\(Self.listing)\nexec /usr/bin/env PATH=/usr/bin:/bin gzip \"$@\"\n"
    try home.program("bin/gzip", gzip)
    try home.write("one", #"{"tw":"tweet","id":"1","service":"x","text":"a","author":{"id":"2"}}"# + "\n")
    let script = "PATH=/usr/bin:/bin gzip -c one > one.gz && \(command) one.gz one one.gz"
    let result = try Tool.shell(script, environment: StreamPluginTests.environment(home), home: home)
    #expect(result.status == 0 && result.output != "", "\(result.errors)")
    let lists = try lists(in: home)
    #expect(lists == Array(repeating: ["0", "1", "2", "3"], count: 2))
  }

  /// Behind the plugin stand tw-stream, with what it keeps open, and tw-cache with its store and locks.
  @Test func sourcePluginsGetNone() throws {
    let home = try StreamPluginTests.home(Self.listing + #"; echo '{"data":{"id":"1","text":"a"}}'"#)
    let environment = StreamPluginTests.environment(home)
    for command in [
      ["tw-stream", "--state", "state", "test:x"], ["tw-cache", "refresh", "test:x"],
    ] {
      let result = try Tool.run(command[0], Array(command.dropFirst()), environment: environment, home: home)
      #expect(result.status == 0, "\(result.errors)")
    }
    #expect(try lists(in: home) == Array(repeating: ["0", "1", "2", "3"], count: 2))
  }

  @Test func commandsOfALocalServiceGetNone() throws {
    let result = try Tool.run("tw-local", ["--", "ls", "/dev/fd"])
    #expect(result.lines == ["0", "1", "2", "3"])
  }

  /// Without a descriptor for what is to be opened, each tool says that it may work later, whatever it was.
  @Test(arguments: [
    "tw-parse one", "tw-parse one.gz", "tw-parse --rejects r one", "tw-parse data", "tw-render one", "tw-render one.gz",
    "tw-render -f site s one", "tw-render -f mail --to a@b.co one", "tw-cache add one", "tw-cache list",
    "tw-cache backup copy.db", "tw-cache export", "tw-cache stats", "tw-cache refresh test:x", "tw-cache source list",
    "tw-linkcheck --offline one", "tw-avatar one", "tw-stream --once test:x", "tw-auth list", "tw-post outbox",
    "tw config list", "tw-local -- true",
  ])
  func tooManyOpenFilesMayPass(_ command: String) throws {
    let home = try StreamPluginTests.home(#"echo '{"data":{"id":"1","text":"a"}}'"#)
    try home.write("one", #"{"tw":"tweet","id":"1","service":"x","text":"a","author":{"id":"2"}}"# + "\n")
    try home.write("data/account.js", #"window.YTD.account.part0 = [{"account":{"accountId":"5","username":"m"}}]"#)
    try home.write("data/tweets.js", #"window.YTD.tweets.part0 = [{"tweet":{"id_str":"1","full_text":"a"}}]"#)
    let script = """
      gzip -k one; tw-cache add one > added
      for n in 4 5 6 7 8 9 10 11 12 14 16 18 20 24; do
        (exec < /dev/null > o 2> e; ulimit -n $n; exec \(command)); echo "$n $? $(tail -n 1 e)"
      done
      """
    let result = try Tool.shell(script, environment: StreamPluginTests.environment(home), home: home, timeout: 120)
    let lines = result.lines
    #expect(lines.count == 14, "\(result.errors)")
    for line in lines {
      let status = line.split(separator: " ")[1]
      // A program for which the libraries could not be opened has not begun.
      let isBegun = status != "127" || !line.contains("shared")
      #expect(["0", "75"].contains(status) || !isBegun, "\(command): \(line)")
    }
    #expect(lines.last?.split(separator: " ")[1] == "0", "\(command): \(lines)")
  }
}
