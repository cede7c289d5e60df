import Libc
import TweetCore

/// The config file's lines, to be changed one setting at a time: comments, order and spacing of the others stay.
struct ConfigFile {
  private(set) var lines: [Substring]

  init(text: String) {
    lines = Settings.lines(of: text)
    if lines.last == "" { lines.removeLast() }
  }

  /// The file as it is, after a check: a file with an error in it is not touched.
  static func open() throws(ToolError) -> ConfigFile {
    let text = try Settings.readFile() ?? ""
    _ = try Settings(text: text, path: Settings.path)
    return ConfigFile(text: text)
  }

  /// Puts the value where the key stands last, or at the end; `nil` removes the key.
  mutating func set(_ key: Settings.Key, to value: String?) {
    let places = lines.indices.filter { Settings.split(lines[$0])?.name == key.rawValue }
    guard let value else {
      for place in places.reversed() { lines.remove(at: place) }
      return
    }
    let line = Substring("\(key.rawValue) = \(value)")
    if let place = places.last { lines[place] = line } else { lines.append(line) }
  }

  var text: String { lines.map { $0 + "\n" }.joined() }

  /// Writes a new file beside the old one and puts it in its place, so that a reader sees one or the other, whole. Only
  /// this user may read it: what is set may tell of private places.
  func save() throws(ToolError) {
    let path = Self.realPath(Settings.path)
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try Paths.createDirectory(String(path[..<slash]))
    }
    var buffer = ByteBuffer()
    buffer.append(text)
    try StateFile.replace(path, with: buffer)
  }

  /// Where a symbolic link leads, so that the link stays one; people keep their settings in other folders.
  private static func realPath(_ path: String) -> String {
    guard let real = realpath(path, nil) else { return path }
    defer { free(real) }
    return String(cString: real)
  }
}
