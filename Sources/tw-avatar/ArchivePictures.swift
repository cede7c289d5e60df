import Libc
import TweetCore

/// Pictures that lie in the folders of an archive as X hands it out: `TWEETID-NAME.jpg` is what
/// `https://pbs.twimg.com/media/NAME.jpg` gives, and `USERID-NAME.jpg` the picture of a profile.
struct ArchivePictures: Sendable {
  /// The folders of an archive with pictures of posts and profiles. Those of messages are nobody else's business.
  private static let folders = [
    "tweets_media", "community_tweet_media", "profile_media",
  ]

  /// The files, by their names without the id.
  private var files: [String: String] = [:]

  /// - Parameter path: an unpacked archive, its folder `data`, or one with the pictures themselves.
  init(_ path: String) throws(ToolError) {
    guard let own = Directory.names(in: path) else {
      throw .noInput("cannot read the directory '\(path)'", errno)
    }
    for name in own { add(name, in: path) }
    for folder in ["", "data/"].flatMap({ part in Self.folders.map { "\(path)/\(part)\($0)" } }) {
      for name in Directory.names(in: folder) ?? [] { add(name, in: folder) }
    }
    if files.isEmpty {
      throw .noInput("'\(path)' has no pictures of an archive, such as data/tweets_media/ID-NAME.jpg")
    }
  }

  private mutating func add(_ file: String, in folder: String) {
    guard let dash = file.firstIndex(of: "-"), dash > file.startIndex,
      file[..<dash].utf8.allSatisfy(\.isASCIIDigit)
    else { return }
    files[String(file[file.index(after: dash)...])] = "\(folder)/\(file)"
  }

  /// The bytes that an address of X gives, if a file has them.
  ///
  /// - Parameter most: a larger file counts as none.
  func bytes(of url: String, most: Int) -> [UInt8]? {
    guard let path = file(of: url) else { return nil }
    guard let file = Descriptor(path, O_RDONLY | O_NOFOLLOW), let status = stat(of: file.number), status.isFile,
      status.size <= most
    else { return nil }
    return readBytes(file.number, at: 0, count: status.size)
  }

  /// The file of an address.
  func file(of url: String) -> String? {
    guard url.hasPrefix("https://pbs.twimg.com/") else { return nil }
    return PictureSize.fileNames(of: url).lazy.compactMap { files[$0] }.first
  }
}
