import TweetCore
import TweetNet

/// A copy of what was at an address, in the Internet Archive.
struct ArchivedCopy: Equatable, Sendable {
  let url: String
  /// When it was made.
  let madeAt: Timestamp
}

/// The search for the newest copy of an address, by the Wayback Machine's availability API
/// (https://archive.org/help/wayback_api.php).
struct ArchiveSearch: Lookup {
  enum Outcome: Equatable, Sendable {
    /// `nil` if there is none.
    case found(ArchivedCopy?)
    /// There were too many requests, or the archive is in trouble: it is not asked again for so many milliseconds.
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

  private let url: String

  /// - Parameter base: as `usualBase`; checked.
  init(of url: String, base: WebAddress) {
    let base = base.url.hasSuffix("/") ? String(base.url.dropLast()) : base.url
    self.url = "\(base)/wayback/available?url=\(PercentEncoding.encode(url))"
    host = base
  }

  /// One request at a time: nothing else waits in this lane.
  let host: String

  var request: HTTPRequest {
    var request = HTTPRequest(.get, url)
    request.headers = [HTTPHeader("Accept", "application/json")]
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
    case .success(let response) where response.status != 200: .done(.failed("http \(response.status)"))
    case .success(let response): .done(Self.outcome(of: response.body))
    }
  }

  /// Reads `{"archived_snapshots":{"closest":{"available":true,"url":…,"timestamp":"20130919044612","status":"200"}}}`;
  /// without a copy the object is empty.
  private static func outcome(of body: [UInt8]) -> Outcome {
    guard let document = try? JSONDocument(body), let snapshots = document.root["archived_snapshots"] else {
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
    guard digits.count == 14, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    func part(_ range: Range<Int>) -> Substring { Substring(decoding: digits[range], as: UTF8.self) }
    return Timestamp(
      parsing: "\(part(0..<4))-\(part(4..<6))-\(part(6..<8))T\(part(8..<10)):\(part(10..<12)):\(part(12..<14))Z")
  }
}
