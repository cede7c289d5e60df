import CCurl
import Libc
import TweetCore

/// One request on one libcurl easy handle: its options, and what was received so far.
///
/// It is a class because libcurl's callbacks reach it through a pointer. They run only inside `curl_multi_perform` and
/// `curl_easy_pause`, on the loop's thread.
final class Transfer {
  let request: HTTPRequest
  /// The request with what authorizes it.
  private(set) var authorized: HTTPRequest
  private let easy: EasyHandle
  var handle: UnsafeMutableRawPointer { easy.pointer }
  var response: HTTPResponse
  /// The part of a streamed body that is not delivered as an event yet.
  var pending: [UInt8] = []
  /// Whether the transfer is paused because enough is pending: libcurl would read a hundred buffers in one go.
  var isPaused = false
  /// Whether the final header block of a streaming request is complete, and not delivered yet.
  var hasStarted = false
  /// Whether the header block of the final answer is complete.
  var isHeadComplete = false
  /// When bytes were last seen to have come, by `MonotonicClock`; `nil` until libcurl may connect.
  var lastActivity: Int?
  /// Whether more came since then: pieces are many, so the clock is not read at each.
  var hasActivity = false
  var bytesOnWire: curl_off_t = 0
  var headerBytes = 0
  /// Whether some of the request may have been sent. Until then it surely was not, whatever happened to connections.
  var isSending = false
  /// How much of the body was searched for the end of a page's head.
  var searched = 0
  /// Why a callback of ours made libcurl stop, which libcurl's own code does not say.
  var stopReason: TransferError?
  /// The name whose addresses must be found, and given to ``setAddresses(_:)``, before the transfer is handed to
  /// libcurl. `nil` when the URL has an address, or a proxy connects to the host; libcurl itself knows what `localhost`
  /// is.
  private(set) var hostToResolve: String?
  var environmentProxy: EnvironmentProxy?
  var usesProxy = false
  private(set) var checksAddress = true
  private(set) var needsLoopback = false
  /// When it was prepared, by `MonotonicClock`.
  private(set) var startTime = 0
  private var headerList: UnsafeMutablePointer<curl_slist>?
  private var addressList: UnsafeMutablePointer<curl_slist>?
  /// The WebSocket, once the connection for it stands.
  var webSocket: WebSocketConnection?
  let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

  /// How many bytes are delivered at a time: they stay in the processor's cache (megabytes took twice as long).
  static let batch = 512 << 10

  /// How many bytes of a stream libcurl reads at a time. More bytes mean fewer system calls and a sender that wakes
  /// less often (measured: half the system time of 64 KiB), but libcurl copies what it read beyond a batch.
  private static let readSize = 128 << 10

  /// - Parameter easy: a handle that nobody else uses until ``releaseHandle()``.
  init(_ request: HTTPRequest, on easy: EasyHandle) {
    self.request = request
    authorized = request
    self.easy = easy
    response = HTTPResponse(status: 0, headers: HTTPHeaders(), url: request.url)
    errorText.pointee = 0
  }

  /// Returns the handle, with no options set, for another transfer. This one must have ended. `nil` if it should not be
  /// used again: a stream's buffer has another size.
  func releaseHandle() -> EasyHandle? {
    easy.reset()
    return request.streaming ? nil : easy
  }

  deinit {
    curl_slist_free_all(headerList)
    curl_slist_free_all(addressList)
    errorText.deallocate()
  }

  // MARK: Options

  /// Sets every option. To be called once, just before the transfer starts.
  func prepare() throws(TransferError) {
    guard let address = request.address else { throw TransferError(.badURL, "not an http or https URL") }
    if request.credential != nil || !request.secrets.isEmpty, address.scheme != "https" {
      guard address.isLoopback else {
        throw TransferError(.insecureCredential, "credentials are sent only over https or to this machine")
      }
      needsLoopback = true
    }
    if let credential = request.credential {
      guard credential.origin == address.origin else {
        throw TransferError(
          .insecureCredential, "the credential for '\(credential.origin)' is not sent to '\(address.origin)'")
      }
      try credential.authorize(&authorized)
    }
    tw_curl_only_http(handle)
    tw_curl_set_quick_exit(handle)
    // Older versions of libcurl also speak TLS 1.0 and 1.1, which RFC 8996 forbids.
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
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
    if !usesProxy, address.isOnion {
      throw TransferError(.unreachable, "'\(address.host)' is reached by Tor only")
    }
    if request.webSocket != nil { leaveConnectionToUs() }
    try setMethod()
    try setHeaders()
    if request.acceptsRadio { tw_curl_accept_radio(handle) }
    setCallbacks()
    startTime = MonotonicClock.milliseconds
    if !usesProxy, !address.namesNoHost { hostToResolve = address.host } else { lastActivity = startTime }
  }

  /// Where it goes. A transfer whose URL is none does not start.
  var target: HostPort { request.address?.target ?? HostPort(host: "", port: 0) }

  /// When the addresses of the host must be known, by `MonotonicClock`.
  var resolutionDeadline: Int {
    // Without a limit libcurl would give a connection, its name included, five minutes.
    startTime + min(request.connectTimeout ?? 300_000, request.totalTimeout ?? .max)
  }

