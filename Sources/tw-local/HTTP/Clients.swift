import Libc
import Synchronization

/// The clients that are connected, without those that read a stream: as many as the service serves at a time. Where one
/// more comes, the one that has been silent for longest goes.
final class Clients: Sendable {
  private enum Client {
    /// A request, or the rest of one, is awaited. The number grows with the time at which its last byte came.
    case silent(since: Int)
    case answered
  }

  private struct State {
    /// By their sockets.
    var clients: [Int32: Client] = [:]
    var now = 0

    mutating func wait(_ socket: Int32) {
      now += 1
      clients[socket] = .silent(since: now)
    }
  }

  /// Far more than a pipeline opens.
  private static let limit = 256

  private let state = Mutex(State())

  /// Adds a client, of which a request is awaited.
  /// - Returns: false where there are too many, and all of them are being answered.
  func add(_ socket: Int32) -> Bool {
    state.withLock { state in
      if state.clients.count >= Self.limit {
        var idlest: (socket: Int32, since: Int)?
        for case (let socket, .silent(let since)) in state.clients where since < idlest?.since ?? .max {
          idlest = (socket, since)
        }
        guard let idlest else { return false }
        state.clients[idlest.socket] = nil
        // Its task finds that the client has left, and closes the socket. Before that it calls `remove`, so the number
        // is still that of this socket.
        shutdown(idlest.socket, Int32(SHUT_RDWR))
      }
      state.wait(socket)
      return true
    }
  }

  /// Something has come of a client, or its answer has been sent.
  func hear(_ socket: Int32) {
    state.withLock { state in if state.clients[socket] != nil { state.wait(socket) } }
  }

  /// A request is there as a whole.
  /// - Returns: false if the client had to go: nothing may be done for it, since it would not hear of that.
  func begin(_ socket: Int32) -> Bool {
    state.withLock { state in
      guard state.clients[socket] != nil else { return false }
      state.clients[socket] = .answered
      return true
    }
  }

  /// The client leaves, or begins to read a stream. Streams have a limit of their own, since who opens one is known.
  func remove(_ socket: Int32) { state.withLock { $0.clients[socket] = nil } }

  /// Takes a client back whose stream has ended, also where there are too many.
  func takeBack(_ socket: Int32) { state.withLock { $0.clients[socket] = .answered } }
}
