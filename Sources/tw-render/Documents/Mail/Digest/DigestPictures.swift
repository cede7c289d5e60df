import TweetCore
import TweetDisplay

/// The pictures of a message: parts of it, which the text names by `cid:` (RFC 2392), each once.
final class DigestPictures: PictureAddresses {
  /// Servers take messages of some 25 MB, and base64 makes pictures larger by a third. Further ones are links or
  /// initials.
  private static let mostBytes = 8 << 20

  private let folder: PictureFolder
  private var sizes: [PictureKey: (width: Int, height: Int)] = [:]
  /// In the order in which they are shown.
  private(set) var keys: [(key: PictureKey, kind: PictureFolder.Kind)] = []
  private var bytes = 0

  init(_ folder: PictureFolder) { self.folder = folder }

  func append(
    _ key: PictureKey, _ kind: PictureFolder.Kind, to output: inout ByteBuffer
  ) -> (width: Int, height: Int)? {
    guard let size = sizes[key] ?? take(key, kind) else { return nil }
    output.append("cid:\(Self.name(of: key))")
    return size
  }

  private func take(_ key: PictureKey, _ kind: PictureFolder.Kind) -> (width: Int, height: Int)? {
    guard let picture = folder.read(key, kind), bytes + picture.png.count <= Self.mostBytes else { return nil }
    bytes += picture.png.count
    keys.append((key, kind))
    sizes[key] = (picture.width, picture.height)
    return (picture.width, picture.height)
  }

  /// The file of a picture; `nil` if it is not there any more.
  func read(_ key: PictureKey, _ kind: PictureFolder.Kind) -> [UInt8]? { folder.read(key, kind)?.png }

  /// The name of a part.
  static func name(of key: PictureKey) -> String { "\(key.name)@tw.invalid" }
}
