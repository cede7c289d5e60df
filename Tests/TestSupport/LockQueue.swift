import Foundation

/// Who waits for the lock of a database of the kit: the bytes after the first one of its lock file.
package enum LockQueue {
  /// How many wait, at most 20.
  /// - Parameter database: the path of the database file; the lock file is beside it.
  package static func count(of database: String) throws -> Int {
    let descriptor = open(database + ".lock", O_RDWR | O_CLOEXEC)
    guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    defer { close(descriptor) }
    var count = 0
    for byte in 1...20 {
      var lock = flock()
      lock.l_type = Int16(F_WRLCK)
      lock.l_whence = Int16(SEEK_SET)
      lock.l_start = off_t(byte)
      lock.l_len = 1
      guard fcntl(descriptor, F_GETLK, &lock) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
      if lock.l_type != Int16(F_UNLCK) { count += 1 }
    }
    return count
  }
}
