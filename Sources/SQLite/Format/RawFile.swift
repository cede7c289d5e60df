import CSQLite
import Libc
import TweetCore

/// A file that is read at any offset.
package final class RawFile {
  private let file: Descriptor
  package let size: Int

  /// `nil` if it cannot be opened.
  package init?(_ path: String) {
    guard let file = Descriptor(path, O_RDONLY) else { return nil }
    size = stat(of: file.number)?.size ?? 0
    self.file = file
  }

  /// `nil` if the file does not have this many bytes there, or they cannot be read.
  package func bytes(at offset: Int, count: Int) -> [UInt8]? {
    guard offset >= 0, offset <= size - count else { return nil }
    let bytes = readBytes(file.number, at: offset, count: count)
    return bytes.count == count ? bytes : nil
  }

  /// The next range of bytes from an offset on that the file system keeps; `nil` if there is none. The others are
  /// zeros, and may be as many as a file system can count.
  func data(from offset: Int) -> Range<Int>? {
    guard offset < size else { return nil }
    let start = lseek(file.number, off_t(offset), tw_seek_data)
    if start < 0 { return errno == ENXIO ? nil : offset..<size }
    let end = lseek(file.number, start, tw_seek_hole)
    return Int(start)..<(end > start ? min(Int(end), size) : size)
  }

  /// Whether another process has locked a byte of it (POSIX, fcntl()).
  func isLocked(at offset: off_t) -> Bool {
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    lock.l_start = offset
    lock.l_len = 1
    return fcntl(file.number, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  /// Whether its first bytes are those of a database (https://sqlite.org/fileformat.html §1.3).
  package var beginsAsDatabase: Bool { bytes(at: 0, count: Self.magic.count) == Self.magic }

  private static let magic = Array("SQLite format 3\0".utf8)
}
