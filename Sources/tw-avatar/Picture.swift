import TweetCore

/// A profile picture that is in the store: the facts that records carry.
struct Picture: Equatable, Sendable {
  /// `ContentKey` of its bytes.
  var key: String
  /// `image/png` and so on, by the bytes.
  var type: String
  var width: Int
  var height: Int
  /// How many.
  var bytes: Int
  /// When the server last gave it, or said that it is still the same. `nil` where it failed to since.
  var fetchedAt: Timestamp?
}

/// Why there is no picture.
struct PictureFailure: Error, Equatable, Sendable {
  /// What the record says: `http 404`, `timeout`, `too-large`, …
  let code: String
  /// Of the answer, where one came.
  let status: Int?

  static let tooLarge = PictureFailure("too-large")
  static let notAPicture = PictureFailure("not-a-picture")
  static let tooManyRedirects = PictureFailure("too-many-redirects")
  static let badURL = PictureFailure("bad-url")
  static let privateAddress = PictureFailure("private-address")

  init(_ code: String, status: Int? = nil) {
    self.code = code
    self.status = status
  }

  /// - Parameter status: of an answer without a picture.
  init(status: Int) { self.init("http \(status)", status: status) }

  /// Whether it is an answer about the picture, and not just about this moment. Too many requests, and failures of the
  /// server, may pass.
  var isFinal: Bool {
    if let status { return (400..<500).contains(status) && status != 408 && status != 429 }
    return [.tooLarge, .notAPicture, .tooManyRedirects, .badURL].contains(self)
  }
}

/// What a look-up of a picture gave.
typealias PictureResult = Result<Picture, PictureFailure>
