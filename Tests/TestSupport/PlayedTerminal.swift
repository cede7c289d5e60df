import CTestSupport
import Foundation
import Synchronization

/// A terminal that keeps what is written to it, and from which nothing comes.
package final class PlayedTerminal: Sendable {
  /// Of the device.
  package let path: String
  private let written = Mutex<[UInt8]>([])

  package init(rows: Int, columns: Int) throws {
    var name = [CChar](repeating: 0, count: 128)
    let master = tw_open_terminal(Int32(rows), Int32(columns), &name, name.count)
    guard master >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    // It ends when the last program has closed the terminal.
    Thread.detachNewThread { [self] in
      var bytes = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        let count = read(master, &bytes, bytes.count)
        if count <= 0 { break }
        written.withLock { $0 += bytes[..<count] }
      }
      close(master)
    }
  }

  /// What was written so far.
  package var output: String { String(decoding: written.withLock { $0 }, as: UTF8.self) }
}
