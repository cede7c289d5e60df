import Libc
import TweetAccounts
import TweetCore
import TweetServices

/// Copies of the pictures and videos that writes of the outbox show, so that a post shows what its author chose even if
/// the file is changed or removed before the post is sent. The name of a copy is the SHA-256 of its bytes in
/// hexadecimal digits, so writes that show the same file share it.
struct OutboxFiles {
  let directory: String

  /// - Parameter outbox: the path of the outbox, which the directory of the copies stands beside.
  init(beside outbox: String) { directory = outbox + ".files" }

  /// Excludes other processes while copies are made, before the write that shows them is in the outbox, and while
  /// unused copies are removed.
  func hold<Result>(_ body: () throws(ToolError) -> Result) throws(ToolError) -> Result {
    try FileLock.hold(directory + ".lock") { (_) throws(ToolError) in try body() }
  }

  func path(_ digest: String) -> String { directory + "/" + digest }

  /// Copies what is posted of a file. When this returns, the copy is on disk.
  ///
  /// - Parameters:
  ///   - size: its bytes.
  ///   - path: what messages call it.
  ///   - piece: some of its bytes from an offset on.
  /// - Returns: the SHA-256 of its bytes in hexadecimal digits.
  /// - Throws: what `piece` throws, `ToolError.cannotCreate` or `ToolError.inputOutput` where there is no room for the
  ///   copy.
  func store(
    _ size: Int, of path: String, _ piece: (Int) throws(ToolError) -> [UInt8]
  ) throws(ToolError) -> String {
    try Paths.createDirectory(directory)
    var template = Array((directory + "/new-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw .cannotCreate("cannot create a file in '\(directory)'", errno)
    }
    defer { close(descriptor) }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    do throws(ToolError) {
      var digest = try SHA256Digest()
      var offset = 0
      while offset < size {
        let piece = try piece(offset)
        try digest.update(piece)
        let fault = writeAll(piece, to: descriptor)
        guard fault == 0 else { throw .inputOutput("cannot copy '\(path)' to the outbox: \(describe(errno: fault))") }
        offset += piece.count
      }
      let name = String(hexadecimal: try digest.finish())
      guard fsync(descriptor) == 0, rename(template, self.path(name)) == 0 else {
        throw .inputOutput("cannot copy '\(path)' to the outbox: \(describe(errno: errno))")
      }
      return name
    } catch {
      unlink(template)
      throw error
    }
  }

  /// Whether there may be copies.
  var exist: Bool { access(directory, F_OK) == 0 }

  /// Removes all copies but those with these names, also what a killed process left half made.
  func remove(except digests: Set<String>) throws(ToolError) {
    for name in Directory.names(in: directory) ?? [] where !digests.contains(name) {
      guard unlink(path(name)) == 0 || errno == ENOENT else {
        throw .inputOutput("cannot remove '\(path(name))': \(describe(errno: errno))")
      }
    }
  }
}
