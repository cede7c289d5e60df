import Libc
package import TweetCore

/// A folder in `$TMPDIR` that only this user can read. Whoever made it removes it.
package struct TemporaryFolder {
  /// Without a slash at its end.
  package let path: String

  /// - Parameter name: what its name begins with, such as `tw-local`.
  /// - Throws: ``ToolError/cannotCreate(_:)``.
  package init(_ name: String) throws(ToolError) {
    let parent = Paths.temporary
    var template = Array("\(parent)/\(name).XXXXXX".utf8CString)
    // mkdtemp(3) makes it with mode 0700.
    guard mkdtemp(&template) != nil else {
      throw .cannotCreate("cannot make a folder in '\(parent)'", errno)
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Removes the folder and everything in it.
  package func remove() {
    if let error = Self.remove(path) { Diagnostics.warn("cannot remove '\(path)': \(describe(errno: error))") }
  }

  /// Removes a file or folder; links are not followed. Returns the first `errno`, `nil` on success.
  private static func remove(_ path: String) -> Int32? {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno }
    guard status.st_mode & S_IFMT == S_IFDIR else { return unlink(path) == 0 ? nil : errno }
    guard let names = Directory.names(in: path) else { return errno }
    var error: Int32?
    for name in names { error = remove(path + "/" + name) ?? error }
    return rmdir(path) == 0 ? error : error ?? errno
  }
}
