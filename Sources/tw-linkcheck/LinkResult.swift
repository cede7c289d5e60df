import MediaStore
import TweetCore
import TweetNet

/// One request of a check: its URL, and the status of the answer.
struct LinkHop: Equatable, Sendable {
  var url: String
  var status: Int
}

/// The result of the check of one URL: the facts from which the members of a record are made.
struct LinkResult: Equatable, Sendable {
  /// Whether a link that was redirected can be replaced by its target: the values of `redirect_kind`.
  enum RedirectKind: String, Sendable {
    /// All redirects were 301 or 308.
    case permanent
    case temporary
  }

  /// The checked URL, without its fragment.
  var url: String
  /// Its parts, if they were read.
  var address: WebAddress?
  /// Where it ended: the last URL of the chain, or the target of a redirect that was not followed. It has a fragment
  /// when a redirect had one.
  var unwoundURL: String { didSet { unwoundAddress = nil } }
  /// Its parts, if they were read.
  private(set) var unwoundAddress: WebAddress?
  /// Of the last answer; `nil` when there was none.
  var status: Int?
  /// Type and subtype, lower case, without parameters.
  var contentType: String?
  /// The name under which a browser would save what is there; `nil` if the server gives none.
  var fileName: String?
  /// Whether the server wants it to be saved, not shown.
  var isAttachment = false
  var title: String?
  /// What the page says for those who show a card of it.
  var card = PageCard()
  /// The directory in which the page is saved, and its text; `nil` if it is not saved.
  var savedIn: String?
  var pageText: String?
  /// Whether the page was read for its title.
  var isPageRead = false
  /// The address that the page gives itself (RFC 6596), if it is another one.
  var relCanonical: String?
  var verdict: LinkVerdict
  /// Why it looks as if the page were missing although the server answers with success.
  var softNotFound: SoftNotFound?
  /// A short code; `nil` when every request had a usable answer.
  var error: String?
  /// The requests, in order.
  var chain: [LinkHop] = []
  var redirects = 0
  /// `nil` if there were no redirects.
  var redirectKind: RedirectKind?
  /// How many redirects are from the store, since their server failed.
  var storedRedirects = 0
  /// Whether a redirect led from https to http.
  var isDowngraded = false
  /// How many checks in a row have failed, this one included, and when the first of them was made.
  var failures = 0
  var failingSince: Timestamp?
  /// The verdict before the last change of it, and whether this check is the one that found the change.
  var was: EarlierVerdict?
  var hasChanged = false
  /// Of a dead link: its copy in the Internet Archive, and when the archive last said whether there is one.
  var archived: ArchivedCopy?
  var archiveAskedAt: Timestamp?
  var checkedAt: Timestamp
  /// When the host may be asked again, if it says so.
  var retryAt: Timestamp?

  /// The addresses where it ended and where it began, if they are such: one, if that is the same.
  var addresses: [WebAddress] {
    let end = unwoundAddress ?? WebAddress(unwoundURL)
    if unwoundURL == url { return end.map { [$0] } ?? [] }
    return [end, address ?? WebAddress(url)].compactMap { $0 }
  }

  /// The identifier of the music that the link leads to, from the URL where it ended, else from that where it began.
  func musicID(_ finding: LinkKind.Finding?) -> String? {
    guard let finding, [.music, .audio, .playlist].contains(finding.kind) else { return nil }
    return MusicServices.identifier(of: unwoundURL) ?? MusicServices.identifier(of: url)
  }
}
