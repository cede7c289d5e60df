package import TweetCore

/// The methods the kit uses.
package enum HTTPMethod: String, Sendable {
  case get = "GET"
  case head = "HEAD"
  case post = "POST"
  case put = "PUT"
  case delete = "DELETE"
}

/// One header field. A request whose header has a control character fails when it starts.
package struct HTTPHeader: Sendable, Equatable {
  package var name: String
  package var value: String

  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// Which proxy a request goes through. Requests to loopback use none.
package enum ProxyUse: Sendable, Equatable {
  /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say.
  case environment
  case none
  /// The URL of a proxy that the user named. The proxy resolves host names, so an ``AddressPolicy`` can then judge only
  /// hosts that are written as addresses.
  case explicit(String)
}

/// One HTTP request, and the bounds on its answer.
package struct HTTPRequest: Sendable {
  package var method: HTTPMethod
  /// Absolute, `http:` or `https:`; anything else ends in `TransferError.Kind.badURL`.
  package var url: String { didSet { address = WebAddress(url) } }
  /// The parts of `url`; `nil` if it is none.
  package private(set) var address: WebAddress?
  /// Sent beside those that libcurl and the loop set (Host, User-Agent, Accept-Encoding).
  package var headers: [HTTPHeader] = []
  package var body: [UInt8]?
  /// What it adds is sent to its own server only, and over `https:` or to a loopback address only. Elsewhere the
  /// transfer ends in `TransferError.Kind.insecureCredential` before anything is sent.
  package var credential: (any Credential)?
  /// Secrets in the request, which is then sent only where a credential is. The body of an answer that is an error does
  /// not repeat them.
  package var secrets: [Secret] = []
  /// Whether it gets a connection of its own. On a connection that was used before libcurl sends a request again, on
  /// its own, when the server closes it without an answer; what must not be done twice needs a new one.
  package var needsFreshConnection = false
  /// Milliseconds for resolving the name, connecting and TLS together. `nil` is libcurl's five minutes.
  package var connectTimeout: Int? = 10_000
  /// Milliseconds for the whole transfer.
  package var totalTimeout: Int?
  /// The transfer ends in `TransferError.Kind.silence` after this many milliseconds without a received byte. Our own
  /// clock measures it between bytes off the wire: libcurl's low-speed limit measures a rate, and ends quiet, healthy
  /// streams.
  package var silenceTimeout: Int?
  /// Bytes of the (decompressed) body that are kept. A longer body is cut there, which ends the transfer, and the
  /// response is marked as truncated. In a streaming request this bounds only the body of an answer that is not 2xx.
  package var maxBody = 16 << 20
  /// Whether nothing of an HTML page is needed after the end of its `head` element.
  package var endsAtHead = false
  /// Whether an answer counts whose head is complete and whose body then fails: by the time-out, the connection or its
  /// compression. The response is then marked as truncated.
  package var acceptsPartialBody = false
  /// Whether an answer that begins with `ICY 200 OK`, as radio stations send it, is one of HTTP/1.0.
  package var acceptsRadio = false
  /// Whether the body of a 2xx answer comes as `.data` events, after one `.started`.
  package var streaming = false
  /// The connection becomes a WebSocket (RFC 6455). The request is a streaming one then, whose `.started` event comes
  /// with 101, and each `.data` event has whole messages, as ``WebSocketMessage`` says. Neither redirects nor bodies
  /// are for it.
  package var webSocket: WebSocketOffer? { didSet { streaming = webSocket != nil } }
  package var proxy = ProxyUse.environment
  /// Which addresses its host may have.
  package var addresses: AddressPolicy
  /// A PEM file of certificate authorities used in place of the system's.
  package var caFile: String?

  package init(_ method: HTTPMethod = .get, _ url: String, reaching addresses: AddressPolicy) {
    (self.method, self.addresses) = (method, addresses)
    self.url = url
    address = WebAddress(url)
  }

  /// Adds header fields, each in place of those of the same name.
  package mutating func setHeaders(_ fields: [HTTPHeader]) {
    if fields.isEmpty { return }
    let names = Set(fields.map { $0.name.lowercased() })
    headers = fields + headers.filter { !names.contains($0.name.lowercased()) }
  }

  package init(_ method: HTTPMethod = .get, to address: WebAddress, reaching addresses: AddressPolicy) {
    (self.method, self.addresses) = (method, addresses)
    self.address = address
    url = address.url
  }
}
