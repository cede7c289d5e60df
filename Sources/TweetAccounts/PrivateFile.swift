import Libc
package import TweetCore

/// Files with secrets in them, which only their owner may read.
package enum PrivateFile {
  /// The file's bytes; `nil` when there is no file.
  ///
  /// - Throws: `ToolError.configuration` when others may read, change or replace it, or it is not this user's, with the
  ///   command that mends it; and when it cannot be read.
  package static func read(_ path: String) throws(ToolError) -> [UInt8]? {
    try StateFile.read(path) { (file) throws(ToolError) in
      guard let status = stat(of: file), status.isFile else { throw .configuration("'\(path)' is not a file") }
      if let trust = FileTrust.fault(of: status, at: path, isSecret: true) { throw trust.error }
    }
  }

  /// Replaces the file, or the file that a symbolic link leads to, and makes the directories above it. When it returns
  /// the new file is on disk under its name. The caller holds a lock: a secret that a killed program leaves has a name
  /// that is known (``remove(_:)``).
  package static func replace(_ path: String, with text: borrowing ByteBuffer) throws(ToolError) {
    let target = try FileTarget.resolve(path)
    try Paths.createDirectory(of: target)
    if let trust = FileTrust.fault(ofFolderOf: target) { throw trust.error }
    try StateFile.replace(target, with: text, isAlone: true)
    try Paths.syncDirectory(of: target)
  }

  /// Removes the file, and what a program has left that was killed while it replaced the file.
  package static func remove(_ path: String) throws(ToolError) {
    for name in [StateFile.temporaryName(of: Paths.real(path) ?? path), path] {
      guard unlink(name) == 0 || errno == ENOENT else {
        throw .inputOutput("cannot remove '\(name)': \(describe(errno: errno))")
      }
    }
  }
}
