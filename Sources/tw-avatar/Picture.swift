import TweetCore
import TweetPictures

/// A profile picture that is in the store: the facts that records contain.
struct Picture: Equatable, Sendable {
  /// `ContentKey` of its bytes.
  var key: String
  /// The media type that the bytes show: `image/png` and so on.
  var type: String
  var width: Int
  var height: Int
  /// How many.
  var bytes: Int
  /// When the server last sent it, or said that it is still the same. `nil` when later requests failed.
  var fetchedAt: Timestamp?
  /// The code of the failure of the last request; `nil` if it succeeded. The picture is then an earlier one.
  var error: String?
}

/// Why there is no picture.
struct PictureFailure: Error, Equatable, Sendable {
  /// The value of the record's `error` key: `http 404`, `timeout`, `too-large`, …
  let code: String
  /// Of the answer, if there was one.
  let status: Int?

  /// The service gives it to accounts without a picture: nothing is requested.
  static let standardPicture = PictureFailure("default")
  static let tooLarge = PictureFailure("too-large")
  static let notAPicture = PictureFailure("not-a-picture")
  static let tooManyRedirects = PictureFailure("too-many-redirects")
  static let badURL = PictureFailure("bad-url")
  static let privateAddress = PictureFailure("private-address")
  /// The process may open no more files; there is no way through the proxy; the file of authorities cannot be read.
  static let noResources = PictureFailure("no-resources")
  static let noProxy = PictureFailure("proxy")
  static let noAuthorities = PictureFailure("tls-no-authorities")
  /// Its host wants no requests for a longer time: nobody asked for this one.
  static let limited = PictureFailure("limited")
  /// It crashed the decoder, or took it too long.
  static let decoderFailed = PictureFailure("decoder-failed")
  /// There is no decoder for it on this machine.
  static let noDecoder = PictureFailure("no-decoder")

  /// A picture of a format that is not decoded here, which its first bytes name.
  static func unsupported(_ type: String) -> PictureFailure { PictureFailure(unsupportedPrefix + type) }
  private static let unsupportedPrefix = "unsupported "

  init(_ code: String, status: Int? = nil) {
    self.code = code
    self.status = status
  }

  init(_ failure: DecoderFailure) {
    self =
      switch failure {
      case .notAPicture: .notAPicture
      case .tooLarge: .tooLarge
      case .decoderFailed: .decoderFailed
      case .noDecoder: .noDecoder
      }
  }

  /// - Parameter status: of an answer without a picture.
  init(status: Int) { self.init("http \(status)", status: status) }

  /// Whether it says something of this machine or this run only, and nothing that the next run should know.
  var isLocal: Bool { [.privateAddress, .noResources, .noProxy, .noAuthorities, .limited, .noDecoder].contains(self) }

  /// Whether it says something about the picture. If not, it may pass, like too many requests and failures of the
  /// server.
  var isFinal: Bool {
    if let status { return (400..<500).contains(status) && status != 408 && status != 429 }
    if code.hasPrefix(Self.unsupportedPrefix) { return true }
    return [.standardPicture, .tooLarge, .notAPicture, .tooManyRedirects, .badURL].contains(self)
  }
}

/// The result of the look-up of a picture.
typealias PictureResult = Result<Picture, PictureFailure>

/// The same as an answer for records.
final class AvatarAnswer {
  let result: PictureResult

  init(_ result: PictureResult) { self.result = result }
}
