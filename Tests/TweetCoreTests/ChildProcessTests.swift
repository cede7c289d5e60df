import Foundation
import Libc
import TestSupport
import Testing
import TweetCore

/// Programs that a tool starts and looks after.
@Suite(.onOwnThread(minutes: 1)) struct ChildProcessTests {
  /// A shell that has done its preparations and goes on with something.
  private struct Shell: ~Copyable {
    var child: ChildProcess
    let number: pid_t

    init(_ preparations: String = ":", then script: String) throws {
      let pipe = try makePipe()
      let child = ChildProcess(
        ["sh", "-c", "\(preparations); echo $$; \(script)"], output: pipe.writing, leadsGroup: true)
      close(pipe.writing)
      defer { close(pipe.reading) }
      guard let child, let line = try readSome(pipe.reading, name: "pipe"),
        let number = pid_t(String(decoding: line, as: UTF8.self).dropLast())
      else { throw POSIXError(.ENOEXEC) }
      self.child = child
      self.number = number
    }
  }

  /// Not even a process's number is left once it was waited for.
  private func isThere(_ number: pid_t) -> Bool { kill(number, 0) == 0 }

  /// A process whose owner leaves is asked to end, and one that does not is killed: the owner is not held up.
  @Test(arguments: [":", "trap '' TERM"])
  func itEndsWithItsOwner(_ preparations: String) throws {
    let shell = try Shell(preparations, then: "while :; do sleep 100; done")
    let number = shell.number
    #expect(isThere(number))
    _ = consume shell
    #expect(!isThere(number))
  }

  @Test func itIsAskedToEndBeforeItIsKilled() throws {
    let home = try TemporaryDirectory()
    let shell = try Shell("trap 'echo tidy > \(home.path)/left; exit' TERM", then: "while :; do sleep 0.05; done")
    _ = consume shell
    #expect(home.exists("left"))
  }

  @Test func stoppingKillsWhatDoesNotEnd() throws {
    var stubborn = try Shell("trap '' TERM", then: "while :; do sleep 100; done")
    #expect(stubborn.child.stop(grace: 100) == .killed(SIGKILL))
    #expect(stubborn.child.stop(grace: 100) == .killed(SIGKILL))
    #expect(!isThere(stubborn.number))
    var tidy = try Shell("trap 'exit 3' TERM", then: "while :; do sleep 0.05; done")
    #expect(tidy.child.stop(grace: 30_000) == .exited(3))
  }
}
