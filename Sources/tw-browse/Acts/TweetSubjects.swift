import TweetCLI
import TweetCore

/// What there is in a tweet that something can be done with.
struct TweetSubjects {
  /// A picture of a tweet.
  struct Picture: Equatable {
    /// Its key in the store of pictures, as far as tw-avatar has fetched it.
    let key: String?
    /// Why tw-avatar has not.
    let error: String?
  }

  /// The tweet that people see: of a retweet the one that it repeats.
  let links: [TweetTarget.Link]
  let pictures: [Picture]

  init(_ document: JSONDocument) {
    (links, pictures) = document.read { tweet in
      var pictures: [Picture] = []
      // One of which only the id is known has no pictures.
      let repeated = tweet.retweeted.flatMap { $0["text"] == nil ? nil : $0 }
      if let media = (repeated ?? tweet)["attachments"]?["media"] {
        for item in media.elements {
          let addresses = [item["url"], item["preview_image_url"]]
          let kind = item["type"]?.string
          guard kind == "photo" || kind == "image",
            addresses.contains(where: { $0?.nonEmptyString.map(TweetTarget.isWebAddress) ?? false })
          else { continue }
          pictures.append(
            Picture(key: item["picture"]?["key"]?.nonEmptyString, error: item["picture"]?["error"]?.nonEmptyString))
        }
      }
      return (TweetTarget(tweet)?.links ?? [], pictures)
    }
  }

  var hasLinks: Bool { !links.isEmpty }
  var hasPictures: Bool { !pictures.isEmpty }
  /// The first link to music.
  var music: TweetTarget.Link? { links.first { $0.isMusic } }
  var hasMusic: Bool { music != nil }
}

extension TweetTarget {
  /// `service:id`.
  var name: String { "\(service):\(id)" }
}
