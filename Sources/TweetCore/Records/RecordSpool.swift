import Libc

/// Bytes that wait on disk until all input has been read: in a file without a name, which goes away with the process.
package final class RecordSpool {
  /// How the name begins that the file may have until it is opened.
  package static let prefix = ".tw-"

  private let folder: String
  private let file: Int32
  private var writer: RecordWriter

  /// - Parameter folder: a directory that may be written, on a disk with room for the whole input.
  package init(in folder: String) throws(ToolError) {
    self.folder = folder
    file = try NamelessFile.open(in: folder, prefix: Self.prefix)
    writer = RecordWriter(descriptor: file, name: "a file in '\(folder)'")
  }

  deinit { close(file) }

  /// How many bytes it holds.
  package var count: Int { writer.position }

  /// Appends bytes.
  /// - Returns: where they are.
  package func append(_ bytes: ByteView) throws(ToolError) -> Int {
    let offset = writer.position
    try writer.write(lines: bytes)
    return offset
  }

  /// Appends what `body` writes.
  package func append(_ body: (inout ByteBuffer) -> Void) throws(ToolError) {
    body(&writer.buffer)
    try writer.flushIfLarge()
  }

  /// Brings all bytes into the file. Nothing is read before.
  package func finish() throws(ToolError) { try writer.flush() }

  /// Reads bytes that were appended; `count` of them are there.
  package func read(at offset: Int, count: Int) throws(ToolError) -> [UInt8] {
    let bytes = readBytes(file, at: offset, count: count)
    if bytes.count == count { return bytes }
    throw .inputOutput("cannot read a file in '\(folder)': \(describe(errno: errno == 0 ? EIO : errno))")
  }
}
