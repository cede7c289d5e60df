package import TweetCore
package import TweetNet

/// What a request of a write is made from, beside the action.
package struct WriteParts: Sendable, Equatable {
  /// The id of what is changed; empty for a post that is to be made.
  package var target = ""
  /// The ids of the uploads that the post shows.
  package var media: [String] = []
  /// What tells the service that a request is one that it had before; the same for each try.
  package var key: String?
  /// Whether no request with that key was made before.
  package var isNewKey = false
  /// What the service has said of other posts and accounts, under names that only its own API knows.
  package var facts: [String: String] = [:]
  /// What was asked for this request alone and is not kept, since it may be otherwise before the next one.
  package var seen: String?

  package init(target: String = "", media: [String] = [], key: String? = nil) {
    (self.target, self.media, self.key) = (target, media, key)
  }
}

/// What an answer says of a write that is to be made.
package enum WriteAnswer: Sendable, Equatable {
  /// Its parts are complete, or more complete.
  case learnt(WriteParts)
  /// It is so already.
  case done
  /// The post was made by an earlier try.
  ///
  /// - Parameter id: of the post.
  case made(id: String)
  /// It never can be.
  case refused(ToolError)
}

/// How the files of a post reach a service that takes each in one request. Nobody sees them before the post, so all of
/// it may be repeated.
package protocol WholeMediaAPI: Sendable {
  /// - Parameters:
  ///   - type: its media type, such as `image/png`.
  ///   - description: what is in it, where the service wants to know that with the file.
  func upload(_ bytes: [UInt8], type: String, description: String?) -> HTTPRequest
  /// The upload that the 2xx answer to it names; `nil` when it names none.
  func upload(ofType type: String, in answer: HTTPResponse) -> MediaUpload?
  /// Reads a 2xx answer to the upload, and to ``mediaState(_:)``: how far the service is with the file.
  func processing(in answer: HTTPResponse) -> MediaProcessing
  /// Asks how far the service is with a file that it works on; `nil` if it works on none.
  func mediaState(_ id: String) -> HTTPRequest?
}

extension WholeMediaAPI {
  package func processing(in answer: HTTPResponse) -> MediaProcessing { .done }
  package func mediaState(_ id: String) -> HTTPRequest? { nil }
}
