import Foundation
import Synchronization

/// A new empty directory that goes away with its last reference.
package final class TemporaryDirectory: Sendable {
  /// Its absolute path, symbolic links resolved, without a slash at its end.
  package let path: String

  package init() throws {
    var template = Array((FileManager.default.temporaryDirectory.path + "/tw-test-XXXXXX").utf8CString)
    guard mkdtemp(&template) != nil, let real = realpath(template, nil) else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    defer { free(real) }
    path = String(cString: real)
  }

  deinit {
    // A test may have taken away rights to see what happens; folders get theirs back, or the directory stays. Files
    // need none to be removed, and may be links to the tools.
    if let names = FileManager.default.enumerator(atPath: path) {
      for case let name as String in names where names.fileAttributes?[.type] as? FileAttributeType == .typeDirectory {
        chmod(path + "/" + name, 0o700)
      }
    }
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file below the directory, making the folders on the way; gives its absolute path.
  @discardableResult
  package func write(_ name: String, _ contents: [UInt8]) throws -> String {
    let url = URL(fileURLWithPath: path + "/" + name)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    // A tool started meanwhile would inherit the open file, and a script cannot be run while anyone may write to it.
    try RunningTool.starting.withLock { _ in try Data(contents).write(to: url) }
    return url.path
  }

  @discardableResult
  package func write(_ name: String, _ contents: String) throws -> String {
    try write(name, Array(contents.utf8))
  }

  /// The bytes of a file below the directory.
  package func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
  }

  package func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: path + "/" + name)
  }
}
