import MediaStore
import TweetCLI
import TweetCore
import TweetDisplay

/// The pictures of tweets as tw-avatar has fetched them, or has found them in an archive: in their own size.
enum OriginalPictures {
  /// - Returns: what gives a picture's whole file, by its key.
  static func reader() throws(ToolError) -> (PictureKey) -> [UInt8]? {
    let path = try Paths.mediaStore(besides: Settings.load().tweetStore)
    guard MediaStore.exists(path) else { return { _ in nil } }
    let store = Shared(try MediaStore(path) { Diagnostics.warn($0) })
    return { key in try? store.value.bytes(ofPicture: key.name) }
  }
}
