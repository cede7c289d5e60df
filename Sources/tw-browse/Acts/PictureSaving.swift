import Libc
import MediaStore
import TweetCore

/// Stored pictures that are written as files into a folder. None is replaced, and none is outside of it.
struct PictureSaving: Sendable {
  /// A picture that is to be saved.
  struct Item: Sendable {
    /// Its key in the store of pictures.
    let key: String
    /// The name of the file without its ending; see ``stem(author:id:number:)``.
    let stem: String
  }

  let items: [Item]
  /// The path of the store of pictures.
  let store: String
  /// It must be there.
  let folder: String
  /// What is said of pictures that could not be fetched.
  let missing: String?

  private static let endings = [
    "image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp",
  ]
  /// Files of one name: more are not tried.
  private static let mostAlike = 99

  /// A file's name of what a tweet says, in which nothing leads out of a folder or hides.
  static func stem(author: String?, id: String, number: Int) -> String {
    let parts = [author, id].compactMap { $0 }.map { text in
      String(text.prefix(60).map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") ? $0 : "_" })
    }
    return (parts + [String(number)]).joined(separator: "-")
  }

  /// Writes them.
  /// - Returns: what is said of it: how many were written, how many were there already, and why one could not be.
  func run() -> String {
    var (saved, known) = (0, 0)
    var failure: String?
    do throws(ToolError) {
      let media = try MediaStore(store) { _ in }
      let directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard directory >= 0 else { throw .cannotCreate("cannot open '\(folder)'", errno) }
      defer { close(directory) }
      for item in items {
        guard let bytes = try media.bytes(ofPicture: item.key), let picture = try media.picture(item.key) else {
          throw .noInput("a picture is not stored any more")
        }
        let ending = Self.endings[picture.type] ?? "bin"
        if try Self.write(bytes, item.stem, ending, in: directory) { saved += 1 } else { known += 1 }
      }
    } catch {
      failure = error.message
    }
    let facts = [
      saved > 0 ? "saved \(saved) in \(folder)" : nil, known > 0 ? "\(known) there already" : nil, missing, failure,
    ]
    return facts.compactMap { $0 }.joined(separator: ", ")
  }

  /// - Returns: `false` if the same picture is there already.
  private static func write(
    _ bytes: [UInt8], _ stem: String, _ ending: String, in directory: Int32
  ) throws(ToolError) -> Bool {
    for number in 1...mostAlike {
      let name = number == 1 ? "\(stem).\(ending)" : "\(stem)-\(number).\(ending)"
      let file = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o644)
      if file < 0, errno == EEXIST {
        if isSame(bytes, name, in: directory) { return false }
        continue
      }
      guard file >= 0 else { throw .cannotCreate("cannot create '\(name)'", errno) }
      var failure = writeAll(bytes, to: file)
      if failure == 0, fsync(file) != 0 { failure = errno }
      if close(file) != 0, failure == 0 { failure = errno }
      if failure == 0 { return true }
      unlinkat(directory, name, 0)
      throw .inputOutput("cannot write '\(name)': \(describe(errno: failure))")
    }
    throw .cannotCreate("there are \(mostAlike) files like '\(stem).\(ending)'")
  }

  private static func isSame(_ bytes: [UInt8], _ name: String, in directory: Int32) -> Bool {
    let file = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return false }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, Int(status.st_size) == bytes.count, status.st_mode & S_IFMT == S_IFREG else {
      return false
    }
    // What cannot be read is another file.
    return (try? StateFile.read(file, name: name)) == bytes
  }
}
