import Foundation
import Synchronization
import TestSupport
import Testing

/// A refresh token works once: whatever fails while its successor comes and is stored, the account stays signed in.
@Suite(.onOwnThread) struct RenewalFaultTests {
  private let home: TemporaryDirectory
  private let server: FakePDS

  init() throws {
    home = try TemporaryDirectory()
    server = try FakePDS()
    #expect(try server.signIn(home).status == 0)
    expire()
  }

  private static let arguments = ["--once", "search:tea"]
  private var tokens: String { home.path + "/.local/state/tw/tokens" }

  /// From now on the server takes the token no more that was stored last.
  private func expire() { server.state.withLock { $0.expired = $0.refresh } }

  private func run(_ faults: [String: String]? = nil) throws -> ToolResult {
    let disk = faults.flatMap { FaultyDisk.environment(of: tokens, $0) } ?? [:]
    return try Tool.run(
      "tw-stream", Self.arguments, environment: server.environment.merging(disk) { $1 }, home: home)
  }

  /// Whether the refresh token is stored that the server takes.
  private func isSignedIn() throws -> Bool {
    let text = String(decoding: try home.read(".local/state/tw/tokens/bluesky:alice.example"), as: UTF8.self)
    return text.contains("\"refresh-\(server.state.withLock(\.refresh))\"")
  }

  /// Each call that makes, writes, syncs or renames a file of tokens fails once: with EIO, and with ENOSPC.
  @Test(.enabled(if: FaultyDisk.library != nil, Comment(rawValue: FaultyDisk.comment)), arguments: [EIO, ENOSPC])
  func oneFailedCallLosesNothing(_ error: Int32) throws {
    var hits = 0
    for call in 1...60 {
      let hit = home.path + "/hit"
      unlink(hit)
      expire()
      let result = try run(["TW_DISK_CALL_AT": "\(call)", "TW_DISK_ERROR": "\(error)", "TW_DISK_HIT": hit])
      guard home.exists("hit") else { break }
      hits += 1
      #expect(try isSignedIn(), "call \(call): \(result.errors)")
    }
    #expect(hits > 10 && hits < 60, "\(hits)")
    expire()
    #expect(try run().status == 0)
  }

  /// A disk that is full when the new tokens come is told of at once, and they are stored when there is room.
  @Test(.enabled(if: FaultyDisk.library != nil, Comment(rawValue: FaultyDisk.comment)))
  func aFullDiskIsToldOfAndTheTokensAreKept() throws {
    let full = home.path + "/full"
    server.state.withLock { $0.onRefresh = { _ = close(creat(full, 0o600)) } }
    let result = try run(["TW_DISK_FULL": full])
    #expect([73, 74].contains(result.status) && result.errors.contains("is not stored"), "\(result.errors)")
    #expect(result.errors.contains("make room") && !result.errors.contains("refresh-1"), "\(result.errors)")
    #expect(try !isSignedIn())
    unlink(full)
    try waitUntil { try isSignedIn() }
    #expect(try run().status == 0)
    #expect(server.state.withLock(\.spent).count == 1)
  }

  /// There is no room for new tokens: none are asked for.
  @Test(.enabled(if: FaultyDisk.library != nil, Comment(rawValue: FaultyDisk.comment)))
  func withoutRoomNothingIsSpent() throws {
    let full = home.path + "/full"
    close(creat(full, 0o600))
    let result = try run(["TW_DISK_FULL": full])
    #expect(result.status == 73 || result.status == 74, "\(result.errors)")
    #expect(server.state.withLock(\.spent).isEmpty)
    #expect(try run().status == 0)
  }

  #if os(Linux)
    /// Whoever ends the processes of a machine, a person or its shutdown, does not end a renewal that is under way.
    @Test func signalsDoNotEndARenewal() throws {
      let ended = home.path + "/signals"
      server.state.withLock { state in
        state.onRefresh = {
          let deadline = Date(timeIntervalSinceNow: 30)
          while access(ended, F_OK) != 0, Date.now < deadline { usleep(5_000) }
        }
      }
      let tool = try RunningTool("tw-stream", Self.arguments, environment: server.environment, home: home)
      try waitUntil { server.state.withLock { !$0.spent.isEmpty } }
      let renewal = try #require(Self.children(of: tool.processID).first)
      for number in [SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE, SIGXFSZ] {
        #expect(kill(renewal, number) == 0)
      }
      close(creat(ended, 0o600))
      let result = try tool.finish()
      #expect(result.status == 0, "\(result.errors)")
      #expect(try isSignedIn())
    }

    private static func children(of process: Int32) throws -> [Int32] {
      try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").flatMap { thread in
        try String(contentsOfFile: "/proc/\(process)/task/\(thread)/children", encoding: .utf8)
          .split(separator: " ").compactMap { Int32($0) }
      }
    }
  #endif
}
