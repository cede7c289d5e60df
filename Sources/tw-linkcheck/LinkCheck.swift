import TweetCore
import TweetNet
import TweetStore

/// The check of one URL: which request comes next, and what the answers mean together.
///
/// It uses HEAD first, because a link may lead to gigabytes, and GET when HEAD is refused or says too little. It follows
/// redirects one at a time, so that each address is checked. Cookies are not kept.
struct LinkCheck: Lookup {
  /// Browsers stop at 20, and RFC 9110 §15.4 names no number. No honest shortener needs half of this.
  static let maxRedirects = 10
  /// How much of a page is read: the head of most pages fits.
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
  ///   - url: the link, without its fragment.
  ///   - wantsTitle: whether the beginning of a page is read for its title. Every request is a GET then.
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
    case .success(let response): step(after: response, millisecondsLeft: millisecondsLeft)
    case .failure(let error): step(after: error)
    }
  }

  private mutating func step(after response: HTTPResponse, millisecondsLeft: Int) -> Step {
    let hop = LinkHop(url: url, status: response.status)
    if chain.last?.url == url { chain[chain.count - 1] = hop } else { chain.append(hop) }
    if [301, 302, 303, 307, 308].contains(response.status) {
      if let location = response.headers["Location"], !location.isEmpty { return follow(location) }
      if method == .head { return requestByGet() }
      return .done(result(.error, status: response.status, error: LinkFailure.badRedirect))
    }
    if response.status == 429, !hasPaused, let seconds = response.retryAfter, seconds < millisecondsLeft / 1000 {
      hasPaused = true
      return .pause(seconds * 1000)
    }
    let type = ContentType(response.headers["Content-Type"])
    if method == .head, mayDifferForGet(response.status, type) { return requestByGet() }
    var result = result(LinkVerdict(status: response.status), status: response.status)
    result.contentType = type?.essence
    if wantsTitle, result.verdict == .ok, type?.isPage == true {
      result.title = PageTitle.find(in: response.body, charset: type?.charset)
    }
    return .done(result)
  }

  /// Whether GET may give another answer than this one of HEAD. Servers refuse HEAD with all kinds of statuses, 404 and
  /// 500 among them; a link is called dead only when GET says so too.
  private func mayDifferForGet(_ status: Int, _ type: ContentType?) -> Bool {
    switch status {
    case 200: type == nil
    case 410, 429: false
    default: status >= 400
    }
  }

  private mutating func requestByGet() -> Step {
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
      // The link leads into an app: that is its end, and no request is made.
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

  private mutating func step(after error: TransferError) -> Step {
    // Some servers close the connection on HEAD.
    if method == .head, error.kind == .lostConnection || error.kind == .protocolError { return requestByGet() }
    return .done(result(Self.verdict(of: error.kind, isOnline: Route.exists), error: error.code))
  }

  /// - Parameter isOnline: whether this machine has a network at all. It is evaluated only when it matters.
  static func verdict(of failure: TransferError.Kind, isOnline: @autoclosure () -> Bool) -> LinkVerdict {
    switch failure {
    case .badURL: .unknown
    // Without a network no name resolves, which says nothing about the link.
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
