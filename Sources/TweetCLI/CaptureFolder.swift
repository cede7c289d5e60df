import TweetCore

/// A folder in which captures are collected, such as an hour a file.
enum CaptureFolder {
  private static let documents = [".ndjson", ".jsonl", ".json"]
  private static let compressed = [".zst", ".gz", ".bz2", ".xz"]

  /// The paths of its captures, in the order of their names; none for what is no folder. Other files, hidden ones and
  /// those in further folders are left out: a capture that is not whole yet is kept there.
  static func files(in path: String) -> [String] {
    guard path != "-", let names = Directory.names(in: path) else { return [] }
    let folder = path.hasSuffix("/") ? path : path + "/"
    return names.filter(isCapture).sorted { place($0) < place($1) }.map { folder + $0 }
  }

  /// academictwitteR's `users_1.json` has the authors of `data_1.json`, and comes before it.
  private static func place(_ name: String) -> (String, Int) {
    name.hasPrefix("users_") ? ("data_" + name.dropFirst("users_".count), 0) : (name, 1)
  }

  private static func isCapture(_ name: String) -> Bool {
    if name.hasPrefix(".") { return false }
    let suffix = compressed.first { name.hasSuffix($0) } ?? ""
    let plain = name.dropLast(suffix.count)
    return documents.contains { plain.hasSuffix($0) }
  }
}
