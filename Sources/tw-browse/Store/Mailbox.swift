import Libc
import Synchronization
import TweetCore

/// What one thread hands to another, in order.
final class Mailbox<Item: Sendable>: Sendable {
  private let items = Mutex<[Item]>([])
  private let pipe: (reading: Int32, writing: Int32)

  /// - Parameter waits: whether ``takeAll()`` waits until there is something.
  init(waits: Bool) throws(ToolError) {
    pipe = try makePipe()
    if !waits { _ = fcntl(pipe.reading, F_SETFL, O_NONBLOCK) }
  }

  deinit {
    close(pipe.reading)
    close(pipe.writing)
  }

  /// For poll(2): readable when there is something.
  var descriptor: Int32 { pipe.reading }

  func put(_ item: Item) {
    let wasEmpty = items.withLock { list in
      list.append(item)
      return list.count == 1
    }
    guard wasEmpty else { return }
    var byte: UInt8 = 1
    _ = write(pipe.writing, &byte, 1)
  }

  /// All that was put in since.
  func takeAll() -> [Item] {
    // A pipe that cannot be read has nothing.
    do throws(ToolError) { _ = try readSome(pipe.reading, name: "a pipe") } catch { return [] }
    return items.withLock { list in
      defer { list = [] }
      return list
    }
  }
}
