import Libc
package import TweetCore

/// A temporary file without a name. It holds what another program reads, or has written. The kernel
/// removes it at the end of the process, also after a crash.
package struct UnnamedFile: ~Copyable {
  /// Open for reading and writing.
  package let descriptor: Int32

  /// - Throws: ``ToolError/cannotCreate(_:)``.
  package init() throws(ToolError) {
    let directory = Paths.stateDirectory
    try Paths.createDirectory(directory)
    descriptor = try NamelessFile.open(in: directory, prefix: Self.prefix)
  }

  /// One that holds these bytes, for a program to read from the beginning.
  /// - Throws: ``ToolError/cannotCreate(_:)``, or the error of writing.
  package static func holding(_ bytes: [UInt8]) throws(ToolError) -> UnnamedFile {
    let file = try UnnamedFile()
    let failure = writeAll(bytes, to: file.descriptor)
    if failure != 0 { throw writeError(failure, to: "a file") }
    file.rewind()
    return file
  }

  deinit { close(descriptor) }

  /// What the name begins with that it has for a moment.
  private static let prefix = "held."

  /// Removes files of processes that were killed in that moment. A file of one that lives loses its name a little
  /// early.
  package static func removeAbandoned() {
    NamelessFile.removeAbandoned(in: Paths.stateDirectory, prefix: prefix)
  }

  /// Whether nothing was written.
  package var isEmpty: Bool { lseek(descriptor, 0, SEEK_END) <= 0 }

  /// Sets the position to the beginning or, in a file longer than `bytes`, to that many bytes before the end.
  package func rewind(toLast bytes: Int? = nil) {
    let size = lseek(descriptor, 0, SEEK_END)
    lseek(descriptor, max(0, size - off_t(bytes ?? .max)), SEEK_SET)
  }
}
