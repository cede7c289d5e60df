import TweetCore
import TweetDisplay

/// What stands beside a tweet in a page: the author's picture, or the initials, in a colour that is always the same for
/// this author.
///
/// A picture is in the page once, where it is shown first; from there on it is used again (SVG 2, §5.6).
struct PagePictures: ~Copyable {
  /// This many pictures are remembered; then they are in the page once more.
  private static let remembered = 20_000

  private enum Place {
    case page(PictureFolder)
    case elsewhere(any PictureAddresses)
  }

  private let place: Place?
  private var decoder = StringDecoder()
  private var numbers: [PictureKey: Int] = [:]
  private var count = 0

  /// - Parameter folder: where the pictures are; `nil` for initials only.
  init(_ folder: PictureFolder?) { place = folder.map { .page($0) } }

  /// - Parameter addresses: of pictures that are not in the page; `nil` for initials only.
  init(at addresses: (any PictureAddresses)?) { place = addresses.map { .elsewhere($0) } }

  mutating func append(_ author: AuthorFields, to output: inout ByteBuffer) {
    if let key = PictureKey(author.picture) {
      switch place {
      case .page(let folder): if append(key, folder, to: &output) { return }
      case .elsewhere(let addresses): if append(key, at: addresses, to: &output) { return }
      case nil: break
      }
    }
    appendInitials(of: author, to: &output)
  }

  /// - Returns: whether there is such a picture.
  private func append(_ key: PictureKey, at addresses: any PictureAddresses, to output: inout ByteBuffer) -> Bool {
    let start = output.count
    output.append("<img class=\"face\" width=\"48\" height=\"48\" alt=\"\" src=\"")
    guard addresses.append(key, .avatar, to: &output) != nil else {
      output.truncate(to: start)
      return false
    }
    output.append("\">\n")
    return true
  }

  /// - Returns: whether there is such a picture.
  private mutating func append(_ key: PictureKey, _ folder: PictureFolder, to output: inout ByteBuffer) -> Bool {
    let start: StaticString = "<svg class=\"face\" viewBox=\"0 0 1 1\" aria-hidden=\"true\"><"
    if let number = numbers[key] {
      output.append(start)
      output.append("use href=\"#p")
      output.append(decimal: number)
    } else {
      guard let picture = folder.read(key, .avatar) else { return false }
      if numbers.count == Self.remembered { numbers.removeAll() }
      count += 1
      numbers[key] = count
      output.append(start)
      output.append("image id=\"p")
      output.append(decimal: count)
      output.append("\" width=\"1\" height=\"1\" preserveAspectRatio=\"xMidYMid slice\" href=\"data:image/png;base64,")
      output.append(base64: picture.png)
    }
    output.append("\"/></svg>\n")
    return true
  }

  private mutating func appendInitials(of author: AuthorFields, to output: inout ByteBuffer) {
    output.append("<span class=\"face c")
    output.append(decimal: AuthorColour(key: author.colourKey).number)
    output.append("\" aria-hidden=\"true\">")
    for name in [author.name, author.username] {
      let initials = Self.initials(of: decoder.decode(name, limit: 1024))
      if initials.isEmpty { continue }
      initials.withBytes { output.append(markup: $0) }
      break
    }
    output.append("</span>\n")
  }

  /// The first letters of the first and the last word.
  private static func initials(of name: ByteView) -> String {
    let words = String(decoding: name, as: UTF8.self).split(separator: " ").compactMap { word in
      word.first.flatMap { isLetter($0) ? $0 : nil }
    }
    guard let first = words.first, let last = words.last else { return "" }
    return words.count == 1 ? first.uppercased() : first.uppercased() + last.uppercased()
  }

  /// Letters, digits and emoji; not the signs that people put around their names.
  private static func isLetter(_ character: Character) -> Bool {
    guard character.unicodeScalars.count < 12, let first = character.unicodeScalars.first else { return false }
    return character.isLetter || character.isNumber || first.properties.isEmojiPresentation
  }
}

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
