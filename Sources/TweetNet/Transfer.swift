import CCurl
import Libc
import TweetCore

/// One request on one libcurl easy handle: its options, and what was received so far.
///
/// It is a class because libcurl's callbacks reach it through a pointer. They run only inside `curl_multi_perform` and
/// `curl_easy_pause`, on the loop's thread.
final class Transfer {
  let request: HTTPRequest
  /// The value of the field `Authorization` that is sent.
  private(set) var authorization: Secret?
  let handle: UnsafeMutableRawPointer
  private(set) var response: HTTPResponse
  /// The part of a streamed body that is not delivered as an event yet.
  private(set) var pending: [UInt8] = []
  /// Whether the transfer is paused because enough is pending: libcurl would read a hundred buffers in one go.
  private var isPaused = false
  /// Whether the final header block of a streaming request is complete, and not delivered yet.
  private var hasStarted = false
  /// Whether the header block of the final answer is complete.
  private var isHeadComplete = false
  /// When bytes were last seen to have come, by `MonotonicClock`.
  private var lastActivity = 0
  /// Whether more came since then: pieces are many, so the clock is not read at each.
  private var hasActivity = false
  private var bytesOnWire: curl_off_t = 0
  private var headerBytes = 0
  /// Why a callback of ours made libcurl stop, which libcurl's own code does not say.
  private var stopReason: TransferError?
  private var target = HostPort(host: "", port: 0)
  private var environmentProxy: EnvironmentProxy?
  private var checksAddress = true
  private var needsLoopback = false
  private var list: UnsafeMutablePointer<curl_slist>?
  private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// How many bytes are delivered at a time: they stay in the processor's cache until they are written out (measured:
  /// megabytes at a time take twice as long).
  private static let batch = 512 << 10

  /// How many bytes of a stream libcurl reads at a time. More bytes mean fewer system calls and a sender that wakes less
  /// often (measured: half the system time of 64 KiB), but libcurl copies what it read beyond a batch.
  private static let readSize = 128 << 10

  /// Far above any real answer's. libcurl bounds the length of one line, not their sum.
  private static let maxHeaderBytes = 256 << 10

  /// - Returns: `nil` when libcurl is out of memory.
  init?(_ request: HTTPRequest) {
    guard let handle = curl_easy_init() else { return nil }
    self.request = request
    self.handle = handle
    response = HTTPResponse(status: 0, headers: HTTPHeaders(), url: request.url)
    errorText.pointee = 0
  }

  deinit {
    curl_easy_cleanup(handle)
    curl_slist_free_all(list)
    errorText.deallocate()
  }

  // MARK: Options

