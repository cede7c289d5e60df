import Libc

/// How many bytes a pipe holds.
package enum PipeSize {
  /// What Linux allows without privileges (pipe(7), /proc/sys/fs/pipe-max-size).
  private static let largest: Int32 = 1 << 20
  // F_SETPIPE_SZ and F_GETPIPE_SZ of fcntl(2), which Glibc's module leaves out.
  private static let (setSize, getSize): (Int32, Int32) = (1031, 1032)

  /// Makes a pipe as large as anyone may make it, so that its two ends wait for each other less often. With 64 KiB, the
  /// usual size, `cat FILE | tw-parse` takes twice as long.
  ///
  /// - Parameter descriptor: either end. What is not a pipe, and a pipe that may not be made larger, stay as they are.
  /// - Returns: the bytes that it holds now; `nil` where the system does not say.
  @discardableResult
  package static func enlarge(_ descriptor: Int32) -> Int? {
    #if os(Linux)
      let size = fcntl(descriptor, getSize)
      if size >= 0, size < largest { _ = fcntl(descriptor, setSize, largest) }
      let now = fcntl(descriptor, getSize)
      return now > 0 ? Int(now) : nil
    #else
      return nil
    #endif
  }
}
