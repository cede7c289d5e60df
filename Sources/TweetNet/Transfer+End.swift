import CCurl
import Libc
import TweetCore

/// Delivery, silence and the end.
extension Transfer {
  /// Whether the body is delivered as events.
  var isStreamed: Bool { request.streaming && response.isSuccess }

  /// The answer without its body, for the `.started` event; `nil` before it is there, and after it was returned once.
  func drainStart() -> HTTPResponse? {
    guard hasStarted else { return nil }
    hasStarted = false
    return response
  }

  /// Removes the pending part of a streamed body and returns it.
  func drainPending() -> [UInt8] {
    defer { pending = [] }
    return pending
  }

  /// Continues a transfer that was paused until its pending bytes were delivered.
  func resume() {
    guard isPaused else { return }
    isPaused = false
    curl_easy_pause(handle, CURLPAUSE_CONT)
  }

  /// Begins the WebSocket on the connection that libcurl has made.
  /// - Returns: `false` if there is none, and the transfer has ended.
  func beginWebSocket() -> Bool {
    guard let offer = request.webSocket, webSocket == nil else { return false }
    isSending = true
    webSocket = WebSocketConnection(handle, authorized, offer) { [unowned self] in failure($0) }
    return webSocket != nil
  }

  /// Sends and receives on the WebSocket what can be without waiting.
  /// - Returns: its end; `nil` while it lasts.
  func advanceWebSocket() -> Result<HTTPResponse, TransferError>? {
    guard let webSocket else { return nil }
    webSocket.advance(into: &pending)
    hasActivity = webSocket.drainActivity() || hasActivity
    if let start = webSocket.drainStart() {
      response = start
      hasStarted = true
    }
    guard let outcome = webSocket.outcome else { return nil }
    return outcome.map { answer in
      var answer = answer
      answer.secrets = authorized.secrets
      return answer
    }.mapError { error in
      var error = error.through(environmentProxy).sent(isSending)
      error.isInsideAnswer = response.status == 101
      return error
    }
  }

  /// Closes the connection's sending half. A server that notices ends its answer; what it has sent by then still comes.
  func closeSending() {
    if let webSocket { return webSocket.closeSending() }
    var socket: curl_socket_t = -1
    if tw_curl_get_socket(handle, &socket) == CURLE_OK, socket >= 0 { shutdown(socket, Int32(SHUT_WR)) }
  }

  /// Milliseconds from `now` until the server counts as silent; `nil` when the request has no silence time-out.
  func silenceLeft(at now: Int) -> Int? {
    if hasActivity { (lastActivity, hasActivity) = (now, false) }
    if let left = webSocket?.timeLeft(at: now) { return left }
    guard let limit = request.silenceTimeout, let lastActivity else { return nil }
    return lastActivity + limit - now
  }

  func silenceError() -> TransferError {
    if let webSocket, webSocket.timeLeft(at: 0) != nil {
      return webSocket.timeout(host: target.host).through(environmentProxy).sent(isSending)
    }
    return TransferError(.silence, "nothing came from '\(target.host)' for \((request.silenceTimeout ?? 0) / 1000) s")
      .through(environmentProxy)
  }

  /// The outcome of a transfer that libcurl has ended.
  func finish(_ result: CURLcode) -> Result<HTTPResponse, TransferError> {
    // One address of the host may be refused, and another one, tried before, still answer.
    if let stopReason, result != CURLE_OK { return .failure(stopReason.sent(isSending)) }
    if request.acceptsPartialBody, isHeadComplete { response.truncated = response.truncated || result != CURLE_OK }
    guard result == CURLE_OK || response.truncated else {
      var error = failure(result)
      error.isInsideAnswer = isHeadComplete && response.isSuccess
      return .failure(error)
    }
    // libcurl reports success when the connection is closed in good order inside the head.
    guard isHeadComplete else {
      return .failure(TransferError(.lostConnection, "the connection ended inside the head"))
    }
    readStatus()
    response.secrets = authorized.secrets
    var seconds: curl_off_t = 0
    if tw_curl_get_offset(handle, CURLINFO_RETRY_AFTER, &seconds) == CURLE_OK, seconds > 0 {
      response.retryAfter = Int(seconds)
    }
    var url: UnsafePointer<CChar>?
    if tw_curl_get_string(handle, CURLINFO_EFFECTIVE_URL, &url) == CURLE_OK, let url {
      response.url = String(cString: url)
    }
    return .success(response)
  }

  func readStatus() {
    var status = 0
    if tw_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK { response.status = status }
  }

  func failure(_ result: CURLcode) -> TransferError {
    var systemError = 0
    tw_curl_get_long(handle, CURLINFO_OS_ERRNO, &systemError)
    var verification = 0
    tw_curl_get_long(handle, CURLINFO_SSL_VERIFYRESULT, &verification)
    let detail = String(cString: errorText)
    var error = TransferError(result: result, systemError: systemError, target: target, detail: detail)
    // The connection was to be one to the proxy.
    if case .explicit(let proxy) = request.proxy, usesProxy, result == CURLE_COULDNT_CONNECT {
      error = TransferError(.proxy, "cannot connect to the proxy '\(EnvironmentProxy.address(in: proxy))'")
    }
    error.tlsFault = .init(result: result, verification: verification, detail: detail)
    return error.through(environmentProxy).sent(isSending)
  }
}
