import TweetNet

/// What a check found about a link: the values of the `verdict` key.
enum LinkVerdict: String, CaseIterable, Sendable {
  /// It leads somewhere: the last answer was 2xx, however many redirects came before. So does an address that a music
  /// player opens, whose scheme alone says so.
  case ok
  /// As `ok`, and permanent redirects alone lead to another address: the link can be replaced by it.
  case moved
  /// Nothing is there any more: 404, 410, or a host name that does not exist.
  case dead
  /// Something is there, but not for us: 401, 402, 403, 407, 451, and the 999 of sites that refuse programs.
  case blocked
  /// The host refuses requests because there were too many (429), for longer than the check waits.
  case limited
  /// It does not work: an answer of no other kind (5xx, 400, 418), no usable connection (name server, refused, TLS,
  /// time-out), endless redirects, or an address that requests may not reach.
  case error
  /// The check says nothing: an unsupported scheme, a text that is not a URL, or no network here.
  case unknown

  /// - Parameter status: of the last answer, not a redirect.
  init(status: Int) {
    switch status {
    case 200..<300: self = .ok
    case 404, 410: self = .dead
    case 401, 402, 403, 407, 451, 999: self = .blocked
    case 429: self = .limited
    // A server that answers has given a verdict, however odd its status.
    default: self = .error
    }
  }

  /// Whether the link works.
  var isGood: Bool { self == .ok || self == .moved }

  /// How long it is used again at most, in milliseconds; `nil` for as long as `--max-age` says. What is gone or refused
  /// today may be back tomorrow; other failures often pass within minutes.
  var lifetime: Int? {
    switch self {
    case .ok, .moved: nil
    case .dead, .blocked: 6 * 3_600_000
    case .limited, .error, .unknown: 3_600_000
    }
  }
}

/// Why there was no usable answer: those values of the `error` key that a check itself gives. The others are the codes
/// of `TransferError`.
enum LinkFailure {
  /// More than `LinkCheck.maxRedirects`.
  static let tooManyRedirects = "too-many-redirects"
  /// A redirect to a URL that an earlier request went to.
  static let redirectLoop = "redirect-loop"
  /// Neither http nor https: no request is made.
  static let scheme = "unsupported-scheme"
  /// A redirect without a usable target.
  static let badRedirect = "bad-redirect"
  /// No request was allowed, and the store has no verdict.
  static let offline = "offline"
  static let badURL = TransferError.Kind.badURL.rawValue
  /// The link's host wants no requests for a longer time, so none was made.
  static let limited = TransferError.Kind.limited.rawValue
  static let privateAddress = TransferError.Kind.privateAddress.rawValue
}