  /// Sets every option. To be called once, just before the transfer starts.
  func prepare() throws(TransferError) {
    guard let address = WebAddress(request.url) else { throw TransferError(.badURL, "not an http or https URL") }
    target = HostPort(host: address.host, port: address.port)
    if request.credential != nil || !request.secrets.isEmpty, address.scheme != "https" {
      guard address.isLoopback else {
        throw TransferError(.insecureCredential, "credentials are sent only over https or to this machine")
      }
      needsLoopback = true
    }
    authorization = try request.credential?.field(for: request)
    tw_curl_only_http(handle)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    try set(CURLOPT_URL, address.url)
    try set(CURLOPT_USERAGENT, Version.userAgent)
    // The empty string means every encoding that libcurl can decode.
    try set(CURLOPT_ACCEPT_ENCODING, "")
    if let caFile = request.caFile { try set(CURLOPT_CAINFO, caFile) }
    if let milliseconds = request.connectTimeout { set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds) }
    if request.needsFreshConnection { set(CURLOPT_FRESH_CONNECT, 1) }
    if let milliseconds = request.totalTimeout { set(CURLOPT_TIMEOUT_MS, milliseconds) }
    if request.streaming {
      set(CURLOPT_TCP_KEEPALIVE, 1)
      set(CURLOPT_BUFFERSIZE, Self.readSize)
    }
    try setProxy(for: address)
    try setMethod()
    try setHeaders()
    setCallbacks()
    lastActivity = MonotonicClock.milliseconds
  }

  private func setProxy(for address: WebAddress) throws(TransferError) {
    switch request.proxy {
    case .environment where !address.isLoopback: environmentProxy = EnvironmentProxy(for: address)
    case .explicit(let proxy) where !address.isLoopback:
      try set(CURLOPT_PROXY, proxy)
      // Without this, hosts of the environment's `no_proxy` are reached directly, and their addresses are not checked.
      try set(CURLOPT_NOPROXY, "")
      // The socket goes to the proxy, so only an address that the URL itself spells out can be checked.
      checksAddress = false
      let literal = IPAddress(address.host)
      let isName = literal == nil && address.host != "localhost" && !address.host.hasSuffix(".localhost")
      guard isName || request.addresses.allows(literal, target: target) else { throw privateAddress(address.host) }
    default:
      // The empty string switches the environment's proxies off: a request to loopback does not leave this machine.
      try set(CURLOPT_PROXY, "")
    }
  }

  private func setMethod() throws(TransferError) {
    switch request.method {
    case .get: set(CURLOPT_HTTPGET, 1)
    case .head: set(CURLOPT_NOBODY, 1)
    case .post:
      set(CURLOPT_POST, 1)
      let body = request.body ?? []
      let code = body.withUnsafeBytes { tw_curl_set_post_body(handle, $0.baseAddress, curl_off_t($0.count)) }
      guard code == CURLE_OK else { throw failure(code) }
    case .delete: try set(CURLOPT_CUSTOMREQUEST, "DELETE")
    }
  }

  private func setHeaders() throws(TransferError) {
    var fields = request.headers
    if let authorization { fields.append(HTTPHeader("Authorization", authorization.exposed)) }
    for field in fields {
      let isClean = [field.name, field.value].joined().utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
      guard isClean else { throw TransferError(.protocolError, "header '\(field.name)' has a control character") }
      try append("\(field.name): \(field.value)")
    }
    // Without this libcurl waits up to a second for a "100 Continue" before it sends a larger body.
    if request.method == .post { try append("Expect:") }
    tw_curl_set_pointer(handle, CURLOPT_HTTPHEADER, list)
  }

  private func append(_ line: String) throws(TransferError) {
    guard let longer = curl_slist_append(list, line) else { throw failure(CURLE_OUT_OF_MEMORY) }
    list = longer
  }

  private func setCallbacks() {
    // Unretained: the loop keeps the transfer alive until libcurl no longer uses its handle.
    let context = Unmanaged.passUnretained(self).toOpaque()
    tw_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
    tw_curl_set_write(
      handle,
      { bytes, size, count, context in
        guard let transfer = Transfer.from(context), let bytes else { return 0 }
        return transfer.receive(body: UnsafeRawBufferPointer(start: bytes, count: size * count))
      }, context)
    tw_curl_set_header(
      handle,
      { bytes, size, count, context in
        guard let transfer = Transfer.from(context), let bytes else { return 0 }
        return transfer.receive(header: UnsafeRawBufferPointer(start: bytes, count: size * count))
      }, context)
    tw_curl_set_open_socket(
      handle,
      { context, _, address in
        guard let transfer = Transfer.from(context), let address else { return CURL_SOCKET_BAD }
        return transfer.openSocket(address)
      }, context)
    guard request.silenceTimeout != nil else { return }
    tw_curl_set_progress(
      handle,
      { context, _, received, _, _ in
        Transfer.from(context)?.countBytes(received)
        return 0
      }, context)
  }

  static func from(_ context: UnsafeMutableRawPointer?) -> Transfer? {
    context.map { Unmanaged<Transfer>.fromOpaque($0).takeUnretainedValue() }
  }

  /// For options that fail only when libcurl is too old to know them.
  private func set(_ option: CURLoption, _ value: Int) {
    tw_curl_set_long(handle, option, value)
  }

  private func set(_ option: CURLoption, _ value: String) throws(TransferError) {
    let code = tw_curl_set_string(handle, option, value)
    guard code == CURLE_OK else { throw failure(code) }
  }
}

// MARK: libcurl's callbacks