  func resolutionTimeout() -> TransferError {
    TransferError(.dns, "cannot look up '\(target.host)': the name server does not answer")
  }

  /// Says which addresses the host has. The time that it took to find them counts for the time-outs.
  func setAddresses(_ addresses: [IPAddress]) throws(TransferError) {
    let elapsed = MonotonicClock.milliseconds - startTime
    lastActivity = startTime + elapsed
    if let limit = request.connectTimeout { set(CURLOPT_CONNECTTIMEOUT_MS, max(1, limit - elapsed)) }
    if let limit = request.totalTimeout { set(CURLOPT_TIMEOUT_MS, max(1, limit - elapsed)) }
    let texts = addresses.map { $0.isIPv6 ? "[\($0)]" : "\($0)" }
    // With the plus sign the entry ages as one that libcurl found itself.
    let entry = "+\(target.host):\(target.port):\(texts.joined(separator: ","))"
    guard let list = curl_slist_append(addressList, entry) else { throw failure(CURLE_OUT_OF_MEMORY) }
    addressList = list
    tw_curl_set_pointer(handle, CURLOPT_RESOLVE, addressList)
  }

  private func setProxy(for address: WebAddress) throws(TransferError) {
    switch request.proxy {
    case .environment where !address.isLoopback:
      environmentProxy = EnvironmentProxy(for: address)
      if environmentProxy == nil { return }
      try leaveAddresses(of: address)
    case .explicit(let proxy) where !address.isLoopback:
      try set(CURLOPT_PROXY, proxy)
      // Without this, hosts of the environment's `no_proxy` are reached directly, and their addresses are not checked.
      try set(CURLOPT_NOPROXY, "")
      try leaveAddresses(of: address)
    default:
      // The empty string switches the environment's proxies off: a request to loopback does not leave this machine.
      try set(CURLOPT_PROXY, "")
    }
  }

  /// For a proxy that the person has chosen: the socket goes there, so only an address that the URL itself spells out
  /// can be checked.
  private func leaveAddresses(of address: WebAddress) throws(TransferError) {
    (checksAddress, usesProxy) = (false, true)
    guard !address.namesNoHost || request.addresses.allows(IPAddress(address.host), target: address.target) else {
      throw Self.privateAddress(address.host)
    }
  }

  /// For a WebSocket: libcurl connects, and the rest is ours. HTTP/2 has another way to open one.
  private func leaveConnectionToUs() {
    set(CURLOPT_CONNECT_ONLY, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    // A proxy would take the request for one of its own.
    if usesProxy { set(CURLOPT_HTTPPROXYTUNNEL, 1) }
  }

  private func setMethod() throws(TransferError) {
    switch request.method {
    case .get: set(CURLOPT_HTTPGET, 1)
    case .head: set(CURLOPT_NOBODY, 1)
    case .post, .put:
      set(CURLOPT_POST, 1)
      if request.method == .put { try set(CURLOPT_CUSTOMREQUEST, "PUT") }
      let body = request.body ?? []
      let code = body.withUnsafeBytes { tw_curl_set_post_body(handle, $0.baseAddress, curl_off_t($0.count)) }
      guard code == CURLE_OK else { throw failure(code) }
    case .delete: try set(CURLOPT_CUSTOMREQUEST, "DELETE")
    }
  }

  private func setHeaders() throws(TransferError) {
    for field in authorized.headers {
      let isClean = [field.name, field.value].joined().utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
      guard isClean else { throw TransferError(.protocolError, "header '\(field.name)' has a control character") }
      try append("\(field.name): \(field.value)")
    }
    // Without this libcurl waits up to a second for a "100 Continue" before it sends a larger body.
    if request.method == .post || request.method == .put { try append("Expect:") }
    tw_curl_set_pointer(handle, CURLOPT_HTTPHEADER, headerList)
  }

  private func append(_ line: String) throws(TransferError) {
    guard let longer = curl_slist_append(headerList, line) else { throw failure(CURLE_OUT_OF_MEMORY) }
    headerList = longer
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
    let code = tw_curl_set_sending(
      handle,
      { context, _, _, _, _ in
        Transfer.from(context)?.noteSending()
        return CURL_PREREQFUNC_OK
      }, context)
    // Where libcurl does not say it, a request counts as sent.
    if code != CURLE_OK { isSending = true }
    guard request.silenceTimeout != nil else { return }
    tw_curl_set_progress(
      handle,
      { context, _, received, _, _ in
        Transfer.from(context)?.countBytes(received)
        return 0
      }, context)
  }

  private func noteSending() {
    isSending = true
    // What became of another address of the host says nothing of this connection.
    stopReason = nil
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

/// One libcurl easy handle. To make and free one takes longer than to set its options, so a ``TransferLoop`` uses it
/// for one transfer after the other.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer

  /// - Returns: `nil` when libcurl is out of memory.
  init?() {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
  }

  /// Takes all options back, and with them the pointers to what its last transfer owned.
  func reset() { curl_easy_reset(pointer) }

  deinit { curl_easy_cleanup(pointer) }
}
