import TweetCore
import TweetNet

/// A copy of what was at an address, in the Internet Archive.
struct ArchivedCopy: Equatable, Sendable {
  let url: String
  /// When it was made.
  let madeAt: Timestamp
}

/// A request to the Internet Archive: for the copy of an address that is nearest to a time, by the Wayback Machine's
/// availability API (https://archive.org/help/wayback_api.php), or to make one, by its page "Save Page Now".
final class ArchiveSearch: Lookup {
  enum Outcome: Equatable, Sendable {
    /// `nil` if there is none, or none was made.
    case found(ArchivedCopy?)
    /// There were too many requests, or the archive is in trouble: it is not asked again for this many milliseconds.
    case refused(Int)
    /// Why there is no answer, for a person.
    case failed(String)
  }

  /// Where the API is, without a slash at the end.
  static let usualBase = "https://archive.org"
  /// The answer has a few hundred bytes.
  private static let maxBody = 64 << 10
  /// How long the archive is left alone if it does not say.
  private static let usualRest = 60_000

  /// Where copies are made, and are.
  private static let usualCopies = "https://web.archive.org"
  /// How long a look-up of a copy that is made may take: the archive fetches the page meanwhile.
  static let savingTime = 120_000

  private let url: String
  private let isSaving: Bool

  /// - Parameters:
  ///   - base: as `usualBase`; checked.
  ///   - postedAt: the time to which the copy is to be near; `nil` for the newest one.
  init(of url: String, base: WebAddress, postedAt: Timestamp?) {
    host = Self.tidy(base)
    let time = postedAt.map { "&timestamp=" + $0.rfc3339.prefix(19).filter(\.isNumber) } ?? ""
    self.url = "\(host)/wayback/available?url=\(PercentEncoding.encode(url))\(time)"
    isSaving = false
  }

  /// Makes a copy.
  init(saving url: String, base: WebAddress) {
    host = Self.tidy(base)
    self.url = "\(host == Self.usualBase ? Self.usualCopies : host)/save/\(url)"
    isSaving = true
  }

  private static func tidy(_ base: WebAddress) -> String {
    base.url.hasSuffix("/") ? String(base.url.dropLast()) : base.url
  }

  /// One request at a time: nothing else waits in this lane.
  let host: String

  var request: HTTPRequest {
    var request = HTTPRequest(.get, url, reaching: .publicOnly())
    request.headers = [HTTPHeader("Accept", isSaving ? "*/*" : "application/json")]
    request.maxBody = Self.maxBody
    return request
  }

  /// ``ArchiveQueue`` does.
  var leavesRestsToLoop: Bool { false }

  func begin() -> LookupStep<Outcome> { .request }

  func receive(_ result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int) -> LookupStep<Outcome> {
    switch result {
    case .failure(let error): .done(.failed(error.text))
    case .success(let response) where response.status == 429 || response.status == 503:
      .done(.refused(response.retryAfter.map { $0 > 86_400 ? .max : $0 * 1000 } ?? Self.usualRest))
    case .success(let response) where isSaving: .done(Self.outcome(ofSaving: response))
    case .success(let response) where response.status != 200: .done(.failed("http \(response.status)"))
    case .success(let response): .done(Self.outcome(of: response.body))
    }
  }

  /// Where the new copy is, as one of the header fields says: `/web/20130919044612/https://a.example/`.
  private static func outcome(ofSaving response: HTTPResponse) -> Outcome {
    guard response.status < 400 else { return .failed("http \(response.status)") }
    for name in ["Content-Location", "Location"] {
      guard let text = response.headers[name], text.utf8.count <= 8192,
        let address = WebAddress(text, relativeTo: response.url), address.path.hasPrefix("/web/"),
        let time = time(String(address.path.dropFirst(5).prefix(14)))
      else { continue }
      return .found(ArchivedCopy(url: address.url, madeAt: time))
    }
    // It refuses some sites, and those whose owners asked it to.
    return .found(nil)
  }

  /// Reads `{"archived_snapshots":{"closest":{"available":true,"url":…,"timestamp":"20130919044612","status":"200"}}}`;
  /// without a copy the object is empty.
  private static func outcome(of body: [UInt8]) -> Outcome {
    guard let document = try? JSONDocument(body), let snapshots = document["archived_snapshots"] else {
      return .failed("its answer is not that of its API")
    }
    guard let copy = snapshots["closest"], copy["available"]?.bool != false, let text = copy["url"]?.string,
      text.utf8.count <= 8192, let address = WebAddress(text), let time = copy["timestamp"]?.string.flatMap(time)
    else { return .found(nil) }
    // A copy of a page that says that nothing is there.
    if let status = copy["status"]?.string.flatMap({ Int($0) }), status >= 400 { return .found(nil) }
    // Its API still writes http, and the archive redirects it.
    let isPlain = address.scheme == "http" && address.host == "web.archive.org" && address.port == 80
    return .found(ArchivedCopy(url: isPlain ? "https" + address.url.dropFirst(4) : address.url, madeAt: time))
  }

  /// `20130919044612`, in UTC.
  private static func time(_ text: String) -> Timestamp? {
    let digits = Array(text.utf8)
    guard digits.count == 14, digits.allSatisfy(\.isASCIIDigit) else { return nil }
    func part(_ range: Range<Int>) -> Substring { Substring(decoding: digits[range], as: UTF8.self) }
    return Timestamp(
      parsing: "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z")
  }
}
