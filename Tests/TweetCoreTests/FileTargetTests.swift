import Foundation
import Libc
import TestSupport
import Testing

@testable import TweetCore

/// Where files may be written: only in the place of files, and never in that of a database's.
struct FileTargetTests {
  private func message(_ path: String) -> String? {
    do throws(ToolError) {
      _ = try FileTarget.resolve(path)
      return nil
    } catch {
      #expect(error.status == .cannotCreate)
      return error.message
    }
  }

  @Test func onlyFilesAreReplaced() throws {
    let home = try TemporaryDirectory()
    let path = home.path + "/there"
    #expect(try FileTarget.resolve(path) == path)
    try home.write("there", "x")
    #expect(try FileTarget.resolve(path) == Paths.real(path))
    #expect(message("/dev/null") == "cannot write '/dev/null': it is a device, not a file")
    #expect(message(home.path) == "cannot write '\(home.path)': it is a directory, not a file")
    try #require(mkfifo(home.path + "/pipe", 0o600) == 0)
    #expect(message(home.path + "/pipe") == "cannot write '\(home.path)/pipe': it is a pipe, not a file")
    try #require(symlink("/dev/null", home.path + "/null") == 0)
    #expect(message(home.path + "/null")?.contains("is a device") == true)
  }

  @Test func linksAreFollowed() throws {
    let home = try TemporaryDirectory()
    let real = try #require(Paths.real(home.path))
    try home.write("folder/file", "x")
    for (link, to) in [("a", "b"), ("b", "folder/file"), ("c", "folder/none"), ("d", real + "/c"), ("e", "e")] {
      try #require(symlink(to, real + "/" + link) == 0)
    }
    #expect(try FileTarget.resolve(real + "/a") == real + "/folder/file")
    #expect(try FileTarget.resolve(real + "/c") == real + "/folder/none")
    #expect(try FileTarget.resolve(real + "/d") == real + "/folder/none")
    #expect(message(real + "/e")?.hasPrefix("cannot write '\(real)/e': ") == true)
    var text = ByteBuffer()
    text.append("new")
    try StateFile.replace(real + "/a", with: text)
    try StateFile.replace(real + "/d", with: text)
    #expect(try home.read("folder/file") == Array("new".utf8) && home.read("folder/none") == Array("new".utf8))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: real + "/a") == "b")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: real + "/d") == real + "/c")
  }

  @Test func theFilesOfADatabaseStay() throws {
    let home = try TemporaryDirectory()
    try home.write("tw.db", "SQLite format 3\0 and the rest")
    try home.write("text", "no database")
    for suffix in ["-wal", "-shm", "-journal", ".lock"] {
      #expect(
        message(home.path + "/tw.db" + suffix)?.hasSuffix("it belongs to the database '\(home.path)/tw.db'") == true)
      #expect(message(home.path + "/text" + suffix) == nil)
    }
  }
}
