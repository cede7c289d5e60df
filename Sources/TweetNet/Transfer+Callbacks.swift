import CCurl
import Libc
import TweetCore

/// What libcurl calls while a transfer runs.
extension Transfer {
  /// Far above any real answer's. libcurl bounds the length of one line, not their sum.
  private static let maxHeaderBytes = 256 << 10

  func receive(body bytes: UnsafeRawBufferPointer) -> Int {
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
    guard bytes.count > room || request.endsAtHead && hasHeadEnd(from: searched) else {
      searched = max(0, response.body.count - Self.headEnd.count)
      return bytes.count
    }
    response.truncated = true
    // A count that differs from the given one makes libcurl stop.
    return 0
  }

  private static let headEnd = Array("</head".utf8)

  /// Whether the body has the end tag of a page's head after this many bytes.
  private func hasHeadEnd(from start: Int) -> Bool {
    response.body.withBytes { body in
      var at = start
      while at + Self.headEnd.count <= body.count, let base = body.baseAddress,
        let found = memchr(base + at, Int32(UInt8(ascii: "<")), body.count - at)
      {
        at = UnsafeRawPointer(found) - UnsafeRawPointer(base)
        let tag = body[at...].prefix(Self.headEnd.count)
        if tag.elementsEqual(Self.headEnd, by: { $0 == $1 || $0 | 0x20 == $1 }) { return true }
        at += 1
      }
      return false
    }
  }

  /// libcurl calls this with one line at a time, its end included. 1xx answers have header blocks of their own.
  func receive(header bytes: UnsafeRawBufferPointer) -> Int {
    hasActivity = true
    headerBytes += bytes.count
    guard headerBytes <= Self.maxHeaderBytes else {
      stopReason = TransferError(.protocolError, "the header is larger than \(Self.maxHeaderBytes) bytes")
      return 0
    }
    if bytes.first == UInt8(ascii: "\r") || bytes.first == UInt8(ascii: "\n") {
      readStatus()
      hasStarted = isStreamed
      // Another block follows that of a 1xx answer.
      isHeadComplete = response.status >= 200
    } else if bytes.starts(with: "HTTP/".utf8) || bytes.starts(with: "ICY ".utf8) {
      response.headers = HTTPHeaders()
    } else {
      response.headers.append(line: bytes)
    }
    return bytes.count
  }

  /// Notes that bytes came off the wire: the decoder may release a keep-alive of a compressed stream only later.
  func countBytes(_ received: curl_off_t) {
    guard received != bytesOnWire else { return }
    bytesOnWire = received
    hasActivity = true
  }

  func openSocket(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
    if let refusal = tw_curl_address(address).flatMap({ refusal(of: IPAddress($0)) }) {
      stopReason = refusal
      return CURL_SOCKET_BAD
    }
    // An earlier address of the host was refused, but this one is tried: now libcurl's own error counts.
    stopReason = nil
    let descriptor = socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol)
    if descriptor >= 0 { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    if descriptor < 0, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) {
      stopReason = TransferError(.noResources, "cannot open a socket: \(describe(errno: errno))")
    }
    return descriptor
  }

  private func refusal(of address: IPAddress?) -> TransferError? {
    let isLoopback = address?.isLoopback == true
    if needsLoopback, !isLoopback {
      return TransferError(.insecureCredential, "'\(target.host)' is not this machine")
    }
    guard checksAddress, !request.addresses.allows(address, target: target) else { return nil }
    return Self.privateAddress(address?.description ?? target.host)
  }

  static func privateAddress(_ address: String) -> TransferError {
    TransferError(.privateAddress, "\(address) is not a public address")
  }
}
