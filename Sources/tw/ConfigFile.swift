import TweetCore

/// The lines of the config file. Settings are changed one at a time; all other lines, comments too, stay as they are.
struct ConfigFile {
  private(set) var lines: [Substring]

  init(text: String) {
    lines = Settings.lines(of: text)
    if lines.last == "" { lines.removeLast() }
  }

  /// Reads and checks the file: a file with an error is not changed.
  static func open() throws(ToolError) -> ConfigFile {
    let text = try Settings.readFile() ?? ""
    _ = try Settings(text: text, path: Settings.path)
    return ConfigFile(text: text)
  }

  /// Replaces the last line with this key, or appends a line. `nil` removes all lines with the key.
  mutating func set(_ key: String, to value: String?) {
    let isOfKey = { (line: Substring) in Settings.split(line)?.name == key }
    guard let value else { return lines.removeAll(where: isOfKey) }
    let line = Substring("\(key) = \(value)")
    if let index = lines.lastIndex(where: isOfKey) { lines[index] = line } else { lines.append(line) }
  }

  var text: String { lines.map { $0 + "\n" }.joined() }

  /// Replaces the file at once, so that a reader sees the old or the new one complete. Only this user may read it.
  func save() throws(ToolError) {
    // People link the file to another directory, and the link must stay.
    let path = try FileTarget.resolve(Settings.path)
    if let slash = path.lastIndex(of: "/"), slash > path.startIndex {
      try Paths.createDirectory(String(path[..<slash]))
    }
    var buffer = ByteBuffer()
    buffer.append(text)
    try StateFile.replace(path, with: buffer)
  }
}
