import Libc
import TweetCore

/// A copy of a pipe's bytes in a file without a name, for formats that cannot be read from front to back.
enum SeekableCopy {
  /// Copies a pipe to its end, into `$TMPDIR` or `/tmp`.
  /// - Parameters:
  ///   - head: bytes that were already read from it.
  ///   - name: of the input, for messages.
  /// - Returns: a descriptor that the caller closes. The file goes away with it.
  static func make(of source: Int32, head: [UInt8], name: String) throws(ToolError) -> Int32 {
    let folder = Paths.temporary
    let file = try NamelessFile.open(in: folder, prefix: "tw-")
    do throws(ToolError) {
      try copy(head, source, to: file, name: name, folder: folder)
    } catch {
      close(file)
      throw error
    }
    return file
  }

  private static func copy(_ head: [UInt8], _ source: Int32, to file: Int32, name: String, folder: String)
    throws(ToolError)
  {
    var piece = head
    while !piece.isEmpty {
      let failure = writeAll(piece, to: file)
      if failure != 0 { throw .inputOutput("cannot write to a file in '\(folder)': \(describe(errno: failure))") }
      repeat {
        guard let got = try readSome(source, name: name) else { continue }
        piece = got
        break
      } while Interruption.signal == nil
      if Interruption.signal != nil { return }
    }
  }
}
