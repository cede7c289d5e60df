import TweetCore
import TweetNet

/// The check of one URL: which request comes next, and what the answers add up to. It makes no requests itself, so
/// every rule here can be tested without a network.
///
/// HEAD first, because a link may lead to gigabytes; GET where HEAD is refused or says too little. Redirects are
/// followed one at a time, so that each address can be judged; cookies are not kept.
struct LinkCheck: Lookup {
  /// Browsers stop at 20, RFC 9110 §15.4 names no number; no honest shortener needs half of this.
  static let maxRedirects = 10
  /// The head of a page is mostly within this; the rest is not read.
  static let titleBytes = 64 << 10

  typealias Step = LookupStep<LinkResult>

  private(set) var url: String
  private(set) var method: HTTPMethod
  private let original: String
  private let wantsTitle: Bool
  /// Of the last redirect that had one, with its `#`.
  private var fragment = ""
  private var chain: [LinkHop] = []
  private var redirects = 0
  private var hasPaused = false

  /// - Parameters:
  ///   - url: what to check, without its fragment.
  ///   - wantsTitle: read the beginning of pages for their title; every request is a GET then.
  init(_ url: String, wantsTitle: Bool) {
    original = url
    self.url = url
    self.wantsTitle = wantsTitle
    method = wantsTitle ? .get : .head
  }

  var request: HTTPRequest {
    var request = HTTPRequest(method, url)
    request.headers = [HTTPHeader("Accept", "*/*")]
    request.maxBody = wantsTitle ? Self.titleBytes : 0
    return request
  }

  mutating func begin() -> Step {
    guard let address = WebAddress(url) else {
      let scheme = LinkKind.scheme(of: url)
      let isWeb = scheme == nil || scheme == "http" || scheme == "https"
      return .done(result(.unknown, error: isWeb ? LinkFailure.badURL : LinkFailure.scheme))
    }
    url = LinkAddress.withoutFragment(address.url)
    return .request
  }

  mutating func receive(_ result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int) -> Step {
    switch result {
    case .success(let response): answered(response, millisecondsLeft: millisecondsLeft)
    case .failure(let error): failed(error)
    }
  }

  private mutating func answered(_ response: HTTPResponse, millisecondsLeft: Int) -> Step {
    let hop = LinkHop(url: url, status: response.status)
    if chain.last?.url == url { chain[chain.count - 1] = hop } else { chain.append(hop) }
    if [301, 302, 303, 307, 308].contains(response.status) {
      if let location = response.headers["Location"], !location.isEmpty { return follow(location) }
      if method == .head { return askByGet() }
      return .done(result(.error, status: response.status, error: LinkFailure.badRedirect))
    }
    if response.status == 429, !hasPaused, let seconds = response.retryAfter, seconds < millisecondsLeft / 1000 {
      hasPaused = true
      return .pause(seconds * 1000)
    }
    let type = ContentType(response.headers["Content-Type"])
    if method == .head, isDoubtful(response.status, type) { return askByGet() }
    var result = result(LinkVerdict(status: response.status), status: response.status)
    result.contentType = type?.essence
    if wantsTitle, result.verdict == .ok, type?.isPage == true {
      result.title = PageTitle.find(in: response.body, charset: type?.charset)
    }
    return .done(result)
  }

  /// Whether GET may well answer differently. Servers refuse HEAD with all kinds of statuses, 404 and 500 among them;
  /// a link is called dead only when GET says so too.
  private func isDoubtful(_ status: Int, _ type: ContentType?) -> Bool {
    switch status {
    case 200: type == nil
    case 410, 429: false
    default: status >= 400
    }
  }

  private mutating func askByGet() -> Step {
    method = .get
    return .request
  }

  private mutating func follow(_ location: String) -> Step {
    let status = chain.last?.status
    guard let target = WebAddress(location, relativeTo: url) else {
      let scheme = LinkKind.scheme(of: location)
      guard let scheme, scheme != "http", scheme != "https" else {
        return .done(result(.error, status: status, error: LinkFailure.badRedirect))
      }
      // Into an app: that is where the link leads, and as far as we go.
      redirects += 1
      (url, fragment) = (String(location.prefix(2048)), "")
      return .done(result(.unknown, status: status, error: LinkFailure.scheme))
    }
    let next = LinkAddress.withoutFragment(target.url)
    if redirects == Self.maxRedirects {
      return .done(result(.error, status: status, error: LinkFailure.tooManyRedirects))
    }
    redirects += 1
    url = next
    fragment = LinkAddress.fragment(of: target.url) ?? fragment
    if chain.contains(where: { $0.url == next }) {
      return .done(result(.error, status: status, error: LinkFailure.redirectLoop))
    }
    method = wantsTitle ? .get : .head
    return .request
  }

  private mutating func failed(_ error: TransferError) -> Step {
    // Some servers hang up on HEAD.
    if method == .head, error.kind == .lostConnection || error.kind == .protocolError { return askByGet() }
    return .done(result(Self.verdict(of: error.kind, isOnline: Route.exists), error: error.code))
  }

  /// - Parameter isOnline: whether this machine has a network at all; asked only where it matters.
  static func verdict(of failure: TransferError.Kind, isOnline: @autoclosure () -> Bool) -> LinkVerdict {
    switch failure {
    case .badURL: .unknown
    // Without a network no name resolves, and that says nothing about the link.
    case .dns: isOnline() ? .dead : .unknown
    case .unreachable: isOnline() ? .error : .unknown
    default: .error
    }
  }

  private func result(_ verdict: LinkVerdict, status: Int? = nil, error: String? = nil) -> LinkResult {
    LinkResult(
      url: original, unwoundURL: url + fragment, status: status, verdict: verdict, error: error, chain: chain,
      redirects: redirects, checkedAt: .shown)
  }
}

/// What the kit does with the text of a link.
enum LinkAddress {
  /// The fragment never goes to the server: links that differ only in it are checked once.
  static func withoutFragment(_ url: String) -> String {
    url.firstIndex(of: "#").map { String(url[..<$0]) } ?? url
  }

  /// The fragment with its `#`; `nil` when there is none.
  static func fragment(of url: String) -> String? {
    url.firstIndex(of: "#").map { String(url[$0...]) }
  }

  /// Where a link that began at `original` ended, with its fragment. A redirect that has a fragment replaces the one
  /// before; without one the fragment stays (RFC 9110 §10.2.2).
  static func inheritingFragment(_ url: String, from original: String) -> String {
    fragment(of: url) == nil ? url + (fragment(of: original) ?? "") : url
  }
}

/// A `Content-Type` header's value.
struct ContentType: Equatable {
  /// Type and subtype, lower case.
  let essence: String
  /// Lower case.
  let charset: String?

  /// `nil` for what is no media type.
  init?(_ header: String?) {
    guard let header else { return nil }
    let parts = header.split(separator: ";").map { $0.filter { !$0.isWhitespace }.lowercased() }
    // A media type's name is a token of at most 127 characters on each side (RFC 6838 §4.2).
    guard let essence = parts.first, essence.utf8.count <= 255, essence.split(separator: "/").count == 2,
      essence.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") })
    else { return nil }
    self.essence = essence
    charset = parts.dropFirst().first { $0.hasPrefix("charset=") }.map {
      $0.dropFirst("charset=".count).filter { $0 != "\"" && $0 != "'" }
    }
  }

  var isPage: Bool { essence == "text/html" || essence == "application/xhtml+xml" }
}
