package import TweetNet

/// How pictures and videos reach a service: piece by piece, before the post that shows them. Nobody sees them until
/// then, so all of it may be repeated.
package protocol MediaAPI: Sendable {
  /// Bytes of a piece, at most.
  var mediaPieceSize: Int { get }
  /// Most pieces of a file.
  var mostMediaPieces: Int { get }

  /// Begins an upload.
  ///
  /// - Parameters:
  ///   - type: the media type of the file, such as `image/png`.
  ///   - size: its bytes.
  func beginMedia(type: String, size: Int) -> HTTPRequest
  /// The upload that the 2xx answer to it names; `nil` when it names none.
  ///
  /// - Parameter type: the media type that the upload was begun with.
  func upload(ofType type: String, in answer: HTTPResponse) -> MediaUpload?
  func appendMedia(_ piece: [UInt8], number: Int, to id: String) -> HTTPRequest
  func finishMedia(_ id: String) -> HTTPRequest
  /// Asks how far the service is with a file that it works on.
  func mediaState(_ id: String) -> HTTPRequest
  /// Reads the 2xx answer to ``finishMedia(_:)`` and ``mediaState(_:)``.
  func processing(in answer: HTTPResponse) -> MediaProcessing
  /// Says what is in a picture, for those who do not see it.
  func describeMedia(_ id: String, _ text: String) -> HTTPRequest
}

/// How far a service is with a file.
package enum MediaProcessing: Sendable, Equatable {
  case done
  /// Ask again after this many milliseconds.
  case underWay(Int)
  case failed
}

/// A file that was uploaded.
package struct MediaUpload: Sendable, Equatable {
  /// What a post names it by.
  package var id: String
  /// What tweets name it by; `nil` if the service does not say it before there is a tweet.
  package var key: String?
  /// Its media type, such as `image/png`.
  package var type: String
  /// In pixels; `nil` if the file does not say it.
  package var width: Int?
  package var height: Int?

  package init(id: String, key: String?, type: String) {
    self.id = id
    self.key = key
    self.type = type
  }
}
