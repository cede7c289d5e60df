import TweetCore
import TweetDisplay

/// What gives the pictures of a document their addresses: each kind of document has them in a place of its own.
protocol PictureAddresses: AnyObject {
  /// Appends the address of a picture as an attribute's value; the picture is there from then on.
  /// - Returns: its size; `nil` if there is no such picture, and nothing was appended.
  func append(
    _ key: PictureKey, _ kind: PictureFolder.Kind, to output: inout ByteBuffer
  ) -> (width: Int, height: Int)?

  /// Appends the address of the whole picture of a tweet, if it is there too.
  /// - Returns: whether it is; if not, nothing was appended.
  func appendWhole(_ key: PictureKey, to output: inout ByteBuffer) -> Bool
}

extension PictureAddresses {
  func appendWhole(_ key: PictureKey, to output: inout ByteBuffer) -> Bool { false }
}

/// Pictures that are in the page itself.
final class InlinePictures: PictureAddresses {
  private let folder: PictureFolder

  init(_ folder: PictureFolder) { self.folder = folder }

  func append(
    _ key: PictureKey, _ kind: PictureFolder.Kind, to output: inout ByteBuffer
  ) -> (width: Int, height: Int)? {
    guard let picture = folder.read(key, kind) else { return nil }
    output.append("data:image/png;base64,")
    output.append(base64: picture.png)
    return (picture.width, picture.height)
  }
}
