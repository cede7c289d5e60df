import TweetNet

/// What a check found about a link: the scale of the `verdict` key.
enum LinkVerdict: String, CaseIterable, Sendable {
  /// It leads somewhere: the last answer was 2xx, however many redirects came before.
  case ok
  /// There is nothing there any more: 404, 410, or a host whose name does not exist.
  case dead
  /// Something is there, but not for us: 401, 402, 403, 407, 451, and the 999 of sites that turn programs away.
  case blocked
  /// The host had enough of our requests (429) and did not let us in when asked again.
  case limited
  /// It does not work: a server's failure (5xx), no usable connection (refused, TLS, time-out), redirects without end,
  /// or an address we do not go to.
  case error
  /// The check says nothing: no such scheme, no URL, an odd status, or no network here.
  case unknown

  /// - Parameter status: of the last answer, not a redirect.
  init(status: Int) {
    switch status {
    case 200..<300: self = .ok
    case 404, 410: self = .dead
    case 401, 402, 403, 407, 451, 999: self = .blocked
    case 429: self = .limited
    case 500..<600: self = .error
    default: self = .unknown
    }
  }

  /// Whether it holds for as long as `--max-age` says. The others are of the moment: they are asked again sooner.
  var isLasting: Bool {
    switch self {
    case .ok, .dead, .blocked: true
    case .limited, .error, .unknown: false
    }
  }
}

/// Why there was no usable answer: the values of the `error` key that a check itself gives; a `TransferError`'s code is
/// the other source.
enum LinkFailure {
  /// More than `LinkCheck.maxRedirects`.
  static let tooManyRedirects = "too-many-redirects"
  /// A redirect to a URL that was asked before with the same method.
  static let redirectLoop = "redirect-loop"
  /// Neither http nor https: nothing is requested.
  static let scheme = "unsupported-scheme"
  /// A redirect without a place to go to.
  static let badRedirect = "bad-redirect"
  static let badURL = TransferError.Kind.badURL.rawValue
  static let privateAddress = TransferError.Kind.privateAddress.rawValue
}
