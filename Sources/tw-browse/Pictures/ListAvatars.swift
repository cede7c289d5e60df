import TweetCore
import TweetDisplay

/// The authors' pictures beside the two rows of an entry: kitty moves them as the list is scrolled. Elsewhere there are
/// initials, for a screen of them would be drawn anew for each row that moves.
final class ListAvatars: PictureSource {
  /// As high as an entry, and about as wide.
  private static let area = PictureArea(columns: 4, rows: ListEntry.rows)

  private let pictures: ScreenPictures

  init(_ pictures: ScreenPictures) { self.pictures = pictures }

  var avatarArea: PictureArea? { pictures.way?.shown == .kitty ? Self.area : nil }
  var saysWhy: Bool { pictures.saysWhy }
  func drawing(of author: AuthorFields) -> PictureDrawing? { pictures.drawing(of: author, in: Self.area) }
  /// Lists have no photos.
  func drawing(of media: MediaFields, among count: Int, room: Int) -> PictureDrawing? { nil }
  func append(_ placement: KittyPictures.Placement, to output: inout ByteBuffer) {}
}
