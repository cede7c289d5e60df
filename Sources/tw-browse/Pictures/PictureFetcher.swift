import TweetCLI
import TweetCore
import TweetDisplay

/// Has tw-avatar fetch what is not there of the pictures on the screen. One command runs for photos, and one for
/// pictures of authors; of what was on the screen meanwhile, only what is there then is asked for.
final class PictureFetcher {
  private unowned let model: BrowseModel
  private let pictures: ScreenPictures?
  /// Whether photos, and whether authors' pictures are fetched now.
  private var running: Set<Bool> = []

  init(_ model: BrowseModel, _ pictures: ScreenPictures?) { (self.model, self.pictures) = (model, pictures) }

  /// - Parameters:
  ///   - keys: of the tweets whose pictures are not there.
  ///   - withMedia: whether photos are fetched as well as authors' pictures.
  func fetch(_ keys: [Int], withMedia: Bool) {
    guard !running.contains(withMedia) else { return }
    let documents = keys.compactMap { model.records.entry($0)?.picturedDocument }
    if documents.isEmpty { return }
    do throws(ToolError) {
      let file = try UnnamedFile.holding(documents.flatMap(\.line))
      let command = try model.jobs.start(
        [model.tools.pictures(withMedia: withMedia)], reading: file.descriptor,
        record: { [weak self] in self?.take($0) },
        finish: { [weak self] _, command in
          self?.running.remove(withMedia)
          self?.giveUp(documents, withMedia: withMedia, command.lastWords)
        })
      command.isExpendable = true
      running.insert(withMedia)
    } catch {
      giveUp(documents, withMedia: withMedia, error.message)
    }
  }

  private func take(_ record: JSONDocument) {
    for (address, result) in record.read({ PictureAddresses($0).found }) {
      if let result { pictures?.take(result, of: address) }
    }
  }

  /// What the tool has said nothing of stays as it is, with a reason.
  private func giveUp(_ documents: [JSONDocument], withMedia: Bool, _ reason: String?) {
    for document in documents {
      for (address, _) in document.read({ PictureAddresses($0, withMedia: withMedia).found }) {
        pictures?.giveUp(address, reason ?? "not fetched")
      }
    }
  }
}

/// The addresses of the pictures of a tweet and of those in it, or of a notification, with what tw-avatar has found out
/// about each.
private struct PictureAddresses {
  /// tw-avatar follows so many levels of references.
  private static let deepest = 4

  private(set) var found: [(address: String, result: ScreenPictures.Fetched?)] = []
  private let withMedia: Bool

  init(_ record: JSONValue, withMedia: Bool = true) {
    self.withMedia = withMedia
    if record["tw"]?.equals("notification") == true {
      if let user = record["user"] { add(AuthorFields(user).pictureAddress, user["avatar"]) }
      if let tweet = record["tweet"] { add(tweet, depth: 0) }
    } else {
      add(record, depth: 0)
    }
  }

  private mutating func add(_ tweet: JSONValue, depth: Int) {
    if let author = tweet["author"] {
      add(AuthorFields(author).pictureAddress, author["avatar"])
    }
    if withMedia, let media = tweet["attachments"]?["media"] {
      for medium in media.elements where medium.isObject {
        add(MediaFields(medium).pictureAddress, medium["picture"])
      }
    }
    guard depth < Self.deepest, let references = tweet["referenced_tweets"] else { return }
    for reference in references.elements { add(reference, depth: depth + 1) }
  }

  private mutating func add(_ address: JSONValue?, _ result: JSONValue?) {
    guard let address = address?.string else { return }
    found.append((address, result.flatMap { Self.fetched($0) }))
  }

  private static func fetched(_ result: JSONValue) -> ScreenPictures.Fetched? {
    if let key = PictureKey(result["key"]) { return .key(key) }
    if let error = result["error"]?.string { return .failure(error) }
    return result["default"]?.bool == true ? .standard : nil
  }
}
