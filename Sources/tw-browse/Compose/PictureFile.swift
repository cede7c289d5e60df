import Libc
import TweetCore

/// A file that a post is to show. Whether it is a picture tw-post says.
enum PictureFile {
  /// The full path of a file; `nil` if there is none.
  static func path(_ text: String) -> String? {
    var status = stat()
    guard let path = Paths.real(text), stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    return path
  }
}
