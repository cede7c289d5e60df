import Libc

/// A new file that will replace another one, whose room on the disk is taken before it is known what will be in it. So
/// a disk that is full is found out while nothing is lost by it.
package final class ReservedFile {
  private let path: String
  private let descriptor: Int32
  private var isCommitted = false

  /// The caller holds a lock, as for ``StateFile/replace(_:with:isAlone:)``.
  ///
  /// - Parameters:
  ///   - path: the file that is to be replaced.
  ///   - room: bytes.
  package init(replacing path: String, room: Int) throws(ToolError) {
    self.path = try FileTarget.resolve(path)
    let name = StateFile.temporaryName(of: self.path)
    unlink(name)
    descriptor = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
    // File systems that only promise the room have it after a sync.
    try write([UInt8](repeating: 0, count: room))
  }

  deinit {
    if !isCommitted { unlink(StateFile.temporaryName(of: path)) }
    close(descriptor)
  }

  /// Writes the text, and puts the file in the place of the other one.
  package func commit(_ text: [UInt8]) throws(ToolError) {
    try write(text)
    guard rename(StateFile.temporaryName(of: path), path) == 0 else { throw fault }
    isCommitted = true
  }

  private func write(_ bytes: [UInt8]) throws(ToolError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        pwrite(descriptor, $0.baseAddress?.advanced(by: written), bytes.count - written, off_t(written))
      }
      guard count > 0 || errno == EINTR else { throw fault }
      written += max(0, count)
    }
    guard ftruncate(descriptor, off_t(bytes.count)) == 0, fsync(descriptor) == 0 else { throw fault }
  }

  private var fault: ToolError { .inputOutput("cannot write '\(path)': \(describe(errno: errno))") }
}
