import Libc
package import TweetCore

/// How many posts were read from services that bill them: a line a day (UTC), service and account.
///
/// One file of JSON lines under one lock, each count of fixed width, so that it is raised in place by a write that a crash
/// leaves whole; processes that read at once lose no counts. A post counts each time it is read, although X bills the same
/// one only once a day: the ledger cannot know which are the same, and errs on the dear side.
package struct ReadLedger: Sendable {
  /// What was read in one day.
  package struct Entry: Sendable, Equatable {
    /// `2026-11-21`, in UTC.
    package let day: String
    package let service: String
    /// The account's name, or a mark that tells its token from others.
    package let account: String
    package let posts: Int
  }

  /// Room for a count, right-aligned: JSON allows spaces before a value.
  private static let width = 12

  private let path: String

  /// - Parameter path: the file; need not be there yet.
  package init(path: String = Paths.stateDirectory + "/reads") { self.path = path }

  /// Everything that was read, in the order of first reads. Lines of one day, service and account belong together.
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

  /// Counts posts that were read.
  package func add(_ posts: Int, at time: Timestamp, service: String, account: String) throws(ToolError) {
    guard posts > 0 else { return }
    try FileLock.hold(path) { (descriptor) throws(ToolError) in
      let bytes = try StateFile.read(descriptor, name: path)
      let day = Self.day(of: time)
      for (start, line) in Self.lines(of: bytes).reversed() {
        guard let entry = Self.entry(line), entry.day == day, entry.service == service, entry.account == account,
          Self.hasRoom(line)
        else { continue }
        let place = start + line.count - 1 - Self.width
        return try write(Self.padded(entry.posts + posts), at: place, to: descriptor)
      }
      var text = ByteBuffer()
      // The last line may be the torn one of a full disk.
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

  /// `nil` for a line that is none of the ledger's.
  private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
    guard let document = try? JSONDocument(Array(line)), let day = document.root["day"]?.string,
      let service = document.root["service"]?.string, let account = document.root["account"]?.string,
      let posts = document.root["posts"]?.integer
    else { return nil }
    return Entry(day: day, service: service, account: account, posts: posts)
  }

  /// Whether the line ends with a count that can be raised in place: not where a person has edited it.
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

  private func write(_ bytes: [UInt8], at place: Int, to descriptor: Int32) throws(ToolError) {
    let count = pwrite(descriptor, bytes, bytes.count, off_t(place))
    if count != bytes.count {
      throw .inputOutput("cannot write '\(path)': \(describe(errno: count < 0 ? errno : ENOSPC))")
    }
  }
}
