import TweetAccounts
import TweetCore

/// A request that OAuth 1.0a signs: its parameters, and what the signature is made of (RFC 5849 §3).
///
/// The parameters must be in the header `Authorization`, as X's documentation has them.
struct SignedRequest {
  /// The pairs of the header but `realm`, decoded; each is there once.
  private let values: [String: String]
  private let message: OAuth1Signature.Message

  /// Longest nonce, in bytes.
  private static let maxNonce = 128

  /// `nil` for a request that is not signed at all, or not as it must be.
  /// - Parameter authority: the host and the port that the client has asked, for requests without the header `Host`.
  init?(_ request: ServerRequest, authority: String) {
    let header = request.headers["authorization"] ?? ""
    guard header.lowercased().hasPrefix("oauth ") else { return nil }
    var values: [String: String] = [:]
    for pair in header.dropFirst("oauth ".count).split(separator: ",") {
      let halves = pair.trimmed.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard halves.count == 2, halves[1].count >= 2, halves[1].first == "\"", halves[1].last == "\"" else { return nil }
      let name = PercentEncoding.decode(halves[0])
      guard
        values.updateValue(PercentEncoding.decode(halves[1].dropFirst().dropLast()), forKey: name) == nil
      else { return nil }
    }
    values["realm"] = nil
    self.values = values
    guard values["oauth_signature_method"] == "HMAC-SHA1", ["1.0", nil].contains(values["oauth_version"]) else {
      return nil
    }
    message = Self.message(request, values, authority: authority)
    guard timestamp != nil, !nonce.isEmpty, nonce.utf8.count <= Self.maxNonce else { return nil }
  }

  subscript(name: String) -> String? { values[name] }

  /// Seconds since 1970.
  var timestamp: Int64? { values["oauth_timestamp"].flatMap { Int64($0) } }
  var nonce: String { values["oauth_nonce"] ?? "" }

  /// Whether the signature is that of these secrets.
  /// - Parameter tokenSecret: empty where there is no token yet.
  func isSigned(secret: String, tokenSecret: String) throws(ToolError) -> Bool {
    let signature = OAuth1Signature(
      consumerKey: self["oauth_consumer_key"] ?? "", consumerSecret: Secret(secret), tokenSecret: Secret(tokenSecret))
    let expected = try signature.signature(of: message.method, message.url, message.parameters)
    return Crypto.areEqual(expected.utf8, (values["oauth_signature"] ?? "").utf8)
  }

  /// What is signed (RFC 5849 §3.4.1). JSON and multipart bodies are not in it.
  private static func message(
    _ request: ServerRequest, _ values: [String: String], authority: String
  ) -> OAuth1Signature.Message {
    var host = (request.headers["host"] ?? authority).lowercased()
    if host.hasSuffix(":80") { host = String(host.dropLast(3)) }
    let own = values.filter { $0.key != "oauth_signature" }.map { (name: $0.key, value: $0.value) }
    return OAuth1Signature.Message(
      method: request.method.uppercased(), url: "http://\(host)\(request.rawPath)",
      parameters: own + request.parameters + request.formParameters)
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = self
    while text.first == " " || text.first == "\t" { text.removeFirst() }
    while text.last == " " || text.last == "\t" { text.removeLast() }
    return text
  }
}

/// The nonces of the last minutes: a request that was seen is refused when it comes again.
struct Nonces {
  /// How far the clock of a client may differ, in seconds. A clock that is five minutes off is refused for sure.
  static let reach: Int64 = 240
  /// Most nonces at a time. A service on loopback does not see as many; where it does, it refuses.
  private static let capacity = 200_000

  private var seen: [String: Int64] = [:]

  /// Remembers a nonce.
  /// - Parameters:
  ///   - nonce: as a digest, since clients choose how long it is.
  ///   - timestamp: in seconds, from the request, within ``reach``.
  ///   - now: in seconds.
  /// - Returns: whether it is new.
  mutating func insert(_ nonce: String, timestamp: Int64, now: Int64) -> Bool {
    if seen.count >= Self.capacity { seen = seen.filter { $0.value >= now - Self.reach } }
    guard seen.count < Self.capacity, seen[nonce] == nil else { return false }
    seen[nonce] = timestamp
    return true
  }
}
