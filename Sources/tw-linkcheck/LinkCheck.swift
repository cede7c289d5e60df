import Libc
import MediaStore
import TweetCore
import TweetNet

/// The check of one URL: which request comes next, and what the answers mean together.
///
/// It uses HEAD first, because a link may lead to gigabytes. Only success is believed of HEAD: servers refuse it with
/// all kinds of statuses and redirects, or do not answer it at all. What it finds otherwise is asked again with GET, of
/// which no more is read than needed. Redirects are followed one at a time, so that each address is checked. Cookies
/// are kept as long as the check, and go to the host that set them.
///
/// It is a class because ``LookupLoop`` does not know how large a look-up is, and would copy it out and back at each
/// use.
final class LinkCheck: Lookup {
  /// Browsers stop there, and RFC 9110 §15.4 names no number.
  static let usualRedirects = 20
  /// How much of a page is read for its title, up to the end of its head: YouTube's title comes after 100 KB of
  /// scripts.
  static let titleBytes = 1 << 20
  /// How much is read of a page that may be nothing but a redirect.
  private static let pageBytes = 64 << 10
  /// X's shortener redirects by a page if it takes us for a browser.
  private static let pageShortener = "t.co"

  /// Redirects to these lead nowhere: those of the web without a usable address, and what no browser opens for a page
  /// of the web.
  private static let unfollowed: Set<String> = [
    "http", "https", "file", "javascript", "data", "blob", "about", "filesystem", "view-source",
  ]

  typealias Step = LookupStep<LinkResult>

  private let original: String
  /// Its parts; `nil` before ``begin()``, and if no request can be made for it.
  private var address: WebAddress?
  /// How far the link was followed.
  private var path: LinkPath
  /// Where the requests by GET begin.
  private var start: LinkPath
  private var usesHead: Bool
  /// Whether HEAD was not believed.
  private var hasRestarted = false
  private let wantsTitle: Bool
  /// Why the first redirect of the store was needed.
  private var storedError: String?
  private var retries: LookupRetries
  private let accepted: Set<Int>
  private let isOffline: Bool
  private let usesGet: Bool
  private let maxRedirects: Int
  /// What is saved of the way and the end; `nil` for nothing.
  private let saving: SaveChoice?
  /// The answers so far, if they are saved.
  private(set) var exchanges: [SavedExchange] = []
  private var cookies = LinkCookies()
  /// How many requests of the path were made before the last cookie came: after it an address may answer otherwise.
  private var madeBeforeCookie = 0
  /// Whether the host said otherwise by HEAD than by GET: it is asked by GET from the beginning then.
  private(set) var isHeadWrong = false

  /// - Parameters:
  ///   - url: the link, without its fragment.
  ///   - wantsTitle: whether the beginning of a page is read for its title. Every request is a GET then.
  ///   - retries: how many further tries there are after failures that may pass.
  ///   - accepted: statuses that make a link `ok`, whatever they are.
  ///   - isOffline: whether no request may be made.
  ///   - usesGet: whether every request is a GET.
  ///   - saving: what is saved; `nil` for nothing. Every request is a GET then, and pages are read.
  init(
    _ url: String, wantsTitle: Bool, retries: Int, accepted: Set<Int> = [], isOffline: Bool = false,
    usesGet: Bool = false, maxRedirects: Int = LinkCheck.usualRedirects, saving: SaveChoice? = nil
  ) {
    self.usesGet = usesGet || saving != nil
    self.saving = saving
    let wantsTitle = wantsTitle || saving != nil
    self.maxRedirects = maxRedirects
    self.accepted = accepted
    self.isOffline = isOffline
    original = url
    path = LinkPath(url)
    start = path
    self.wantsTitle = wantsTitle
    self.retries = LookupRetries(retries)
    usesHead = !wantsTitle && !usesGet
  }

  var url: String { path.url }
  var target: WebAddress? { path.address }
  var host: String { target?.host ?? "" }
  var method: HTTPMethod { usesHead ? .head : .get }

  var request: HTTPRequest {
    // The loop says which addresses are allowed.
    var request =
      path.address.map { HTTPRequest(method, to: $0, reaching: .publicOnly()) }
      ?? HTTPRequest(method, url, reaching: .publicOnly())
    request.headers = [HTTPHeader("Accept", "*/*")]
    if let address = path.address, let cookie = cookies.field(for: address) {
      request.headers.append(HTTPHeader("Cookie", cookie))
    }
    if let saving, saving.contains(host: host) {
      request.maxBody = saving.pageSize
      // What is saved are the bytes of the page, not those of a compression.
      request.headers.append(HTTPHeader("Accept-Encoding", "identity"))
    } else {
      request.maxBody = wantsTitle ? Self.titleBytes : readsPage ? Self.pageBytes : 0
      request.endsAtHead = wantsTitle
    }
    // A page that ends too early, or is compressed in a wrong way, is there all the same.
    request.acceptsPartialBody = true
    request.acceptsRadio = true
    return request
  }

