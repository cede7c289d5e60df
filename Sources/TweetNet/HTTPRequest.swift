/// The methods the kit uses.
package enum HTTPMethod: String, Sendable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case delete = "DELETE"
}

/// One header field. Values with control characters are refused when the request starts.
package struct HTTPHeader: Sendable, Equatable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Which proxy a request may go through. Loopback is always reached directly.
package enum ProxyUse: Sendable, Equatable {
  /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
  case environment
  case none
  /// A proxy URL the user named. It resolves the host, so an address policy can then only judge literal addresses.
  case explicit(String)
}

/// One HTTP request: what is asked, and the bounds on the answer.
package struct HTTPRequest: Sendable {
  package var method: HTTPMethod
  /// Absolute, `http:` or `https:`; anything else ends in `TransferError.Kind.badURL`.
  package var url: String
  /// Beside those libcurl and the loop set (Host, User-Agent, Accept-Encoding, Authorization).
  package var headers: [HTTPHeader] = []
  package var body: [UInt8]?
  /// Sent as `Authorization: Bearer`, and only over `https:` or to a loopback address; otherwise the transfer ends in
  /// `TransferError.Kind.insecureCredential` before anything is sent.
  package var bearer: Secret?
  /// Milliseconds for name look-up, connection and TLS together. `nil` is libcurl's five minutes.
  package var connectTimeout: Int? = 10_000
  /// Milliseconds for the whole transfer.
  package var totalTimeout: Int?
  /// Milliseconds without a received byte after which the transfer ends in `TransferError.Kind.silence`. Measured by our
  /// own clock between bytes as they come off the wire: libcurl's low-speed limit looks at the rate and kills quiet,
  /// healthy streams.
  package var silenceTimeout: Int?
  /// Bytes of (decompressed) body kept. A longer body is cut there, the transfer ended, and the response marked as
  /// truncated. Of a streaming request it bounds only the body of an answer that is not 2xx.
  package var maxBody = 16 << 20
  /// The body of a 2xx answer comes as `.data` events, after one `.started`.
  package var streaming = false
  package var proxy = ProxyUse.environment
  package var addresses = AddressPolicy.any
  /// A PEM file of certificate authorities used in place of the system's.
  package var caFile: String?

  package init(_ method: HTTPMethod = .get, _ url: String) {
    self.method = method
    self.url = url
  }
}
