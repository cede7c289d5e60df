package import Libc

/// The paths of the kit's files: `tw` in each of the XDG base directories.
///
/// Empty and relative XDG variables are ignored, as the XDG Base Directory Specification asks.
package enum Paths {
  /// An environment variable's value; `nil` when it is unset or empty.
  package static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  /// `$TMPDIR`, else `/tmp`: what is needed only as long as a run.
  package static var temporary: String { environment("TMPDIR") ?? "/tmp" }

  /// `$XDG_CONFIG_HOME/tw`: the configuration and the credentials.
  package static var configDirectory: String { directory("XDG_CONFIG_HOME", else: ".config") }
  /// The accounts that are signed in.
  package static var credentials: String { configDirectory + "/credentials.json" }
  /// `$XDG_DATA_HOME/tw`: tweets, pictures, links.
  package static var dataDirectory: String { directory("XDG_DATA_HOME", else: ".local/share") }
  /// `$XDG_STATE_HOME/tw`: locks and the checkpoints of feeds.
  package static var stateDirectory: String { directory("XDG_STATE_HOME", else: ".local/state") }

  /// The store of pictures and links that belongs to a tweet store: `media.db` beside it.
  package static func mediaStore(besides tweetStore: String) -> String {
    split(tweetStore).folder + "media.db"
  }

  /// The small pictures that belong to a tweet store: the folder `thumbnails` beside it. Each is the file
  /// that ``thumbnail(_:in:)`` names.
  package static func thumbnails(beside store: String) -> String {
    split(store).folder + "thumbnails"
  }

  /// The file of a picture in such a folder: `ab/abcd….png`, the first two digits of the picture's key, then the whole
  /// key.
  package static func thumbnail(_ key: String, in folder: String) -> String { "\(folder)/\(key.prefix(2))/\(key).png" }

  /// The folder of a path with its slash, which is empty for a name alone, and the name.
  package static func split(_ path: String) -> (folder: String, name: String) {
    let start = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    return (String(path[..<start]), String(path[start...]))
  }

  /// The folder of a path without a slash at its end: `.` for a name alone, `/` for one in the root.
  package static func folder(of path: String) -> String {
    let folder = split(path).folder
    return folder.isEmpty ? "." : folder == "/" ? folder : String(folder.dropLast())
  }

  /// The absolute path without symbolic links (realpath(3)); `nil`, with the reason in `errno`, if there is no such
  /// file.
  package static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  /// When a file's contents were changed last; `nil` if there is none.
  package static func lastChange(of path: String) -> Timestamp? {
    guard let time = stat(of: path)?.modificationTime else { return nil }
    return Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000)
  }

  /// What a symbolic link says; `nil` if there is none.
  package static func linkTarget(of path: String) -> String? {
    var text = [UInt8](repeating: 0, count: Int(PATH_MAX))
    let length = text.withUnsafeMutableBytes { bytes in
      bytes.baseAddress.map { readlink(path, $0, bytes.count) } ?? -1
    }
    return length < 0 ? nil : String(decoding: text[..<length], as: UTF8.self)
  }

  private static func directory(_ variable: String, else fallback: String) -> String {
    if let value = environment(variable), value.hasPrefix("/") { return value + "/tw" }
    return home + "/" + fallback + "/tw"
  }

  /// `$HOME`; without it, as under cron and systemd, the home directory in the password database.
  private static var home: String {
    if let value = environment("HOME") { return value }
    guard let entry = getpwuid(getuid()), let directory = entry.pointee.pw_dir else { return "/" }
    return String(cString: directory)
  }

  /// Brings the names in the directory of a file to the disk. Some file systems cannot, and need not.
  /// - Throws: ``ToolError/inputOutput(_:)``, which says that the file cannot be written.
  package static func syncDirectory(of path: String) throws(ToolError) {
    guard let directory = Descriptor(folder(of: path), O_RDONLY) else { return }
    guard fsync(directory.number) == 0 || errno == EINVAL || errno == EROFS else {
      throw .inputOutput("cannot write '\(path)': \(describe(errno: errno))")
    }
  }

  /// Creates a directory and those above it, for this user only (0700) as XDG asks. Does nothing when it exists.
  package static func createDirectory(_ path: String) throws(ToolError) {
    if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    if errno == ENOENT, folder(of: path) != ".", folder(of: path) != "/" {
      try createDirectory(folder(of: path))
      if mkdir(path, 0o700) == 0 || errno == EEXIST { return }
    }
    throw .cannotCreate("cannot create directory '\(path)'", errno)
  }

  /// Does so with the directory of a file.
  package static func createDirectory(of path: String) throws(ToolError) { try createDirectory(folder(of: path)) }
}

extension stat {
  /// Milliseconds since the file was changed.
  package var age: Int64 { Timestamp.now.milliseconds - Int64(modificationTime.tv_sec) * 1000 }
}

/// Reads directories.
package enum Directory {
  /// The names in a directory, without `.` and `..`, in no order; `nil` with `errno` set when it cannot be read.
  package static func names(in path: String) -> [String]? {
    guard let stream = opendir(path) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
