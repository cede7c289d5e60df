import Libc
package import TweetCore

/// How many posts were read from services that bill them: a line a day (UTC), service and account.
///
/// One file of JSON lines under one lock. Each count has a fixed width, so that it is increased in place by one write, which
/// a crash does not tear; processes that read at the same time lose no counts. A post counts each time it is read, although
/// X bills the same post only once a day: the ledger does not know which posts are the same, and counts too much rather than
/// too little.
package struct ReadLedger: Sendable {
  /// What was read in one day.
  package struct Entry: Sendable, Equatable {
    /// `2026-11-21`, in UTC.
    package let day: String
    package let service: String
    /// The account's name, or a mark that differs from token to token.
    package let account: String
    package let posts: Int
  }

  /// Bytes of a count, right-aligned: JSON allows spaces before a value.
  private static let width = 12

  private let path: String

  /// - Parameter path: the file; need not be there yet.
  package init(path: String = Paths.stateDirectory + "/reads") { self.path = path }

  /// All entries, in the order of first reads. Several may have the same day, service and account: their counts add up.
  package func entries() throws(ToolError) -> [Entry] {
    Self.lines(of: try StateFile.read(path) ?? []).compactMap { Self.entry($0.line) }
  }

  /// Posts read by one account on the day of `time`.
  package func posts(at time: Timestamp, service: String, account: String) throws(ToolError) -> Int {
    let day = Self.day(of: time)
    return try entries().reduce(0) {
      $1.day == day && $1.service == service && $1.account == account ? $0 + $1.posts : $0
    }
  }

  /// Records posts that were read.
  package func record(_ posts: Int, at time: Timestamp, service: String, account: String) throws(ToolError) {
    guard posts > 0 else { return }
    try FileLock.hold(path) { (descriptor) throws(ToolError) in
      let bytes = try StateFile.read(descriptor, name: path)
      let day = Self.day(of: time)
      for (start, line) in Self.lines(of: bytes).reversed() {
        guard let entry = Self.entry(line), entry.day == day, entry.service == service, entry.account == account,
          Self.hasRoom(line)
        else { continue }
        let offset = start + line.count - 1 - Self.width
        return try write(Self.padded(entry.posts + posts), at: offset, to: descriptor)
      }
      var text = ByteBuffer()
      // The last line may be torn, where the disk was full.
      if let last = bytes.last, last != UInt8(ascii: "\n") { text.append("\n") }
      text.append("{\"day\":\"\(day)\",\"service\":")
      text.appendJSONString(service)
      text.append(",\"account\":")
      text.appendJSONString(account)
      text.append(",\"posts\":")
      text.append(Self.padded(posts))
      text.append("}\n")
      try write(text.array, at: bytes.count, to: descriptor)
    }
  }

  /// `2026-11-21`, in UTC.
  package static func day(of time: Timestamp) -> String { String(time.rfc3339.prefix(10)) }

  /// When the day of `time` is over.
  package static func nextDay(after time: Timestamp) -> Timestamp {
    let day: Int64 = 86_400_000
    return Timestamp(milliseconds: (time.milliseconds / day + 1) * day)
  }

  private static func lines(of bytes: [UInt8]) -> [(start: Int, line: ArraySlice<UInt8>)] {
    bytes.split(separator: UInt8(ascii: "\n")).map { ($0.startIndex, $0) }
  }

  /// `nil` for a line that the ledger did not write.
  private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
    guard let document = try? JSONDocument(Array(line)), let day = document.root["day"]?.string,
      let service = document.root["service"]?.string, let account = document.root["account"]?.string,
      let posts = document.root["posts"]?.integer
    else { return nil }
    return Entry(day: day, service: service, account: account, posts: posts)
  }

  /// Whether the line ends with a count that can be increased in place; a person may have edited it.
  private static func hasRoom(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.count > width + 2, line.last == UInt8(ascii: "}") else { return false }
    let field = line.dropLast().suffix(width)
    return line[field.startIndex - 1] == UInt8(ascii: ":")
      && field.allSatisfy { $0 == UInt8(ascii: " ") || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  private static func padded(_ count: Int) -> [UInt8] {
    let digits = Array(String(count).utf8)
    return Array(repeating: UInt8(ascii: " "), count: max(0, width - digits.count)) + digits
  }

  private func write(_ bytes: [UInt8], at offset: Int, to descriptor: Int32) throws(ToolError) {
    let count = pwrite(descriptor, bytes, bytes.count, off_t(offset))
    if count != bytes.count {
      throw .inputOutput("cannot write '\(path)': \(describe(errno: count < 0 ? errno : ENOSPC))")
    }
  }
}
