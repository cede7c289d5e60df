import TweetCore
import TweetNet

/// The fetching of the picture at one URL: which request comes next, and what the answers mean.
struct PictureFetch: Lookup {
  static let maxRedirects = 5

  /// What the server is asked with whether an earlier answer still holds (RFC 9110 §13.1).
  struct Validators: Equatable, Sendable {
    let etag: String?
    let lastModified: String?

    init(etag: String?, lastModified: String?) {
      // The values may come from an old or damaged store: what a header cannot contain is dropped.
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

  enum Outcome {
    /// The picture is still the one that the validators belong to.
    case unchanged
    case picture(PictureHeader, [UInt8], Validators)
    case failed(PictureFailure)
  }

  private(set) var url: String
  /// Its parts; `nil` before ``begin()``.
  private var address: WebAddress?
  private let validators: Validators?
  private let maxBytes: Int
  private let folder: ArchivePictures?
  private var redirects = 0
  private var retries: LookupRetries

  /// - Parameters:
  ///   - validators: of the picture that is in the store, `nil` when none is.
  ///   - maxBytes: a larger picture is a failure.
  ///   - retries: how many further tries there are after failures that may pass.
  ///   - folder: has pictures that need no request.
  init(_ url: String, validators: Validators?, maxBytes: Int, retries: Int, folder: ArchivePictures?) {
    self.folder = folder
    self.url = url
    self.retries = LookupRetries(retries)
    self.validators = validators
    self.maxBytes = maxBytes
  }

  var request: HTTPRequest {
    // The loop says which addresses are allowed.
    var request =
      address.map { HTTPRequest(.get, to: $0, reaching: .publicOnly()) }
      ?? HTTPRequest(.get, url, reaching: .publicOnly())
    request.headers = [HTTPHeader("Accept", "image/*")] + (validators?.headers ?? [])
    request.maxBody = maxBytes
    return request
  }

  var target: WebAddress? { address }
  var host: String { address?.host ?? "" }

  mutating func begin() -> LookupStep<Outcome> {
    guard let address = WebAddress(url) else { return .done(.failed(.badURL)) }
    if let bytes = folder?.bytes(of: url, most: maxBytes), let header = PictureHeader(bytes) {
      return .done(.picture(header, bytes, Validators(etag: nil, lastModified: nil)))
    }
    (self.address, url) = (address, address.url)
    return .request
  }

  mutating func receive(
    _ result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int
  ) -> LookupStep<Outcome> {
    if let pause = retries.pause(after: result, millisecondsLeft: millisecondsLeft) { return .pause(pause) }
    return switch result {
    case .failure(let error): .done(.failed(PictureFailure(error.code)))
    case .success(let response): step(after: response)
    }
  }

  private mutating func step(after response: HTTPResponse) -> LookupStep<Outcome> {
    switch response.status {
    case 200:
      return .done(picture(in: response))
    case 304 where validators != nil:
      return .done(.unchanged)
    case 301, 302, 303, 307, 308:
      guard redirects < Self.maxRedirects else { return .done(.failed(.tooManyRedirects)) }
      redirects += 1
      guard let location = response.headers["Location"], let target = WebAddress(location, relativeTo: url) else {
        return .done(.failed(.badURL))
      }
      (address, url) = (target, target.url)
      return .request
    default:
      return .done(.failed(PictureFailure(status: response.status)))
    }
  }

  private func picture(in response: HTTPResponse) -> Outcome {
    if response.truncated { return .failed(.tooLarge) }
    guard let header = PictureHeader(response.body) else {
      return .failed(OtherPictureFormat.type(of: response.body).map { .unsupported($0) } ?? .notAPicture)
    }
    let validators = Validators(etag: response.headers["ETag"], lastModified: response.headers["Last-Modified"])
    return .picture(header, response.body, validators)
  }
}

/// Formats of pictures that are recognised, so that people are told what is there, and not decoded.
enum OtherPictureFormat {
  /// The media type that the first bytes show; `nil` for what is not a picture, or of a format that is decoded.
  static func type(of bytes: [UInt8]) -> String? {
    // ISO base media file format (ISO/IEC 14496-12 §4.3): the size of the first box, its name, the brand, its version,
    // and the brands that the file is compatible with.
    if bytes.count >= 12, bytes[4..<8].elementsEqual("ftyp".utf8) {
      let length = min(bytes.count, bytes[..<4].reduce(0) { $0 << 8 | Int($1) }, 256)
      let found = ([8] + stride(from: 16, to: max(16, length - 3), by: 4)).compactMap { at in
        brands[String(decoding: bytes[at..<at + 4], as: UTF8.self)]
      }
      // The general brand says less than one of a coding.
      return found.first { $0 != "image/heif" } ?? found.first
    }
    if let known = starts.first(where: { bytes.starts(with: $0.bytes) }) { return known.type }
    let text = bytes.prefix(1024).drop { $0 <= 0x20 }
    guard text.starts(with: "<svg".utf8) || text.starts(with: "<?xml".utf8) else { return nil }
    return String(decoding: text, as: UTF8.self).contains("<svg") ? "image/svg+xml" : nil
  }

  private static let brands = [
    "avif": "image/avif", "avis": "image/avif", "heic": "image/heic", "heix": "image/heic", "hevc": "image/heic",
    "hevx": "image/heic", "heim": "image/heic", "heis": "image/heic", "hevm": "image/heic", "hevs": "image/heic",
    "mif1": "image/heif", "mif2": "image/heif", "msf1": "image/heif",
  ]

  private static let starts: [(bytes: [UInt8], type: String)] = [
    ([0xFF, 0x0A], "image/jxl"), ([0, 0, 0, 0x0C, 0x4A, 0x58, 0x4C, 0x20], "image/jxl"),
    ([0, 0, 0, 0x0C, 0x6A, 0x50, 0x20, 0x20], "image/jp2"), ([0xFF, 0x4F, 0xFF, 0x51], "image/jp2"),
    ([0x38, 0x42, 0x50, 0x53], "image/vnd.adobe.photoshop"), ([0x49, 0x49, 0xBC], "image/jxr"),
    ([0x71, 0x6F, 0x69, 0x66], "image/qoi"), ([0x42, 0x4D], "image/bmp"), ([0, 0, 1, 0], "image/x-icon"),
    ([0x49, 0x49, 0x2A, 0], "image/tiff"),
    ([0x4D, 0x4D, 0, 0x2A], "image/tiff"),
  ]
}
