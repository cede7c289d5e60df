import Libc
import TweetCore

/// Captures of which many lie together, such as an hour a file: in a folder and its folders, or in an archive.
enum Captures {
  private static let documents = [".ndjson", ".jsonl", ".json"]
  private static let compressed = [".zst", ".gz", ".bz2", ".xz"]
  /// Folders that are nested deeper are not read.
  private static let deepest = 16

  /// The names of the captures below a folder, in their order, and how many other files each folder has. Hidden files
  /// and folders are left out: a capture that is not whole yet is kept there.
  static func names(in path: String) -> (captures: [String], others: LeftOutFiles) {
    var captures: [String] = []
    var others = LeftOutFiles()
    func visit(_ folder: String, _ depth: Int) {
      for name in (Directory.names(in: path + "/" + folder) ?? []).sorted() where !name.hasPrefix(".") {
        // A link to a folder may lead back to where it is.
        if stat(of: path + "/" + folder + name, followsLink: false)?.isFolder == true {
          if depth < deepest { visit(folder + name + "/", depth + 1) }
        } else if isOne(name) {
          captures.append(folder + name)
        } else {
          others.add(folder + name)
        }
      }
    }
    visit("", 1)
    return (sorted(captures), others)
  }

  /// Whether a file of this name in an archive is a capture.
  static func isOne(_ name: String) -> Bool {
    // Also `..` is hidden.
    if name.hasPrefix("/") || name.split(separator: "/").contains(where: { $0.hasPrefix(".") && $0 != "." }) {
      return false
    }
    let suffix = compressed.first { name.hasSuffix($0) } ?? ""
    let plain = name.dropLast(suffix.count)
    return documents.contains { plain.hasSuffix($0) }
  }

  /// Names in the order in which folders are gone through.
  static func sorted(_ names: [String]) -> [String] {
    names.map { (place($0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
  }

  private static func place(_ name: String) -> (String, Int) {
    let file = name.split(separator: "/").last ?? ""
    // academictwitteR's `users_1.json` has the authors of `data_1.json`, and comes before it.
    let isBefore = file.hasPrefix("users_")
    let key = isBefore ? "\(name.dropLast(file.count))data_\(file.dropFirst("users_".count))" : name
    // Nothing in a name comes before a slash then.
    return (key.replacing("/", with: "\u{1}"), isBefore ? 0 : 1)
  }
}
