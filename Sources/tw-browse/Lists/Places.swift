import TweetCore

/// Where a reader is in a list: keys of the store, which are in the order of time.
struct Place: Equatable, Sendable {
  /// The tweet under the cursor.
  let cursor: Int
  /// The newest tweet that was in the list.
  let newest: Int
}

/// Where the reader is in each feed of a store, in a file: a line for each, `CURSOR NEWEST FEED`.
struct Places: Sendable {
  private let folder: String
  private let path: String
  private var places: [String: Place] = [:]
  private var saved: [String: Place]

  /// Reads the file.
  /// - Parameters:
  ///   - database: the path of the store.
  ///   - folder: where the file is.
  init(_ database: String, in folder: String) throws(ToolError) {
    // Each store has a file of its own.
    let name = String(fingerprint((Paths.real(database) ?? database).utf8), radix: 16)
    (self.folder, path) = (folder, "\(folder)/browse-\(name)")
    saved = Self.places(in: try StateFile.read(path) ?? [])
  }

  private static func places(in file: [UInt8]) -> [String: Place] {
    var places: [String: Place] = [:]
    for line in String(decoding: file, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 2)
      guard parts.count == 3, let cursor = Int(parts[0]), let newest = Int(parts[1]) else { continue }
      places[String(parts[2])] = Place(cursor: cursor, newest: newest)
    }
    return places
  }

  /// Where the reader was in a feed.
  func place(in feed: String) -> Place? { saved[feed] }

  /// Notes where the reader is.
  mutating func set(_ place: Place?, in feed: String) { if let place { places[feed] = place } }

  /// Whether a place has changed since this was asked for.
  mutating func takeChange() -> Bool {
    defer { saved.merge(places) { $1 } }
    return places.contains { saved[$0.key] != $0.value }
  }

  /// Writes the file. The places in feeds that another tw-browse shows stay as it wrote them.
  func write() throws(ToolError) {
    if places.isEmpty { return }
    var all = Self.places(in: try StateFile.read(path) ?? [])
    all.merge(places) { $1 }
    let lines = all.sorted { $0.key < $1.key }.map { "\($1.cursor) \($1.newest) \($0)\n" }
    try Paths.createDirectory(folder)
    var text = ByteBuffer(capacity: 1024)
    text.append(lines.joined())
    try StateFile.replace(path, with: text)
  }
}
