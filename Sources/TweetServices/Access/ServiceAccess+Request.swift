package import TweetNet

extension ServiceAccess {
  /// Milliseconds after which a request is given up.
  package static var requestTimeout: Int { 60_000 }

  /// A request to the service with what authorizes it, and with the limits of all of them: an answer comes within a
  /// minute and is not silent for half of one. A page of posts has some hundred kilobytes, so 32 MB bound what a broken
  /// server can make us hold.
  ///
  /// - Parameters:
  ///   - pathAndQuery: begins with a slash.
  ///   - other: another server's URL without a slash at its end, which gets no credential and which the person or the
  ///     kit has chosen; `nil` for the service's own.
  package func request(_ method: HTTPMethod, _ pathAndQuery: String, at other: String? = nil) -> HTTPRequest {
    var request = HTTPRequest(method, (other ?? base) + pathAndQuery, reaching: other == nil ? addresses : .any)
    request.credential = other == nil ? credential : nil
    request.caFile = caFile
    request.totalTimeout = Self.requestTimeout
    request.silenceTimeout = 30_000
    request.maxBody = 32 << 20
    return request
  }
}
