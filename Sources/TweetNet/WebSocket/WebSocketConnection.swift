import CCurl
import Libc
package import TweetCore

/// A WebSocket on a connection that libcurl made and left to us (CURLOPT_CONNECT_ONLY): its name, proxy, addresses and
/// TLS are as for all other transfers. libcurl's own WebSockets are not in the libraries of many systems.
///
/// It never waits: ``advance(into:)`` goes on until nothing more can be sent or received. Only then may the socket be
/// waited for, since TLS may hold bytes that the kernel knows nothing of.
final class WebSocketConnection {
  private enum State {
    case opening(WebSocketHandshake)
    case open
    /// Our close frame goes out; then this is the end.
    case closing(Result<HTTPResponse, TransferError>)
    case ended(Result<HTTPResponse, TransferError>)
  }

  /// Milliseconds for the answer to the request, and for sending the last frame.
  private static let openingTime = 30_000
  private static let closingTime = 2_000
  /// Bytes that may wait to be sent: a server that pings without reading the answers gets no more of them.
  private static let longestOutput = 4 << 10
  private static let readSize = 128 << 10

  private let handle: UnsafeMutableRawPointer
  let descriptor: Int32
  private var state: State
  private var reader: WebSocketReader
  private var output: [UInt8]
  private var deadline: Int
  /// The head of the answer, until it was told.
  private var start: HTTPResponse?
  private var buffer = [UInt8](repeating: 0, count: WebSocketConnection.readSize)
  /// Whether bytes came since it was last asked.
  private(set) var hasActivity = false
  private let failure: (CURLcode) -> TransferError

  /// - Parameters:
  ///   - handle: an easy handle whose connection stands, and which stays in its multi handle.
  ///   - request: with what authorizes it.
  ///   - failure: says what libcurl's code means.
  /// - Returns: `nil` if libcurl has no connection.
  init?(
    _ handle: UnsafeMutableRawPointer, _ request: HTTPRequest, _ offer: WebSocketOffer,
    failure: @escaping (CURLcode) -> TransferError
  ) {
    var socket: curl_socket_t = -1
    guard let address = request.address, tw_curl_get_socket(handle, &socket) == CURLE_OK, socket >= 0 else {
      return nil
    }
    (self.handle, descriptor, self.failure) = (handle, socket, failure)
    let handshake = WebSocketHandshake(offer, url: address.url)
    output = handshake.request(to: address, request.headers)
    state = .opening(handshake)
    reader = WebSocketReader(maxMessage: offer.maxMessage)
    deadline = MonotonicClock.milliseconds + Self.openingTime
  }

  /// Whether there are bytes that could not be sent.
  var wantsToSend: Bool { !output.isEmpty }

  /// How it ended; `nil` while it lasts.
  var outcome: Result<HTTPResponse, TransferError>? { if case .ended(let outcome) = state { outcome } else { nil } }

  /// Milliseconds until it has taken too long to open or to close; `nil` while it is open.
  func timeLeft(at now: Int) -> Int? { if case .open = state { nil } else { deadline - now } }

  /// What ends it when the time is up.
  func timeout(host: String) -> TransferError {
    if case .closing(let outcome) = state {
      if case .failure(let error) = outcome { return error }
      return TransferError(.lostConnection, "the server closed the WebSocket")
    }
    return TransferError(.timeout, "'\(host)' does not answer the request for a WebSocket")
  }

  /// The answer's head, once after the WebSocket has opened.
  func drainStart() -> HTTPResponse? {
    defer { start = nil }
    return start
  }

  func drainActivity() -> Bool {
    defer { hasActivity = false }
    return hasActivity
  }

  /// Sends and receives what can be without waiting, and appends the messages that are whole, each as
  /// ``HTTPRequest/webSocket`` says.
  func advance(into messages: inout [UInt8]) {
    while outcome == nil {
      send()
      if case .closing(let outcome) = state {
        if output.isEmpty { state = .ended(outcome) }
        return
      }
      // The rest is received when these are delivered.
      guard messages.count < Transfer.batch, receive(into: &messages) else { return }
    }
  }

  private func send() {
    while !output.isEmpty {
      var sent = 0
      let code = output.withUnsafeBytes { curl_easy_send(handle, $0.baseAddress, $0.count, &sent) }
      if code == CURLE_AGAIN { return }
      guard code == CURLE_OK, sent > 0 else {
        output = []
        // What the server said before it went away is still to be read.
        return
      }
      output.removeFirst(sent)
    }
  }

