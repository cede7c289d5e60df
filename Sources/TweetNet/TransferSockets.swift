import CCurl
import Libc
import TweetCore

/// The sockets of libcurl's transfers, and when libcurl is to be called although none is ready. So only the transfers
/// are looked at for which something has happened (curl_multi_socket_action(3)); curl_multi_perform(3) goes over all of
/// them each time, which was a fifth of the instructions of a look-up with 32 at once.
final class TransferSockets {
  private let multi: UnsafeMutableRawPointer
  /// What libcurl waits for.
  private var awaited: [pollfd] = []
  /// What the last ``poll(_:timeout:)`` has found, for libcurl.
  private var ready: [(socket: Int32, events: Int32)] = []
  /// On the monotonic clock, in milliseconds; `nil` for never.
  private var callTime: Int?

  /// - Parameter multi: libcurl's handle, which must not be used any more when this object is gone.
  init(_ multi: UnsafeMutableRawPointer) {
    self.multi = multi
    // Unretained: whoever owns the handle owns this object too.
    tw_curl_multi_set_sockets(
      multi,
      { _, socket, change, context, _ in
        TransferSockets.from(context)?.await(change, of: socket)
        return 0
      },
      { _, milliseconds, context in
        TransferSockets.from(context)?.setTimer(milliseconds)
        return 0
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> TransferSockets? {
    context.map { Unmanaged<TransferSockets>.fromOpaque($0).takeUnretainedValue() }
  }

  private func await(_ change: Int32, of socket: curl_socket_t) {
    let index = awaited.firstIndex { $0.fd == socket }
    if change == CURL_POLL_REMOVE {
      if let index { awaited.remove(at: index) }
      return
    }
    let input = change == CURL_POLL_OUT ? 0 : POLLIN
    let output = change == CURL_POLL_IN ? 0 : POLLOUT
    let entry = pollfd(fd: socket, events: Int16(input) | Int16(output), revents: 0)
    if let index { awaited[index] = entry } else { awaited.append(entry) }
  }

  private func setTimer(_ milliseconds: Int) {
    callTime = milliseconds < 0 ? nil : MonotonicClock.milliseconds + milliseconds
  }

  /// Milliseconds from `now` until ``perform()`` has something to do although no socket is ready.
  func timeLeft(at now: Int) -> Int { callTime.map { max(0, $0 - now) } ?? .max }

  /// Waits until a transfer's socket or one of `others` is ready, or the time is up.
  /// - Parameters:
  ///   - others: further descriptors; their `revents` are set.
  ///   - timeout: in milliseconds.
  func poll(_ others: inout [pollfd], timeout: Int32) {
    let count = awaited.count
    awaited.append(contentsOf: others)
    // A signal, or a lack of memory: nothing is ready.
    let found = Libc.poll(&awaited, nfds_t(awaited.count), timeout)
    for index in others.indices { others[index].revents = found > 0 ? awaited[count + index].revents : 0 }
    awaited.removeLast(others.count)
    if found <= 0 { return }
    for entry in awaited where entry.revents != 0 {
      // An error is found out by reading, as libcurl itself does it.
      let isWritable = entry.revents & Int16(POLLOUT) != 0
      let isReadable = entry.revents & ~Int16(POLLOUT) != 0
      ready.append((entry.fd, (isReadable ? CURL_CSELECT_IN : 0) | (isWritable ? CURL_CSELECT_OUT : 0)))
    }
  }

  /// Lets libcurl do what is to be done.
  func perform() -> CURLMcode {
    var running: Int32 = 0
    let found = ready
    ready.removeAll(keepingCapacity: true)
    for (socket, events) in found {
      let code = curl_multi_socket_action(multi, socket, events, &running)
      if code != CURLM_OK { return code }
    }
    guard timeLeft(at: MonotonicClock.milliseconds) == 0 else { return CURLM_OK }
    // libcurl sets it anew if there is more.
    callTime = nil
    return curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
  }
}
