import TweetCore

/// Links to this service itself. Its port may differ in the next run, so stored texts have a fixed host instead of its
/// address, one that nobody can own (RFC 2606).
enum OwnLink {
  private static let prefix = "https://tw-local.example.com/"
  /// What the texts of the demo have instead, to be short.
  private static let demoPrefix = "local://"

  /// - Parameter path: without a slash before it.
  static func link(to path: String) -> String { prefix + path }

  /// A text of the demo as it is stored.
  static func expandingDemoLinks(in text: String) -> String { text.replacing(demoPrefix, with: prefix) }

  static func isPhoto(_ link: String) -> Bool { link.hasPrefix(prefix) && link.hasSuffix("/photo/1") }

  /// The path of a link to this service; `nil` for other links.
  static func path(of link: String) -> Substring? { link.hasPrefix(prefix) ? link.dropFirst(prefix.count) : nil }
}

/// Short links, which play the part of X's `t.co`.
enum ShortLink {
  /// The code of a link: ten letters and digits that depend on the link alone, so that it is the same in every run.
  static func code(for link: String) -> String {
    let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    var rest = fingerprint(link.utf8)
    var code = ""
    for _ in 0..<10 {
      code.append(digits[Int(rest % 62)])
      rest /= 62
    }
    return code
  }
}

/// The address of the running service, and the addresses below it that answers contain.
struct SiteAddress: Sendable {
  /// `http://127.0.0.1:PORT`
  let base: String

  /// `127.0.0.1:PORT`
  var authority: String { String(base.dropFirst("http://".count)) }

  /// The short link for a link.
  func short(_ link: String) -> String { "\(base)/s/\(ShortLink.code(for: link))" }

  /// A stored link as clients can follow it.
  func resolved(_ link: String) -> String { OwnLink.path(of: link).map { "\(base)/\($0)" } ?? link }

  func address(of media: PostMedia) -> String { "\(base)\(media.path)" }

  /// The address of the picture that is shown: of a video, its preview.
  func pictureAddress(of media: PostMedia) -> String { "\(base)\(media.picturePath)" }

  func portrait(of account: LocalAccount) -> String { "\(base)\(Portraits.path(of: account, size: "_normal"))" }

  /// A stored link as people see it: without its scheme, with the host and at most 16 characters of the path. A link to
  /// a photo or a video is seen as X's are.
  func displayed(_ link: String, isPhoto: Bool = false) -> String {
    if isPhoto { return "pic.\(base.dropFirst("http://".count))/\(ShortLink.code(for: link))" }
    var text = Substring(resolved(link))
    for scheme in ["https://", "http://"] where text.hasPrefix(scheme) { text = text.dropFirst(scheme.count) }
    if text.hasPrefix("www.") { text = text.dropFirst(4) }
    if text.hasSuffix("/") { text = text.dropLast() }
    guard let slash = text.firstIndex(of: "/") else { return String(text) }
    let path = text[slash...]
    return String(text[..<slash]) + (path.count > 16 ? path.prefix(15) + "…" : path)
  }
}

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
