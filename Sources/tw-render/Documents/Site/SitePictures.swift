import Libc
import TweetCore
import TweetDisplay

/// The pictures of a site: files in its folder `pictures`, each once.
final class SitePictures: PictureAddresses {
  private let source: PictureFolder
  /// Gives the whole file of a picture; `nil` if nobody has it.
  private let original: (PictureKey) -> [UInt8]?
  private let places: SitePlaces
  private let files: SiteFiles
  /// The sizes of the pictures that are in the site.
  private var pictures: [PictureKey: (name: String, width: Int, height: Int)] = [:]

  init(
    _ source: PictureFolder, _ original: @escaping (PictureKey) -> [UInt8]?, _ places: SitePlaces, _ files: SiteFiles
  ) {
    (self.source, self.original, self.places, self.files) = (source, original, places, files)
  }

  func append(
    _ key: PictureKey, _ kind: PictureFolder.Kind, to output: inout ByteBuffer
  ) -> (width: Int, height: Int)? {
    guard let picture = pictures[key] ?? copy(key, kind) else { return nil }
    output.append(places.root)
    output.append(picture.name)
    return (picture.width, picture.height)
  }

  func appendWhole(_ key: PictureKey, to output: inout ByteBuffer) -> Bool {
    append(key, .photo, to: &output) != nil
  }

  private func copy(
    _ key: PictureKey, _ kind: PictureFolder.Kind
  ) -> (name: String, width: Int, height: Int)? {
    var bytes = kind == .photo ? original(key) : nil
    var header = bytes.flatMap { PictureHeader($0) }
    if header == nil, let small = source.read(key, kind) { (bytes, header) = (small.png, PictureHeader(small.png)) }
    guard let bytes, let header else { return nil }
    let picture = ("pictures/\(key.name).\(header.format.fileExtension)", header.width, header.height)
    guard files.write(bytes, to: picture.0) else { return nil }
    pictures[key] = picture
    return picture
  }
}
