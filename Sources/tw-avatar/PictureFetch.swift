import TweetCore
import TweetNet

/// The fetching of one URL's picture: which request comes next, and what the answers mean. It makes no requests itself.
struct PictureFetch {
  static let maxRedirects = 5

  /// How an earlier answer is asked about again (RFC 9110 §13.1).
  struct Validators: Equatable, Sendable {
    let etag: String?
    let lastModified: String?

    init(etag: String?, lastModified: String?) {
      // What goes back into a header must be what a header can hold.
      self.etag = etag.flatMap(Self.clean)
      self.lastModified = lastModified.flatMap(Self.clean)
    }

    private static func clean(_ value: String) -> String? {
      value.utf8.count <= 512 && value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } ? value : nil
    }

    var headers: [HTTPHeader] {
      [etag.map { HTTPHeader("If-None-Match", $0) }, lastModified.map { HTTPHeader("If-Modified-Since", $0) }]
        .compactMap { $0 }
    }
  }

  enum Step {
    /// GET `url` with `headers`.
    case request
    /// The picture that the validators belong to is still the one.
    case unchanged
    case picture(PictureHeader, [UInt8], Validators)
    case failed(PictureFailure)
  }

  /// What is to be asked next.
  private(set) var url: String
  private let validators: Validators?
  private var redirects = 0

  /// - Parameter validators: of the picture that is known already, `nil` when none is.
  init(_ url: String, validators: Validators?) {
    self.url = url
    self.validators = validators
  }

  var headers: [HTTPHeader] { [HTTPHeader("Accept", "image/*")] + (validators?.headers ?? []) }

  mutating func begin() -> Step {
    guard let address = WebAddress(url) else { return .failed(.badURL) }
    url = address.url
    return .request
  }

  mutating func received(_ outcome: Result<HTTPResponse, TransferError>) -> Step {
    switch outcome {
    case .failure(let error):
      return .failed(PictureFailure(error.code))
    case .success(let response):
      return answered(response)
    }
  }

  private mutating func answered(_ response: HTTPResponse) -> Step {
    switch response.status {
    case 200:
      if response.truncated { return .failed(.tooLarge) }
      guard let header = PictureHeader(response.body) else { return .failed(.notAPicture) }
      let validators = Validators(
        etag: response.headers["ETag"], lastModified: response.headers["Last-Modified"])
      return .picture(header, response.body, validators)
    case 304 where validators != nil:
      return .unchanged
    case 301, 302, 303, 307, 308:
      guard redirects < Self.maxRedirects else { return .failed(.tooManyRedirects) }
      redirects += 1
      guard let location = response.headers["Location"], let target = WebAddress(location, relativeTo: url) else {
        return .failed(.badURL)
      }
      url = target.url
      return .request
    default:
      return .failed(PictureFailure(status: response.status))
    }
  }
}