  /// Whether the beginning of a page is read: for its title, or because it may be nothing but a redirect.
  private var readsPage: Bool { wantsTitle || !usesHead && host == Self.pageShortener }

  func begin() -> Step {
    guard let address = WebAddress(url) else {
      guard let scheme = LinkKind.scheme(of: url), scheme != "http", scheme != "https" else {
        return .done(result(.unknown, error: LinkFailure.badURL))
      }
      return .done(result(ofScheme: scheme, status: nil))
    }
    // A check that goes on at a target of the store begins a second time.
    if path.redirects == 0 { self.address = address }
    path.normalize(as: address)
    start = path
    return isOffline ? .done(result(.unknown, error: LinkFailure.offline)) : .request
  }

  func receive(_ result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int) -> Step {
    let isOfHead = usesHead
    let step = step(after: result)
    guard case .done(let found) = step else { return step }
    if isOfHead, !isFinalForHead(found, result) {
      restartByGet()
      return .request
    }
    if found.verdict.isGood {
      isHeadWrong = !isOfHead && hasRestarted && path.redirects == 0
      return step
    }
    return retries.pause(after: result, millisecondsLeft: millisecondsLeft).map { .pause($0) } ?? step
  }

  /// Whether GET would not say more than HEAD did.
  private func isFinalForHead(_ found: LinkResult, _ result: Result<HTTPResponse, TransferError>) -> Bool {
    switch result {
    // Other failures are those of the connection.
    case .failure(let error): ![.lostConnection, .protocolError, .silence, .timeout].contains(error.kind)
    // A redirect into an app leads there for every method.
    case .success(let response):
      found.verdict.isGood && (found.contentType != nil || response.status != 200)
        && host != Self.pageShortener || found.error == LinkFailure.scheme
    }
  }

  /// A server that refuses HEAD with such a status may take GET.
  func changesAfterRefusal() -> Bool {
    guard usesHead else { return false }
    restartByGet()
    hasRestarted = false
    return true
  }

  private func restartByGet() { (usesHead, path, hasRestarted, madeBeforeCookie) = (false, start, true, 0) }

  private func step(after result: Result<HTTPResponse, TransferError>) -> Step {
    switch result {
    case .success(let response): return step(after: response)
    case .failure(let error):
      let verdict = error.isLocal ? .unknown : Self.verdict(of: error.kind, isOnline: Route.exists)
      var result = self.result(verdict, error: error.code)
      result.retryAt = error.retryAfter.map(Self.time)
      return .done(result)
    }
  }

  private func step(after response: HTTPResponse) -> Step {
    path.append(LinkHop(url: url, status: response.status))
    if saving != nil {
      // Of tries of the same address the last one counts.
      if exchanges.last?.request.url == request.url { exchanges.removeLast() }
      exchanges.append(SavedExchange(request: request, response: response))
    }
    if let address = path.address, cookies.take(response.headers.values("Set-Cookie"), from: address) {
      madeBeforeCookie = path.chain.count
    }
    if [301, 302, 303, 307, 308].contains(response.status) {
      if let location = response.headers.address("Location"), !location.isEmpty {
        return follow(location, isPermanent: response.status == 301 || response.status == 308)
      }
      return .done(result(.error, status: response.status, error: LinkFailure.badRedirect))
    }
    let type = ContentType(response.headers["Content-Type"])
    if response.isSuccess { return end(of: response, type) }
    let verdict = accepted.contains(response.status) ? .ok : LinkVerdict(status: response.status)
    var result = result(verdict, status: response.status)
    result.contentType = type?.essence
    if [429, 503].contains(response.status) { result.retryAt = response.retryAfter.map(Self.time) }
    return .done(result)
  }

  /// - Parameter seconds: from now.
  private static func time(after seconds: Int) -> Timestamp {
    Timestamp(milliseconds: Timestamp.shown.milliseconds + Int64(min(seconds, 10 * 31_536_000)) * 1000)
  }

  /// What comes after an answer with success: its end, unless it leads elsewhere by `Refresh` or as a page.
  private func end(of response: HTTPResponse, _ type: ContentType?) -> Step {
    if let refresh = response.headers["Refresh"].flatMap(PageRefresh.init), let step = follow(refresh) { return step }
    let beginning = response.body.count > Self.titleBytes ? Array(response.body[..<Self.titleBytes]) : response.body
    let page = readsPage && type?.isPage == true ? PageHead(beginning, charset: type?.charset) : nil
    if let refresh = page?.refresh, let step = follow(refresh) { return step }
    let hasMoved = path.redirectKind == .permanent && LinkAddress.leadsElsewhere(address, path.address)
    var result = result(hasMoved ? .moved : .ok, status: response.status)
    result.contentType = type?.essence
    let disposition = ContentDisposition(response.headers["Content-Disposition"])
    (result.fileName, result.isAttachment) = (disposition.fileName, disposition.isAttachment)
    if wantsTitle, let page {
      result.isPageRead = true
      result.title = page.title
      let canonical = page.canonical.flatMap { WebAddress($0, relativeTo: url)?.url }
      result.relCanonical = canonical == result.unwoundURL ? nil : canonical
      result.card = page.card
    }
    if saving?.contains(host: host) == true { result.pageText = PageText.make(response, type) }
    result.softNotFound = SoftNotFound.find(address, path.address, title: result.title)
    return .done(result)
  }

