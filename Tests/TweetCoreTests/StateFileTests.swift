import CTestSupport
import Foundation
import Libc
import TestSupport
import Testing

@testable import TweetCore

/// Files that are replaced whole.
struct StateFileTests {
  /// What a call of fsync(2) found.
  private struct Sync: Equatable {
    /// The length of the file that goes to disk.
    let size: Int
    /// What stands under the final name meanwhile.
    let current: String?
    /// Whether a program that is started meanwhile gets the descriptor too.
    let isInherited: Bool
  }

  private final class Log {
    let path: String
    var syncs: [Sync] = []

    init(_ path: String) { self.path = path }

    func note(_ descriptor: Int32) {
      var status = stat()
      fstat(descriptor, &status)
      syncs.append(
        Sync(
          size: Int(status.st_size), current: try? String(contentsOfFile: path, encoding: .utf8),
          isInherited: fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0))
    }
  }

  private func text(_ text: String) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.append(text)
    return buffer
  }

  /// The power may fail at any moment: all bytes are on disk before the file gets its name.
  @Test(arguments: ["old", nil])
  func bytesReachTheDiskBeforeTheirName(_ old: String?) throws {
    let home = try TemporaryDirectory()
    if let old { try home.write("state", old) }
    let path = home.path + "/state"
    let log = Log(path)
    tw_observe_syncs(
      { descriptor, context in
        guard let context else { return }
        Unmanaged<Log>.fromOpaque(context).takeUnretainedValue().note(descriptor)
      }, Unmanaged.passUnretained(log).toOpaque())
    defer { tw_observe_syncs(nil, nil) }
    try StateFile.replace(path, with: text("new and longer"))
    #expect(log.syncs == [Sync(size: 14, current: old, isInherited: false)])
    #expect(try home.read("state") == Array("new and longer".utf8))
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["state"])
    let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(rights as? Int == 0o600)
  }

  /// Where the new file cannot be made the old one stays, and nothing is left beside it.
  @Test func whatCannotBeReplacedStays() throws {
    let home = try TemporaryDirectory()
    try home.write("state/inside", "a directory of that name")
    #expect(throws: ToolError.self) { try StateFile.replace(home.path + "/state", with: text("new")) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["state"])
    #expect(throws: ToolError.self) { try StateFile.replace(home.path + "/missing/state", with: text("new")) }
    #expect(try StateFile.read(home.path + "/missing/state") == nil)
  }
}
