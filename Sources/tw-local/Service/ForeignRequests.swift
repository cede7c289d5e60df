/// Any web page can make a browser send requests to a port of this machine. So what a browser says about the origin of
/// a request is checked.
extension SiteAddress {
  /// What a request gets that is not meant for this service, or that a page of another site has made.
  ///
  /// Programs send neither `Origin` nor `Sec-Fetch-Site`; a page of another site cannot keep them out of a request that
  /// changes something (Fetch §3.1, Fetch Metadata §2.4).
  ///
  /// - Returns: `nil` for all other requests.
  func refusal(of request: ServerRequest) -> ServerResponse? {
    let host = Self.withoutUsualPort((request.headers["host"] ?? authority).lowercased())
    let own = Self.withoutUsualPort(authority)
    // Whoever owns a name can let it lead to 127.0.0.1. For a browser the pages of that name and this service are one
    // site then.
    guard host == own || host == own.replacing("127.0.0.1", with: "localhost") else {
      return Page.html(
        "421 Misdirected Request", "This service answers to <code>\(authority)</code> only.", status: 421)
    }
    let isForeign =
      request.headers["origin"].map { Self.withoutUsualPort($0.lowercased()) != "http://\(host)" } ?? false
    // Another site may have a link to this one: what a browser reads by it, it shows to its person alone.
    let isReading = ["GET", "HEAD"].contains(request.method)
    let isOfOtherSite = ["cross-site", "same-site"].contains(request.headers["sec-fetch-site"])
    guard isForeign || !isReading && isOfOtherSite else { return nil }
    return Page.html(
      "403 Forbidden", "A page of another site has made this request. The service does nothing for it.", status: 403)
  }

  /// Browsers leave out the port that `http` has without one.
  private static func withoutUsualPort(_ text: String) -> String {
    text.hasSuffix(":80") ? String(text.dropLast(3)) : text
  }
}
