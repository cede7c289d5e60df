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
    try Data(contents).write(to: url)
    return url.path
  }

  @discardableResult
  package func write(_ name: String, _ contents: String) throws -> String {
    try write(name, Array(contents.utf8))
  }

  /// Writes a program that the user may run; gives its absolute path.
  ///
  /// No file can be run while a process has it open for writing (ETXTBSY), and a process that another test starts
  /// meanwhile has what this one has open until it runs its own program. So cp(1) writes the file.
  @discardableResult
  package func program(_ name: String, _ script: String) throws -> String {
    let draft = try write(name + ".draft", script)
    chmod(draft, 0o700)
    let target = path + "/" + name
    let copied = try Tool.run("/bin/cp", [draft, target])
    guard copied.status == 0 else { throw POSIXError(.EIO) }
    unlink(draft)
    return target
  }

  /// The bytes of a file below the directory.
  package func read(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
  }

  package func exists(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: path + "/" + name)
  }
}
