import TweetCore

/// The proxy that libcurl takes from the environment, for messages: when a request fails on the way through a proxy, a
/// person must know which one, and who set it. libcurl says whether it used one only from version 8.7 on, so this
/// follows the rules of its documentation (curl(1), "ENVIRONMENT"; CURLOPT_NOPROXY(3)).
package struct EnvironmentProxy: Sendable, Equatable {
  /// The variable that names it.
  package let variable: String
  /// Host and port, without the credentials that may stand before them.
  package let address: String

  /// - Parameters:
  ///   - scheme: of the request's URL.
  ///   - host: of the request's URL.
  ///   - environment: looks a variable up; `nil` when it is unset or empty.
  /// - Returns: `nil` if the request does not go through a proxy.
  package init?(scheme: String, host: String, environment: (String) -> String? = Paths.environment) {
    if Self.exempts(host, environment) { return nil }
    // `HTTP_PROXY` is not read: a CGI program would have it from a header of a request.
    let names = scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
    for name in names + ["all_proxy", "ALL_PROXY"] {
      guard let value = environment(name) else { continue }
      variable = name
      address = Self.address(in: value)
      return
    }
    return nil
  }

  /// Host and port of a proxy's URL, without the credentials that may stand before them.
  static func address(in url: String) -> String {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let authority = rest.prefix { $0 != "/" }
    return String(authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority)
  }

  /// The proxy of requests to an address.
  init?(for address: WebAddress) { self.init(scheme: address.scheme, host: address.host) }

  private static func exempts(_ host: String, _ environment: (String) -> String?) -> Bool {
    guard let list = environment("no_proxy") ?? environment("NO_PROXY") else { return false }
    for entry in list.split(whereSeparator: { $0 == "," || $0 == " " }) {
      if entry == "*" { return true }
      let name = entry.lowercased().drop { $0 == "." }
      if !name.isEmpty, host.lowercased() == name || host.lowercased().hasSuffix("." + name) { return true }
    }
    return false
  }
}

extension TransferError {
  /// The same with the proxy that the request went through.
  func through(_ proxy: EnvironmentProxy?) -> TransferError {
    guard let proxy else { return self }
    var error = self
    error.text += " (through the proxy '\(proxy.address)' of \(proxy.variable))"
    return error
  }
}
