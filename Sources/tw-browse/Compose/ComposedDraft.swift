import TweetCore

/// A post before it is made.
struct ComposedDraft: Equatable {
  /// What the post is to a tweet.
  enum Kind: String {
    case post, reply, quote
  }

  struct Picture: Equatable {
    let path: String
    var description: String
  }

  let kind: Kind
  /// `service:id` of the tweet that it answers or quotes; nothing for a new post.
  let tweet: String
  var text = ""
  var pictures: [Picture] = []
  /// Where it goes, as `--to` has it; `nil` for the account in use.
  var targets: String?
  /// Whether it was given to tw-post, and nobody has heard what became of it.
  var wasSent = false

  init(_ kind: Kind, tweet: String = "") { (self.kind, self.tweet) = (kind, tweet) }

  var isEmpty: Bool { text.allSatisfy(\.isWhitespace) && pictures.isEmpty }

  /// The posts of it: a line of `---` stands between those of a thread.
  var parts: [String] {
    var parts = [""]
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.trimmed == Self.divider { parts.append("") } else { parts[parts.count - 1] += line + "\n" }
    }
    return parts.map { $0.trimmed }
  }

  /// Whether it becomes several posts.
  var isThread: Bool { parts.count > 1 }

  private static let divider = "---"

  // MARK: On disk

  /// A JSON object, for the file.
  var bytes: ByteBuffer {
    var out = ByteBuffer(capacity: text.utf8.count + 256)
    out.object {
      $0.member("kind", kind.rawValue)
      $0.member("tweet", tweet)
      $0.member("text", text)
      $0.member("to", targets)
      if wasSent { $0.member("sent", true) }
      $0.array("pictures") {
        for picture in pictures {
          $0.element {
            $0.member("path", picture.path)
            $0.member("description", picture.description)
          }
        }
      }
    }
    out.append("\n")
    return out
  }

  /// - Returns: `nil` for a file that has no draft for this.
  init?(_ file: [UInt8], kind: Kind, tweet: String) {
    guard let object = try? JSONDocument(file), object["kind"]?.string == kind.rawValue,
      object["tweet"]?.string == tweet,
      let text = object["text"]?.string
    else { return nil }
    (self.kind, self.tweet, self.text) = (kind, tweet, text)
    targets = object["to"]?.nonEmptyString
    wasSent = object["sent"]?.bool == true
    pictures = object.list("pictures").compactMap { picture in
      picture["path"]?.nonEmptyString.map { Picture(path: $0, description: picture["description"]?.string ?? "") }
    }
  }
}