extension Transfer {
  private func receive(body bytes: UnsafeRawBufferPointer) -> Int {
    hasActivity = true
    if isStreamed {
      if pending.count >= Self.batch {
        isPaused = true
        return Int(CURL_WRITEFUNC_PAUSE)
      }
      if pending.isEmpty { pending.reserveCapacity(Self.batch + Int(CURL_MAX_WRITE_SIZE)) }
      pending.append(contentsOf: bytes)
      return bytes.count
    }
    let room = request.maxBody - response.body.count
    response.body.append(contentsOf: bytes.prefix(max(0, room)))
    guard bytes.count > room else { return bytes.count }
    response.truncated = true
    // A count that differs from the given one makes libcurl stop.
    return 0
  }

  /// libcurl calls this with one line at a time, its end included. 1xx answers have header blocks of their own.
  private func receive(header bytes: UnsafeRawBufferPointer) -> Int {
    hasActivity = true
    headerBytes += bytes.count
    guard headerBytes <= Self.maxHeaderBytes else {
      stopReason = TransferError(.protocolError, "the header is larger than \(Self.maxHeaderBytes) bytes")
      return 0
    }
    let line = bytes.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
    if line.isEmpty {
      readStatus()
      hasStarted = isStreamed
      // Another block follows that of a 1xx answer.
      isHeadComplete = response.status >= 200
    } else if line.starts(with: "HTTP/".utf8) {
      response.headers = HTTPHeaders()
    } else if let field = HTTPHeader(line: line) {
      response.headers.append(field)
    }
    return bytes.count
  }

  /// Notes that bytes came off the wire: the decoder may release a keep-alive of a compressed stream only later.
  private func countBytes(_ received: curl_off_t) {
    guard received != bytesOnWire else { return }
    bytesOnWire = received
    hasActivity = true
  }

  private func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    if let refusal = tw_curl_address(address).flatMap({ refusal(of: IPAddress($0)) }) {
      stopReason = refusal
      return CURL_SOCKET_BAD
    }
    // An earlier address of the host was refused, but this one is tried: now libcurl's own error counts.
    stopReason = nil
    let descriptor = socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    return descriptor
  }

  private func refusal(of address: IPAddress?) -> TransferError? {
    let isLoopback = address?.isLoopback == true
    if needsLoopback, !isLoopback {
      return TransferError(.insecureCredential, "'\(target.host)' is not this machine")
    }
    guard checksAddress, !request.addresses.allows(address, target: target) else { return nil }
    return privateAddress(address?.description ?? target.host)
  }

  private func privateAddress(_ address: String) -> TransferError {
    TransferError(.privateAddress, "\(address) is not a public address")
  }
}

// MARK: Delivery, silence and the end

extension Transfer {
  /// Whether the body is delivered as events.
  private var isStreamed: Bool { request.streaming && response.isSuccess }

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

  /// Milliseconds from `now` until the server counts as silent; `nil` when the request has no silence time-out.
  func silenceLeft(at now: Int) -> Int? {
    if hasActivity { (lastActivity, hasActivity) = (now, false) }
    guard let limit = request.silenceTimeout else { return nil }
    return lastActivity + limit - now
  }

  func silenceError() -> TransferError {
    TransferError(.silence, "nothing came from '\(target.host)' for \((request.silenceTimeout ?? 0) / 1000) s")
      .through(environmentProxy)
  }

  /// The outcome of a transfer that libcurl has ended.
  func finish(_ result: CURLcode) -> Result<HTTPResponse, TransferError> {
    // One address of the host may be refused, and another one, tried before, still answer.
    if let stopReason, result != CURLE_OK { return .failure(stopReason) }
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
    // People are shown what a service says of an error, and where it redirects to.
    if response.status >= 300 {
      for secret in request.secrets + [authorization?.afterScheme].compactMap({ $0 }) { response.hide(secret) }
    }
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

  private func readStatus() {
    var status = 0
    if tw_curl_get_long(handle, CURLINFO_RESPONSE_CODE, &status) == CURLE_OK { response.status = status }
  }

  private func failure(_ result: CURLcode) -> TransferError {
    var systemError = 0
    tw_curl_get_long(handle, CURLINFO_OS_ERRNO, &systemError)
    return TransferError(
      result: result, systemError: systemError, target: target, detail: String(cString: errorText)
    ).through(environmentProxy)
  }
}
