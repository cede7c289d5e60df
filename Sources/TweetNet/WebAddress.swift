import CCurl

/// An absolute http or https URL taken apart by libcurl's own parser, so that what is checked is what is requested.
package struct WebAddress: Sendable, Equatable {
  /// `http` or `https`.
  package let scheme: String
  /// Lower case; an IPv6 address without its brackets.
  package let host: String
  /// The scheme's own where the URL names none.
  package let port: Int
  /// Begins with a slash.
  package let path: String
  /// Without the question mark.
  package let query: String?
  /// Whether a user name or a password stands in it.
  package let hasCredentials: Bool
  /// The whole, normalised: spaces and other bytes that may not stand in a URL are percent-encoded.
  package let url: String

  /// - Parameters:
  ///   - text: an absolute URL, or where `base` is given a reference such as a `Location` header's.
  ///   - base: the absolute URL the reference is resolved against (RFC 3986 §5).
  /// - Returns: `nil` for what is no URL, and for schemes other than http and https.
  package init?(_ text: String, relativeTo base: String? = nil) {
    guard let handle = curl_url() else { return nil }
    defer { curl_url_cleanup(handle) }
    // Without these two flags a reference with a space or a non-ASCII letter, which servers do send, is refused.
    let flags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE)
    if let base, curl_url_set(handle, CURLUPART_URL, base, flags) != CURLUE_OK { return nil }
    guard curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }

    func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
      var value: UnsafeMutablePointer<CChar>?
      guard curl_url_get(handle, part, &value, UInt32(flags)) == CURLUE_OK, let value else { return nil }
      defer { curl_free(value) }
      return String(cString: value)
    }
    guard let scheme = part(CURLUPART_SCHEME), scheme == "http" || scheme == "https",
      let host = part(CURLUPART_HOST), let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap({ Int($0) }),
      let path = part(CURLUPART_PATH), let url = part(CURLUPART_URL)
    else { return nil }
    self.scheme = scheme
    let target = HostPort(host: host, port: port)
    self.host = target.host
    self.port = target.port
    self.path = path
    self.query = part(CURLUPART_QUERY)
    hasCredentials = part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil
    self.url = url
  }

  /// Whether the host is this machine by its spelling: `localhost`, or a loopback address.
  package var isLoopback: Bool { host == "localhost" || IPAddress(host)?.isLoopback == true }

  /// Percent-encodes everything but `A-Za-z0-9-._~`, for a value in a query.
  package static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"):
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        encoded += byte < 16 ? "%0" : "%"
        encoded += String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }
}
