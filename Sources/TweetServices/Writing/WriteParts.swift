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
  /// What the service has said of other posts and accounts, under names that only its own API knows.
  package var facts: [String: String] = [:]

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
  /// It never can be.
  case refused(ToolError)
}

/// How the files of a post reach a service that takes each in one request. Nobody sees them before the post, so all of it may be
/// repeated.
package protocol WholeMediaAPI: Sendable {
  /// The most bytes of a file of that media type; `nil` if the service takes none.
  func longestFile(ofType type: String) -> Int?
  func upload(_ bytes: [UInt8], type: String) -> HTTPRequest
  /// The upload that the 2xx answer to it names; `nil` when it names none.
  func upload(ofType type: String, in answer: HTTPResponse) -> MediaUpload?
  /// Refuses files that one post cannot show together.
  func check(_ uploads: [MediaUpload]) throws(ToolError)
}
