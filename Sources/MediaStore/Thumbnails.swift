import Libc
package import TweetCore

/// The folder of thumbnails beside the store of pictures: for each picture a small PNG that the kit has written itself,
/// under `Paths.thumbnails(beside:)`. So nobody who shows pictures decodes what strangers have sent.
///
/// A file is whole from the moment it has its name, also if several programs write it at once or one is killed. No link
/// is followed.
package struct Thumbnails {
  private let folder: String
  /// Milliseconds after which an unfinished file is one of a program that was killed.
  private static let abandonedAge: Int64 = 3_600_000

  /// - Parameter store: the path of the tweet store or of the store of pictures, which are in one folder.
  package init(beside store: String) { folder = Paths.thumbnails(beside: store) }

  /// Whether there is one of the picture with this key. An empty file, as a power failure may leave it, is none.
  package func contains(_ key: String) -> Bool {
    guard let status = stat(of: path(of: key), followsLink: false) else { return false }
    return status.isFile && status.size > 0
  }

  /// Reads one; `nil` if there is none.
  package func read(_ key: String) -> [UInt8]? {
    contains(key) ? (try? StateFile.read(path(of: key))) ?? nil : nil
  }

  private func path(of key: String) -> String { Paths.thumbnail(key, in: folder) }

  /// Writes a thumbnail, or replaces it.
  /// - Parameters:
  ///   - key: the picture's, of hexadecimal digits.
  ///   - png: the file's bytes.
  /// - Throws: `ToolError.cannotCreate`, `ToolError.inputOutput`.
  package func write(_ png: [UInt8], for key: String) throws(ToolError) {
    try Paths.createDirectory(folder)
    let top = try Self.open(folder, in: AT_FDCWD)
    defer { close(top) }
    let name = String(key.prefix(2))
    if mkdirat(top, name, 0o700) != 0, errno != EEXIST {
      throw .cannotCreate("cannot create directory '\(folder)/\(name)'", errno)
    }
    let inner = try Self.open(name, in: top)
    defer { close(inner) }
    // The name has the process's id, because several may write the same picture.
    let draft = ".\(key).\(getpid())"
    // Of a process that was killed and had the same id.
    unlinkat(inner, draft, 0)
    let file = openat(inner, draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw .cannotCreate("cannot create '\(path(of: key))'", errno) }
    var failure = writeAll(png, to: file)
    if close(file) != 0, failure == 0 { failure = errno }
    if failure == 0, renameat(inner, draft, inner, "\(key).png") != 0 { failure = errno }
    guard failure == 0 else {
      unlinkat(inner, draft, 0)
      throw .inputOutput("cannot write '\(path(of: key))': \(describe(errno: failure))")
    }
  }

  private static func open(_ name: String, in directory: Int32) throws(ToolError) -> Int32 {
    let opened = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    guard opened >= 0 else { throw .cannotCreate("cannot open directory '\(name)'", errno) }
    return opened
  }

  /// Removes the thumbnails of pictures that are not in the store, and unfinished files of programs that were killed.
  /// Files and folders with other names stay.
  /// - Parameter isStored: whether the store has the picture with this key.
  func removeStrays(_ isStored: (_ key: String) throws(ToolError) -> Bool) throws(ToolError) {
    for group in Directory.names(in: folder) ?? [] where group.utf8.count == 2 && group.allSatisfy(\.isHexDigit) {
      // A link here is not ours, and what it leads to neither.
      guard let inner = try? Self.open("\(folder)/\(group)", in: AT_FDCWD) else { continue }
      defer { close(inner) }
      for name in Directory.names(in: "\(folder)/\(group)") ?? [] {
        if Interruption.signal != nil { return }
        if name.hasPrefix(".\(group)") {
          if Self.isAbandoned(name, in: inner) { unlinkat(inner, name, 0) }
        } else if name.hasPrefix(group), name.hasSuffix(".png") {
          let key = String(name.dropLast(4))
          if try !isStored(key) { unlinkat(inner, name, 0) }
        }
      }
    }
  }

  private static func isAbandoned(_ name: String, in directory: Int32) -> Bool {
    var status = stat()
    guard fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return false }
    return status.age > abandonedAge
  }
}
