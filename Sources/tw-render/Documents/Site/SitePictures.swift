import Libc
import TweetCore
import TweetDisplay

/// The pictures of a site: files in its folder `pictures`, each once.
final class SitePictures: PictureAddresses {
  private let source: PictureFolder
  private let places: SitePlaces
  private let files: SiteFiles
  /// The sizes of the pictures that are in the site.
  private var sizes: [PictureKey: (width: Int, height: Int)] = [:]

  init(_ source: PictureFolder, _ places: SitePlaces, _ files: SiteFiles) {
    (self.source, self.places, self.files) = (source, places, files)
  }

  func append(
    _ key: PictureKey, _ kind: PictureFolder.Kind, to output: inout ByteBuffer
  ) -> (width: Int, height: Int)? {
    let name = "pictures/\(key.name).png"
    guard let size = sizes[key] ?? copy(key, kind, to: name) else { return nil }
    output.append(places.root)
    output.append(name)
    return size
  }

  private func copy(
    _ key: PictureKey, _ kind: PictureFolder.Kind, to name: String
  ) -> (width: Int, height: Int)? {
    guard let picture = source.read(key, kind), files.write(picture.png, to: name) else { return nil }
    sizes[key] = (picture.width, picture.height)
    return (picture.width, picture.height)
  }
}
