import TweetCore
import TweetNet
import TweetStore

/// The check of one URL: which request comes next, and what the answers mean together.
///
/// It uses HEAD first, because a link may lead to gigabytes. Only `ok` is believed of HEAD: servers refuse it with all kinds
/// of statuses and redirects, or do not answer it at all. What it finds otherwise is asked again with GET, of which no
/// more is read than needed. Redirects are followed one at a time, so that each address is checked. Cookies are not kept.
struct LinkCheck: Lookup {
  /// Browsers stop at 20, and RFC 9110 §15.4 names no number. No honest shortener needs half of this.
  static let maxRedirects = 10
  /// How much of a page is read: the head of most pages fits.
  static let titleBytes = 64 << 10

  typealias Step = LookupStep<LinkResult>

  private(set) var url: String
  private let original: String
  /// The first address that is asked.
  private var start = ""
  private var usesHead: Bool
  private let wantsTitle: Bool
  /// Of the last redirect that had one, with its `#`.
  private var fragment = ""
  private var chain: [LinkHop] = []
  private var redirects = 0
  private var retries: LookupRetries
  private let accepted: Set<Int>
  private let isOffline: Bool

  /// - Parameters:
  ///   - url: the link, without its fragment.
  ///   - wantsTitle: whether the beginning of a page is read for its title. Every request is a GET then.
  ///   - retries: how many further tries there are after failures that may pass.
  ///   - accepted: statuses that make a link `ok`, whatever they are.
  ///   - isOffline: whether no request may be made.
  init(_ url: String, wantsTitle: Bool, retries: Int, accepted: Set<Int> = [], isOffline: Bool = false) {
    self.accepted = accepted
    self.isOffline = isOffline
    original = url
    self.url = url
    self.wantsTitle = wantsTitle
    self.retries = LookupRetries(retries)
    usesHead = !wantsTitle
  }

  var method: HTTPMethod { usesHead ? .head : .get }

  var request: HTTPRequest {
    var request = HTTPRequest(method, url)
    request.headers = [HTTPHeader("Accept", "*/*")]
    request.maxBody = wantsTitle ? Self.titleBytes : 0
    return request
  }

  mutating func begin() -> Step {
    guard let address = WebAddress(url) else {
      guard let scheme = LinkKind.scheme(of: url), scheme != "http", scheme != "https" else {
        return .done(result(.unknown, error: LinkFailure.badURL))
      }
      return .done(result(ofScheme: scheme, status: nil))
    }
    url = LinkAddress.withoutFragment(address.url)
    start = url
    return isOffline ? .done(result(.unknown, error: LinkFailure.offline)) : .request
  }

  mutating func receive(_ result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int) -> Step {
    let isOfHead = usesHead
    let step = step(after: result)
    guard case .done(let found) = step else { return step }
    if isOfHead, !isFinalForHead(found, result) {
      // A server that says when to come back is not asked before.
      if case .success(let response) = result, [429, 503].contains(response.status), response.retryAfter != nil {
        guard let pause = retries.pause(after: result, millisecondsLeft: millisecondsLeft) else { return step }
        restartByGet()
        return .pause(pause)
      }
      restartByGet()
      return .request
    }
    if found.verdict == .ok { return step }
    return retries.pause(after: result, millisecondsLeft: millisecondsLeft).map { .pause($0) } ?? step
  }

  /// Whether GET would not say more than HEAD did.
  private func isFinalForHead(_ found: LinkResult, _ result: Result<HTTPResponse, TransferError>) -> Bool {
    switch result {
    // Other failures are those of the connection.
    case .failure(let error): ![.lostConnection, .protocolError, .silence, .timeout].contains(error.kind)
    // A redirect into an app leads there for every method.
    case .success(let response):
      found.verdict == .ok && (found.contentType != nil || response.status != 200) || found.error == LinkFailure.scheme
    }
  }

  private mutating func restartByGet() {
    (usesHead, url, fragment, chain, redirects) = (false, start, "", [], 0)
  }

  private mutating func step(after result: Result<HTTPResponse, TransferError>) -> Step {
    switch result {
    case .success(let response): return step(after: response)
    case .failure(let error):
      return .done(self.result(Self.verdict(of: error.kind, isOnline: Route.exists), error: error.code))
    }
  }

  private mutating func step(after response: HTTPResponse) -> Step {
    let hop = LinkHop(url: url, status: response.status)
    if chain.last?.url == url { chain[chain.count - 1] = hop } else { chain.append(hop) }
    if [301, 302, 303, 307, 308].contains(response.status) {
      if let location = response.headers["Location"], !location.isEmpty { return follow(location) }
      return .done(result(.error, status: response.status, error: LinkFailure.badRedirect))
    }
    let type = ContentType(response.headers["Content-Type"])
    let verdict = accepted.contains(response.status) ? .ok : LinkVerdict(status: response.status)
    var result = result(verdict, status: response.status)
    result.contentType = type?.essence
    if wantsTitle, result.verdict == .ok, type?.isPage == true {
      result.title = PageTitle.find(in: response.body, charset: type?.charset)
    }
    return .done(result)
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
      return .done(result(ofScheme: scheme, status: status))
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
    return .request
  }

  /// - Parameter isOnline: whether this machine has a network at all. It is evaluated only when it matters.
  static func verdict(of failure: TransferError.Kind, isOnline: @autoclosure () -> Bool) -> LinkVerdict {
    switch failure {
    case .badURL, .noResources: .unknown
    // A resolver on this machine may say so while there is no network, which says nothing about the link.
    case .noSuchHost: isOnline() ? .dead : .unknown
    case .dns, .unreachable: isOnline() ? .error : .unknown
    default: .error
    }
  }

  /// The result for an address that no request can reach. A music player's scheme says what the link is: it needs none.
  private func result(ofScheme scheme: String, status: Int?) -> LinkResult {
    MusicServices.schemes.contains(scheme)
      ? result(.ok, status: status) : result(.unknown, status: status, error: LinkFailure.scheme)
  }

  private func result(_ verdict: LinkVerdict, status: Int? = nil, error: String? = nil) -> LinkResult {
    LinkResult(
      url: original, unwoundURL: url + fragment, status: status, verdict: verdict, error: error, chain: chain,
      redirects: redirects, checkedAt: .shown)
  }
}
