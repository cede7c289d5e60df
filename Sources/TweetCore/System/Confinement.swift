import CProcess
import Libc

/// What a process gives up before it reads what strangers made.
package enum Confinement {
  /// Takes from this process new files, sockets and processes, and more memory than it needs, for good. Libraries must
  /// be loaded before.
  /// - Parameters:
  ///   - memory: bytes of address space, what is used already included.
  ///   - fileSize: no file may be written beyond this many bytes.
  /// - Returns: whether the system does it. What a stranger made is not to be decoded otherwise.
  package static func begin(memory: Int, fileSize: Int) -> Bool { tw_confine(memory, fileSize) }

  /// Ends this process by SIGXCPU after this many more seconds of processor time; the next call counts anew.
  package static func allow(processorSeconds: Int) { tw_allow_processor_seconds(UInt32(processorSeconds)) }
}

/// A file without a name in memory, through which two processes hand over bytes that are too many for a pipe: writing
/// them never waits for the other process. Closed at the end of its owner's life.
package struct MemoryFile: ~Copyable {
  /// Open for reading and writing; programs started later do not inherit it.
  package let descriptor: Int32

  /// - Returns: `nil` with `errno` set if there is none.
  package init?() {
    descriptor = tw_memory_file()
    if descriptor < 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Writes bytes to the beginning of such a file.
  /// - Returns: whether all are written; if not, `errno` says why.
  package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { room in
      var done = 0
      while done < room.count {
        let count = pwrite(descriptor, room.baseAddress.map { $0 + done }, room.count - done, off_t(done))
        if count < 0 && errno == EINTR { continue }
        if count <= 0 { return false }
        done += count
      }
      return true
    }
  }

  /// The first `count` bytes of such a file; fewer if it is shorter, since the other process may have shortened it.
  package static func read(_ count: Int, from descriptor: Int32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { room, done in
      done = 0
      while done < count {
        let got = pread(descriptor, room.baseAddress.map { $0 + done }, count - done, off_t(done))
        if got < 0 && errno == EINTR { continue }
        if got <= 0 { return }
        done += got
      }
    }
  }
}