  /// Follows a page's refresh, as a browser does at once. Pages that lead to each other, or to themselves after a
  /// while, are no redirects.
  private func follow(_ refresh: PageRefresh) -> Step? {
    guard refresh.isRedirect, path.redirects < maxRedirects, let target = WebAddress(refresh.url, relativeTo: url),
      !path.contains(LinkAddress.withoutFragment(target.url))
    else { return nil }
    return follow(refresh.url, isPermanent: false)
  }

  private func follow(_ location: String, isPermanent: Bool) -> Step {
    let status = path.chain.last?.status
    guard let target = WebAddress(location, relativeTo: url) else {
      let scheme = LinkKind.scheme(of: location)
      guard let scheme, !Self.unfollowed.contains(scheme) else {
        return .done(result(.error, status: status, error: LinkFailure.badRedirect))
      }
      // The link leads into an app: that is its end, and no request is made.
      path.follow(app: String(location.prefix(2048)), isPermanent: isPermanent)
      return .done(result(ofScheme: scheme, status: status))
    }
    if path.redirects >= maxRedirects {
      return .done(result(.error, status: status, error: LinkFailure.tooManyRedirects))
    }
    path.follow(target, isPermanent: isPermanent)
    if path.contains(url, after: madeBeforeCookie) {
      return .done(result(.error, status: status, error: LinkFailure.redirectLoop))
    }
    return .request
  }

  // MARK: Redirects of the store

  /// Whether a redirect that the store has may be followed when the check has failed at ``url``.
  func mayFollowStored(after failure: LinkResult) -> Bool {
    let isOfLink = [LinkFailure.privateAddress, LinkFailure.badURL, LinkFailure.scheme].contains(failure.error)
    return !failure.verdict.isGood && !isOfLink && path.redirects < maxRedirects
  }

  /// Goes on at a target that the store has of the URL whose request failed.
  /// - Parameter failure: the result that the check would have had.
  func follow(stored target: WebAddress, after failure: LinkResult) {
    storedError = storedError ?? failure.error ?? failure.status.map { "http \($0)" }
    path.follow(target, isPermanent: true)
    path.storedRedirects += 1
    start = path
    (usesHead, hasRestarted) = (!wantsTitle && !usesGet, false)
  }

  // MARK: Results

  /// - Parameter isOnline: whether this machine has a network at all. It is evaluated only when it matters.
  static func verdict(of failure: TransferError.Kind, isOnline: @autoclosure () -> Bool) -> LinkVerdict {
    switch failure {
    case .badURL: .unknown
    // A resolver on this machine may say so while there is no network, which says nothing about the link.
    case .noSuchHost: isOnline() ? .dead : .unknown
    case .dns, .unreachable: isOnline() ? .error : .unknown
    case .limited: .limited
    default: .error
    }
  }

  /// The result for an address that no request can reach. A music player's scheme says what the link is: it needs none.
  private func result(ofScheme scheme: String, status: Int?) -> LinkResult {
    MusicServices.schemes.contains(scheme)
      ? result(path.redirectKind == .permanent ? .moved : .ok, status: status)
      : result(.unknown, status: status, error: LinkFailure.scheme)
  }

  private func result(_ verdict: LinkVerdict, status: Int? = nil, error: String? = nil) -> LinkResult {
    LinkResult(
      url: original, address: address, unwoundURL: url + path.fragment, unwoundAddress: path.address, status: status,
      verdict: verdict, error: error ?? storedError,
      chain: path.chain, redirects: path.redirects, redirectKind: path.redirectKind,
      storedRedirects: path.storedRedirects, isDowngraded: path.isDowngraded, checkedAt: .shown)
  }
}

/// Whether this machine has a way to the internet at all.
enum Route {
  /// It asks only the kernel's routing table: connecting a datagram socket sends nothing. The addresses are IANA's for
  /// documentation. No local network uses them, so the default route decides.
  static var exists: Bool { hasRoute4 || hasRoute6 }

  private static var hasRoute4: Bool {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(53).bigEndian
    guard inet_pton(AF_INET, "192.0.2.1", &address.sin_addr) == 1 else { return false }
    return connects(AF_INET, &address, MemoryLayout<sockaddr_in>.size)
  }

  private static var hasRoute6: Bool {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = UInt16(53).bigEndian
    guard inet_pton(AF_INET6, "2001:db8::1", &address.sin6_addr) == 1 else { return false }
    return connects(AF_INET6, &address, MemoryLayout<sockaddr_in6>.size)
  }

  private static func connects(_ family: Int32, _ address: UnsafeRawPointer, _ size: Int) -> Bool {
    let descriptor = socket(family, datagramSocketType, 0)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return connect(descriptor, address.assumingMemoryBound(to: sockaddr.self), socklen_t(size)) == 0
  }
}
