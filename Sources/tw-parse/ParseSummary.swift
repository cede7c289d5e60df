import TweetCore
import TweetShapes

/// What a run read and printed, for `--summary`.
struct ParseSummary: Sendable {
  /// How many documents of each shape, in the order of ``TweetShape``.
  private var documents = [Int](repeating: 0, count: TweetShape.allCases.count)
  /// How many records of each type, in the order of their first ones.
  private var records: [(type: String, count: Int)] = []
  /// How many elements of lists that are not read, as the notices say it.
  private var leftOut: [String: Int] = [:]
  /// How many messages between people were left out.
  var messages = 0

  /// Counts one document and its records, the lines of `output` from `start` on.
  /// - Parameter shape: the document's; `nil` when it was counted with earlier lines.
  mutating func count(_ shape: TweetShape?, _ output: borrowing ByteBuffer, from start: Int) {
    if let shape, let index = TweetShape.allCases.firstIndex(of: shape) { documents[index] += 1 }
    output.withBytes { bytes in
      bytes.extracting(start...).forEachLine { line in
        // Every record starts with {"tw":"TYPE".
        add(1, String(decoding: line.dropFirst(7).prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self))
        if line.starts(with: #"{"tw":"notice","level":"info","code":"not-read""#.utf8) { addLeftOut(Array(line)) }
      }
    }
  }

  /// What was counted since `earlier`, an earlier state of this.
  func since(_ earlier: ParseSummary) -> ParseSummary {
    var rest = self
    for index in documents.indices { rest.documents[index] -= earlier.documents[index] }
    for (type, count) in earlier.records { rest.add(-count, type) }
    rest.records.removeAll { $0.count == 0 }
    return rest
  }

  /// Adds the counts of a segment.
  mutating func add(_ other: ParseSummary) {
    for index in documents.indices { documents[index] += other.documents[index] }
    for (type, count) in other.records { add(count, type) }
    messages += other.messages
    leftOut.merge(other.leftOut) { $0 + $1 }
  }

  /// What is said of the messages that were left out; `nil` if there were none.
  var messagesText: String? {
    messages == 0 ? nil : "\(counted(messages, "private message")) left out: only posts become records"
  }

  private mutating func add(_ count: Int, _ type: String) {
    if let index = records.firstIndex(where: { $0.type == type }) {
      records[index].count += count
    } else {
      records.append((type, count))
    }
  }

  private mutating func addLeftOut(_ notice: [UInt8]) {
    guard let lists = try? JSONDocument(notice)["lists"] else { return }
    for (name, count) in lists.members { leftOut[name.string ?? "", default: 0] += count.integer ?? 0 }
  }

  /// For example `not read: 12 app.bsky.feed.like, 3 followers`; `nil` if all lists are read.
  var leftOutText: String? {
    let lists = leftOut.sorted { $0.key < $1.key }.map { "\($0.value) \($0.key)" }
    return lists.isEmpty ? nil : "not read: " + lists.joined(separator: ", ")
  }

  /// For example `read 12 documents (10 x-v1, 2 records), gave 15 records (14 tweet, 1 notice)`.
  var text: String {
    let shapes = zip(TweetShape.allCases, documents).filter { $0.1 > 0 }.map { "\($0.1) \($0.0.rawValue)" }
    let types = records.map { "\($0.count) \($0.type)" }
    return "read \(counted(documents.reduce(0, +), "document"))\(Self.list(shapes)), gave "
      + "\(counted(records.reduce(0) { $0 + $1.count }, "record"))\(Self.list(types))"
  }

  private static func list(_ parts: [String]) -> String {
    parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
  }
}

/// What each of several inputs gave, for `--summary`.
struct FileSummaries {
  private var files: [(label: String, leftOut: String?, before: ParseSummary)] = []

  /// - Parameters:
  ///   - leftOut: what is not read of the archive that begins with the file.
  ///   - summary: of all before it.
  mutating func begin(_ label: String, leftOut: String?, _ summary: ParseSummary) {
    files.append((label, leftOut, summary))
  }

  /// A line for each file, and one for what an archive has besides; none if there is only one file.
  /// - Parameter summary: of all.
  func lines(_ summary: ParseSummary) -> [String] {
    var lines: [String] = []
    for (index, file) in files.enumerated() {
      let after = index + 1 < files.count ? files[index + 1].before : summary
      if files.count > 1 { lines.append("\(file.label): \(after.since(file.before).text)") }
    }
    for file in files {
      if let leftOut = file.leftOut { lines.append("not read: \(leftOut)") }
    }
    if let lists = summary.leftOutText { lines.append(lists) }
    return lines
  }
}
