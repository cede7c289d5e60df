import CCurl
import TweetCore

/// An absolute http or https URL and its parts. libcurl's own parser reads it, so what is checked is what is requested.
///
/// A class, since it has many parts, and each look-up and request has it several times.
package final class WebAddress: Sendable, Equatable {
  /// `http` or `https`.
  package let scheme: String
  /// Where a request for it goes. The host is lower case and ASCII: names of other letters in the form that DNS has,
  /// `xn--…`, so that letters which look alike do not pass for others; an IPv6 address without its brackets. The port
  /// is the scheme's usual one when the URL has none.
  package let target: HostPort
  /// The host, if the URL spells out its address.
  let numericHost: IPAddress?
  /// It begins with a slash.
  package let path: String
  /// Without the question mark.
  package let query: String?
  /// Whether the text contained a user name or a password.
  package let hasCredentials: Bool
  /// The whole URL without user name and password, normalised: spaces and other bytes that a URL may not contain are
  /// percent-encoded.
  package let url: String

  /// - Parameters:
  ///   - text: an absolute URL; with a `base` also a reference, such as a `Location` header's.
  ///   - base: the absolute URL that the reference is relative to (RFC 3986 §5).
  /// - Returns: `nil` for text that is not a URL, and for schemes other than http and https.
  package init?(_ text: String, relativeTo base: String? = nil) {
    guard let handle = curl_url() else { return nil }
    defer { curl_url_cleanup(handle) }
    let text = Self.asBrowsersRead(text, base)
    // Without these flags curl refuses a reference with a space or a non-ASCII letter, and servers send such.
    let flags = UInt32(CURLU_URLENCODE | CURLU_ALLOW_SPACE)
    if let base, curl_url_set(handle, CURLUPART_URL, base, flags) != CURLUE_OK { return nil }
    guard curl_url_set(handle, CURLUPART_URL, text, flags) == CURLUE_OK else { return nil }

    func part(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
      var value: UnsafeMutablePointer<CChar>?
      guard curl_url_get(handle, part, &value, UInt32(flags)) == CURLUE_OK, let value else { return nil }
      defer { curl_free(value) }
      return String(cString: value)
    }
    let mayHaveCredentials = text.utf8.contains(UInt8(ascii: "@")) || base?.utf8.contains(UInt8(ascii: "@")) == true
    hasCredentials = mayHaveCredentials && (part(CURLUPART_USER) != nil || part(CURLUPART_PASSWORD) != nil)
    if hasCredentials {
      for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_OPTIONS] { curl_url_set(handle, part, nil, 0) }
    }
    guard var host = part(CURLUPART_HOST) else { return nil }
    if !host.utf8.allSatisfy({ $0 < 0x80 }) {
      // DNS has names of 253 letters (RFC 1035 §3.1), of four bytes at most. libcurl 7.88 loses as much memory as the
      // host needs if it cannot be converted.
      guard host.utf8.count <= 4 * 253, Self.convertHost(of: handle), let converted = part(CURLUPART_HOST) else {
        return nil
      }
      host = converted
    }
    guard let scheme = part(CURLUPART_SCHEME), scheme == "http" || scheme == "https",
      let port = part(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap({ Int($0) }),
      let path = part(CURLUPART_PATH), let url = part(CURLUPART_URL)
    else { return nil }
    self.scheme = scheme
    target = HostPort(host: host, port: port)
    numericHost = IPAddress(target.host)
    self.path = path
    self.query = part(CURLUPART_QUERY)
    self.url = url
  }

  /// What libcurl reads otherwise than browsers (URL Standard §4.4): blanks around an address and line ends and tabs in
  /// it are left out; `http:/x` is a path where the base has that scheme, else it lacks a slash; `#x` is the base with
  /// a fragment.
  private static func asBrowsersRead(_ text: String, _ base: String?) -> String {
    var text = text
    if text.utf8.contains(where: { $0 <= 0x20 }) {
      let isControl = { (scalar: Unicode.Scalar) in scalar.value <= 0x20 }
      var scalars = text.unicodeScalars.drop(while: isControl)
      while let last = scalars.last, isControl(last) { scalars.removeLast() }
      text = String(String.UnicodeScalarView(scalars.filter { !["\t", "\n", "\r"].contains($0) }))
    }
    guard let base else { return text }
    if text.utf8.first == UInt8(ascii: "#") { return base.prefix { $0 != "#" } + text }
    for scheme in ["http", "https"] where text.utf8.dropFirst(scheme.utf8.count).first == UInt8(ascii: ":") {
      guard text.prefix(scheme.utf8.count).lowercased() == scheme else { continue }
      let rest = text.dropFirst(scheme.count + 1)
      if rest.hasPrefix("//") || rest.isEmpty { break }
      let isOfBase = base.prefix { $0 != ":" }.lowercased() == scheme
      return isOfBase ? String(rest) : scheme + "://" + rest.drop { $0 == "/" }
    }
    return text
  }

  /// The text of a URL without a user name and a password, which are meant for one server and for no record, store or
  /// message. Nothing else of it changes.
  package static func withoutCredentials(_ url: String) -> String {
    // libcurl also reads addresses with one slash, or three.
    guard url.firstIndex(ofASCII: UInt8(ascii: "@")) != nil, let slash = url.firstIndex(ofASCII: UInt8(ascii: "/")),
      slash == url.startIndex || url.utf8[url.utf8.index(before: slash)] == UInt8(ascii: ":")
    else { return url }
    let start = url[slash...].drop { $0 == "/" }.startIndex
    let authority = url[start...].prefix { !"/?#".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return url }
    return String(url[..<start] + url[url.index(after: at)...])
  }

  package static func == (first: WebAddress, second: WebAddress) -> Bool {
    first === second || first.url == second.url && first.hasCredentials == second.hasCredentials
  }

  /// Scheme, host and port, without the usual port (RFC 6454 §6.2): `https://bsky.social`.
  package var origin: String {
    let isUsual = port == (scheme == "https" ? 443 : 80)
    let name = host.contains(":") ? "[\(host)]" : host
    return "\(scheme)://\(name)\(isUsual ? "" : ":\(port)")"
  }

  /// The origin of an address; empty, which is none, for what is not an address.
  package static func origin(of text: String) -> String { WebAddress(text)?.origin ?? "" }

  package var host: String { target.host }
  package var port: Int { target.port }

  /// Replaces a host that is not ASCII by its name in DNS. It may then be an address: digits and dots of other
  /// alphabets become usual ones, so libcurl reads the URL once more.
  /// - Returns: `false` when DNS cannot have such a name.
  private static func convertHost(of handle: OpaquePointer) -> Bool {
    guard let host = tw_curl_ascii_host(handle) else { return false }
    defer { curl_free(host) }
    guard curl_url_set(handle, CURLUPART_HOST, host, 0) == CURLUE_OK else { return false }
    var url: UnsafeMutablePointer<CChar>?
    guard curl_url_get(handle, CURLUPART_URL, &url, 0) == CURLUE_OK, let url else { return false }
    defer { curl_free(url) }
    return curl_url_set(handle, CURLUPART_URL, url, 0) == CURLUE_OK
  }

  /// Whether the URL itself names this machine: `localhost`, or a loopback address.
  package var isLoopback: Bool { host == "localhost" || numericHost?.isLoopback == true }

  /// Whether its name is none of DNS, which is not to be asked for it (RFC 7686).
  var isOnion: Bool { host.hasSuffix(".onion") }

  /// Whether the URL itself names an address, or this machine: no name is looked up for it.
  var namesNoHost: Bool { numericHost != nil || host == "localhost" || host.hasSuffix(".localhost") }
}
