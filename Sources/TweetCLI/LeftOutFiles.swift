/// The files of an archive that are not read: how many there are, by their folders.
package struct LeftOutFiles: Sendable {
  /// The most files that are named one by one, and the most folders.
  private static let mostNamed = 12

  private var files: [String] = []
  private var folders: [(name: String, count: Int)] = []
  private var others = 0

  /// Adds a file; a folder by itself, whose name ends in a slash, is none.
  mutating func add(_ name: String) {
    if name.isEmpty || name.hasSuffix("/") { return }
    let parts = name.split(separator: "/")
    // Files of the top, and of the folder with all data, stand for themselves; those of a folder with media do not.
    if parts.count <= 2, files.count < Self.mostNamed { return files.append(name) }
    add(inFolder: parts.dropLast().joined(separator: "/"), 1)
  }

  mutating func add(inFolder folder: String, _ count: Int) {
    if count == 0 { return }
    if let index = folders.firstIndex(where: { $0.name == folder }) {
      folders[index].count += count
    } else if folders.count < Self.mostNamed {
      folders.append((folder, count))
    } else {
      others += count
    }
  }

  /// `data/follower.js, 1203 files of data/tweets_media`; `nil` if all files are read.
  package var text: String? {
    var parts =
      files + folders.map { "\($0.count) file\($0.count == 1 ? "" : "s") of \($0.name.isEmpty ? "." : $0.name)" }
    if others > 0 { parts.append("\(others) other files") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
