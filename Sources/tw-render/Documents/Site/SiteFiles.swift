import Libc
import MediaStore
import TweetCLI
import TweetCore
import TweetDisplay

/// Writes the files of a site.
final class SiteFiles {
  private var folder: SiteFolder
  /// What went wrong with a picture; ``check()`` throws it.
  private var failure: ToolError?

  init(_ folder: consuming SiteFolder) { self.folder = folder }

  /// Takes files into the site before any is written, so that a file that is not the site's stops it in time.
  func add(_ names: [String]) throws(ToolError) {
    for name in names { try folder.add(name) }
    try folder.list(names)
  }

  /// Makes the directories of the site that are missing.
  func createFolders() throws(ToolError) { try folder.createFolders() }

  /// A file of the site, to be written.
  /// - Parameter number: another one for each of the files that are written at a time.
  func open(_ name: String, _ number: Int = 0) -> ChangedFile {
    ChangedFile("\(folder.path)/\(name)", temporary: folder.temporary(number))
  }

  /// Writes a whole file that was not added before.
  /// - Returns: whether it is there.
  func write(_ bytes: [UInt8], to name: String) -> Bool {
    if failure != nil { return false }
    do throws(ToolError) {
      try add([name])
      var file = open(name, 2)
      try file.append { $0.append(bytes) }
      try file.finish()
      return true
    } catch {
      failure = error
      return false
    }
  }

  /// Throws what went wrong meanwhile.
  func check() throws(ToolError) { if let failure { throw failure } }

  /// Removes the files that the site no longer has.
  func finish(tweets: Int) throws(ToolError) { try folder.finish(tweets: tweets) }
}

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
