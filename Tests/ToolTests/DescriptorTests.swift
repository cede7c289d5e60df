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
    chmod(try home.write("bin/gzip", gzip), 0o755)
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
}
