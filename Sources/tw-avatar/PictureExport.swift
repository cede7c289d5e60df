import Libc
import TweetCore

/// A directory of pictures as files, `jack.png` and so on, for programs that do not read the store.
final class PictureExport {
  private let directory: String
  /// The pictures whose files this run has seen or written, by the files' paths.
  private var written: [String: String] = [:]
  /// A forgotten one is only compared again.
  private static let mostRemembered = 10_000

  init(directory: String) throws(ToolError) {
    try Paths.createDirectory(directory)
    UnfinishedFile.removeAbandoned(for: directory + "/")
    self.directory = directory
  }

  /// The name of an author's file without its extension: the user name; `jack@mastodon.social` for a service that has
  /// many hosts. `nil` for an author without a user name and an id.
  ///
  /// Letters, digits and `_.@-` stay, other bytes become `_`, so that no name leaves the directory or is hidden.
  static func stem(of author: JSONValue, service: String) -> String? {
    guard let user = author["username"]?.nonEmptyString ?? author["id"]?.nonEmptyString else { return nil }
    var name = user
    // The names of X and the handles of Bluesky, which are host names, cannot be the same.
    if service != "x", service != "bluesky", !user.contains("@") {
      name += "@" + (service.split(separator: ":").last ?? "unknown")
    }
    var bytes = Array(name.utf8.prefix(longestStem)).map { isPlain($0) ? $0 : UInt8(ascii: "_") }
    if bytes[0] == UInt8(ascii: ".") || bytes[0] == UInt8(ascii: "-") { bytes[0] = UInt8(ascii: "_") }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Far longer than user names are; file systems take 255 bytes.
  private static let longestStem = 200

  private static func isPlain(_ byte: UInt8) -> Bool { byte.isASCIILetterOrDigit || "_.@-".utf8.contains(byte) }

  /// Writes the picture unless its file has it already.
  /// - Returns: the file's path; `nil` for a picture of a run without a store that came too long ago.
  func write(_ picture: Picture, as stem: String, from cache: PictureCache) throws(ToolError) -> String? {
    let suffix = PictureHeader.Format(rawValue: picture.type)?.fileExtension ?? "bin"
    let path = "\(directory)/\(stem).\(suffix)"
    if written[path] == picture.key { return path }
    guard let bytes = try cache.bytes(of: picture.key) else { return nil }
    // A file that is too large to compare, or that cannot be read, is written anew.
    let kind = stat(of: path, followsLink: false).map { $0.st_mode & S_IFMT }
    if kind != S_IFREG || (try? StateFile.read(path)) != bytes {
      // Where a file or a link is, or nothing. Another thing of that name is not ours.
      if kind != S_IFLNK { _ = try FileTarget.resolve(path) }
      try UnfinishedFile.replace(path, with: bytes)
    }
    try link("\(directory)/\(stem)", to: "\(stem).\(suffix)")
    if written.count == Self.mostRemembered { written.removeAll() }
    written[path] = picture.key
    return path
  }

  /// Makes a symbolic link under the author's name alone, for those who do not know the format. What is there and is no
  /// link stays.
  private func link(_ path: String, to name: String) throws(ToolError) {
    let target = Paths.linkTarget(of: path)
    if target == name { return }
    // It is not a link, and it is there.
    if target == nil, errno != ENOENT { return }
    let draft = UnfinishedFile.path(for: path)
    unlink(draft)
    guard symlink(name, draft) == 0 else {
      // Some file systems, such as those of cards, have none.
      if errno == EPERM || errno == ENOTSUP || errno == ENOSYS { return }
      throw .cannotCreate("cannot create '\(path)'", errno)
    }
    guard rename(draft, path) == 0 else {
      let failure = errno
      unlink(draft)
      throw .inputOutput("cannot write '\(path)': \(describe(errno: failure))")
    }
  }
}