  /// - Returns: whether to go on at once.
  private func receive(into messages: inout [UInt8]) -> Bool {
    var count = 0
    let code = buffer.withUnsafeMutableBytes { curl_easy_recv(handle, $0.baseAddress, $0.count, &count) }
    if code == CURLE_AGAIN { return false }
    guard code == CURLE_OK else {
      state = .ended(.failure(failure(code)))
      return false
    }
    guard count > 0 else {
      recordEnd()
      return false
    }
    hasActivity = true
    // Moved out meanwhile, because reading changes self.
    var received: [UInt8] = []
    swap(&received, &buffer)
    received.withBytes { read($0.extracting(..<count), into: &messages) }
    swap(&received, &buffer)
    return outcome == nil
  }

  /// The server has closed the connection without a close frame.
  private func recordEnd() {
    guard case .opening(var handshake) = state else {
      let error = TransferError(.lostConnection, "the server closed the connection without saying why")
      return state = .ended(.failure(error))
    }
    do throws(TransferError) {
      state = .ended(.success(try handshake.end()))
    } catch {
      state = .ended(.failure(error))
    }
  }

  private func read(_ bytes: ByteView, into messages: inout [UInt8]) {
    guard case .opening(var handshake) = state else { return readFrames(bytes, into: &messages) }
    // A state holds it alone, so that appending does not copy what came before.
    state = .open
    do throws(TransferError) {
      switch try handshake.append(bytes) {
      case .needsMore: state = .opening(handshake)
      case .refused(let answer): state = .ended(.success(answer))
      case .open(let answer, let rest):
        start = answer
        // Messages often come with the answer.
        rest.withBytes { readFrames($0, into: &messages) }
      }
    } catch {
      state = .ended(.failure(error))
    }
  }

  private func readFrames(_ bytes: ByteView, into messages: inout [UInt8]) {
    do throws(WebSocketReader.Fault) {
      var end: (code: Int?, reason: String)?
      var pongs: [[UInt8]] = []
      try reader.append(bytes) { event in
        switch event {
        case .message(let message, let isText): WebSocketMessage.append(message, isText: isText, to: &messages)
        case .ping(let payload): pongs.append(payload)
        case .close(let code, let reason): end = (code, reason)
        }
      }
      for payload in pongs where output.count < Self.longestOutput { output += WebSocketFrame.pong(payload) }
      if let end { close(end.code, Self.result(of: end.code, end.reason)) }
    } catch {
      close(error.code, .failure(TransferError(.protocolError, "the server breaks WebSocket's rules: \(error.text)")))
    }
  }

  /// 1000 and 1001 are ends in good order (RFC 6455 §7.4.1).
  private static func result(of code: Int?, _ reason: String) -> Result<HTTPResponse, TransferError> {
    let answer = HTTPResponse(status: 101, url: "")
    guard let code, code != 1000, code != 1001 else { return .success(answer) }
    let text = "the server closed the WebSocket with code \(code)" + (reason.isEmpty ? "" : ": \(reason)")
    return .failure(TransferError(.lostConnection, text))
  }

  private func close(_ code: Int?, _ outcome: Result<HTTPResponse, TransferError>) {
    guard case .open = state else { return }
    output += WebSocketFrame.close(code)
    state = .closing(outcome)
    deadline = MonotonicClock.milliseconds + Self.closingTime
  }

  /// Says that nothing more is wanted. The server answers with a close frame, and what it sent before that still comes.
  func closeSending() {
    guard case .open = state else { return }
    output += WebSocketFrame.close(1000)
    send()
  }

  /// The same before the connection is cut, as far as the frame can be sent at once.
  func sayGoodbye() {
    guard case .open = state, output.isEmpty else { return }
    closeSending()
  }
}

/// How the messages of a WebSocket stand in `.data` events: whether it is text (one byte), its length (four bytes, the
/// lowest first), the message.
package enum WebSocketMessage {
  package static let headLength = 5

  package static func append(_ message: ByteView, isText: Bool, to bytes: inout [UInt8]) {
    bytes.append(isText ? 1 : 0)
    for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: message.count >> shift)) }
    bytes.append(contentsOf: message)
  }

  /// Calls `body` for each message of an event.
  package static func forEach<E: Error>(
    in bytes: ByteView, _ body: (ByteView, _ isText: Bool) throws(E) -> Void
  ) throws(E) {
    var at = 0
    while bytes.count - at >= headLength {
      let length = (1...4).reversed().reduce(0) { $0 << 8 | Int(bytes[at + $1]) }
      let start = at + headLength
      guard bytes.count - start >= length else { return }
      try body(bytes.extracting(start..<start + length), bytes[at] == 1)
      at = start + length
    }
  }
}
