import TweetNet

/// How far a link was followed: the URL that is reached, and the requests and redirects before it.
struct LinkPath {
  /// Without its fragment.
  private(set) var url: String
  /// Its parts; `nil` if no request can be made for it.
  private(set) var address: WebAddress?
  /// Of the last redirect that had one, with its `#`.
  private(set) var fragment = ""
  private(set) var chain: [LinkHop] = []
  private(set) var redirects = 0
  /// How many of them are from the store.
  var storedRedirects = 0
  /// Whether one led from https to http.
  private(set) var isDowngraded = false
  private var areAllPermanent = true

  init(_ url: String) { self.url = url }

  /// `nil` if there were no redirects.
  var redirectKind: LinkResult.RedirectKind? {
    redirects == 0 ? nil : areAllPermanent ? .permanent : .temporary
  }

  /// Writes the URL that is reached in its normal form.
  mutating func normalize(as address: WebAddress) {
    (url, self.address) = (LinkAddress.withoutFragment(address.url), address)
  }

  /// Whether a request went to that URL, after this many others.
  func contains(_ url: String, after count: Int = 0) -> Bool { chain.dropFirst(count).contains { $0.url == url } }

  /// Adds a request. It takes the place of one for the same URL just before, with the same answer or another.
  mutating func append(_ hop: LinkHop) {
    if chain.last?.url == hop.url { chain.removeLast() }
    chain.append(hop)
  }

  mutating func follow(_ target: WebAddress, isPermanent: Bool) {
    isDowngraded = isDowngraded || target.scheme == "http" && address?.scheme == "https"
    address = target
    fragment = LinkAddress.fragment(of: target.url) ?? fragment
    url = LinkAddress.withoutFragment(target.url)
    count(isPermanent)
  }

  /// Follows a redirect to an address that is not for requests.
  mutating func follow(app address: String, isPermanent: Bool) {
    (url, self.address, fragment) = (address, nil, "")
    count(isPermanent)
  }

  private mutating func count(_ isPermanent: Bool) {
    redirects += 1
    areAllPermanent = areAllPermanent && isPermanent
  }
}
