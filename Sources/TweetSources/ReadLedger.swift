import Libc
package import TweetCore

/// How many posts were read from services that bill them, and how many may be read at this moment: a line a day (UTC),
/// service and account.
///
/// One file of JSON lines under one lock. Both counts have a fixed width and stand at the line's end, so that they are
/// changed in place by one write, which a crash does not tear; processes that read at the same time lose no counts. A
/// program reserves posts before it asks for them, and corrects the reservation when it knows what came. What a killed
/// program had reserved stays reserved: nobody knows whether it was billed.
package struct ReadLedger: Sendable {
  /// What was read in one day.
  package struct Entry: Sendable, Equatable {
    /// `2026-11-21`, in UTC.
    package let day: String
    package let service: String
    /// The account's name, or a mark that differs from token to token.
    package let account: String
    /// Posts that were read. A stream counts some ahead.
    package var posts: Int
    /// Posts that were asked for and have not come yet.
    package var reserved: Int
  }

  /// Posts that may be read on one day. It is to be given back to ``settle(_:read:service:account:)`` once.
  package struct Reservation: Sendable, Equatable {
    /// The day they are billed for, as in ``Entry``.
    package let day: String
    package let posts: Int
    /// Whether they are counted as read already, since it takes long until they have come.
    fileprivate let isCounted: Bool
  }

  package enum Grant: Sendable, Equatable {
    case granted(Reservation)
    /// Others have reserved what is left, and may soon give it back.
    case reservedByOthers
    case usedUp
  }

  /// Bytes of a count, right-aligned: JSON allows spaces before a value.
  private static let width = 12
  private static let largest = 999_999_999_999
  /// Milliseconds within which requests are answered: reservations in a file that nobody has changed for longer are those
  /// of killed programs.
  private static let requestTime: Int64 = 70_000

  private let path: String

  /// - Parameter path: the file; need not be there yet.
  package init(path: String = Paths.stateDirectory + "/reads") { self.path = path }

  /// Makes the file if there is none.
  /// - Throws: `ToolError.cannotCreate` if it cannot be opened for writing.
  package func checkWritable() throws(ToolError) { try FileLock.hold(path) { (_) throws(ToolError) in } }

  /// All entries, in the order of first reads. Several may have the same day, service and account: their counts add up.
  /// - Throws: `ToolError.configuration` for a file with other lines.
  package func entries() throws(ToolError) -> [Entry] { try lines(of: try StateFile.read(path) ?? []).map(\.entry) }

  /// Posts read and reserved by one account on the day of `time`.
  package func posts(at time: Timestamp, service: String, account: String) throws(ToolError) -> Int {
    let day = Self.day(of: time)
    return try entries().reduce(0) {
      $1.day == day && $1.service == service && $1.account == account ? $0 + $1.posts + $1.reserved : $0
    }
  }

  /// Reserves as many posts of a range as may still be read on the day of `time`.
  ///
  /// - Parameters:
  ///   - limit: posts a day at most; `nil` for no bound.
  ///   - isLong: they come over hours; nobody waits for their reservation to be given back.
  package func reserve(
    _ posts: ClosedRange<Int>, within limit: Int?, isLong: Bool = false, at time: Timestamp, service: String,
    account: String
  ) throws(ToolError) -> Grant {
    let day = Self.day(of: time)
    return try FileLock.hold(path) { (descriptor) throws(ToolError) in
      let bytes = try StateFile.read(descriptor, name: path)
      let own = try lines(of: bytes).filter { $0.entry.isOf(day, service, account) }
      let read = own.reduce(0) { $0 + $1.entry.posts }
      let reserved = own.reduce(0) { $0 + $1.entry.reserved }
      let count = min(posts.upperBound, (limit ?? Self.largest) - read - reserved)
      guard count >= posts.lowerBound else {
        let isShort = (limit ?? Self.largest) - read < posts.lowerBound
        return isShort || !Self.isRecent(descriptor) ? .usedUp : .reservedByOthers
      }
      try change(own, in: bytes, of: descriptor, Entry(day: day, service: service, account: account)) { entry in
        if isLong { entry.posts += count } else { entry.reserved += count }
      }
      return .granted(Reservation(day: day, posts: count, isCounted: isLong))
    }
  }

  /// Gives a reservation back and records what was read, on the day of `time`. A post that was read before on that day does
  /// not count again, as far as ``ReadIDs`` remember.
  ///
  /// - Parameters:
  ///   - reservation: `nil` if more was read than was reserved.
  ///   - ids: of the posts read; `nil` for one without a number.
  package func settle(
    _ reservation: Reservation?, read ids: [UInt64?], at time: Timestamp, service: String, account: String
  ) throws(ToolError) {
    let day = Self.day(of: time)
    try FileLock.hold(path) { (descriptor) throws(ToolError) in
      let bytes = try StateFile.read(descriptor, name: path)
      let lines = try lines(of: bytes)
      if let reservation, reservation.day != day {
        let own = lines.filter { $0.entry.isOf(reservation.day, service, account) && $0.counts != nil }
        if let entry = own.last?.entry { try change(own, in: bytes, of: descriptor, entry) { $0.remove(reservation) } }
      }
      let known = ids.isEmpty ? nil : try ReadIDs(beside: path, day: day, service: service, account: account)
      let new = known?.new(in: ids) ?? []
      // The count first: if the program is killed in between, posts count twice rather than not at all.
      let own = lines.filter { $0.entry.isOf(day, service, account) }
      try change(own, in: bytes, of: descriptor, Entry(day: day, service: service, account: account)) { entry in
        entry.posts += new.count
        if let reservation, reservation.day == day { entry.remove(reservation) }
      }
      try known?.append(new)
    }
  }

  /// `2026-11-21`, in UTC.
  package static func day(of time: Timestamp) -> String { String(time.rfc3339.prefix(10)) }

  /// When the day of `time` is over.
  package static func nextDay(after time: Timestamp) -> Timestamp {
    let day: Int64 = 86_400_000
    return Timestamp(milliseconds: (time.milliseconds / day + 1) * day)
  }

  // MARK: The file

  private struct Line {
    let entry: Entry
    /// Where the counts begin, if they can be changed in place; a person may have written the line.
    let counts: Int?
  }

  /// Whether the file was changed a moment ago.
  private static func isRecent(_ descriptor: Int32) -> Bool {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { return false }
    let changedAt = Int64(status.modificationTime.tv_sec) * 1000
    return Timestamp.now.milliseconds - changedAt < requestTime
  }

  private func lines(of bytes: [UInt8]) throws(ToolError) -> [Line] {
    var lines: [Line] = []
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
      guard let entry = Self.entry(line) else {
        throw .configuration(
          "the ledger of the posts read is damaged: line \(number) of '\(path)' is not an entry; correct the line, or "
            + "remove it if the posts that it counted may be read again")
      }
      lines.append(Line(entry: entry, counts: Self.hasRoom(line) ? line.endIndex - Self.tail(0, 0).count : nil))
    }
    return lines
  }

  /// `nil` for a line that is not an entry.
  private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
    func isCount(_ number: Int) -> Bool { (0...largest).contains(number) }
    guard let document = try? JSONDocument(Array(line)), let day = document.root["day"]?.string,
      let service = document.root["service"]?.string, let account = document.root["account"]?.string,
      let posts = document.root["posts"]?.integer, isCount(posts)
    else { return nil }
    guard let count = document.root["reserved"] else {
      return Entry(day: day, service: service, account: account, posts: posts, reserved: 0)
    }
    guard let reserved = count.integer, isCount(reserved) else { return nil }
    return Entry(day: day, service: service, account: account, posts: posts, reserved: reserved)
  }

  /// Whether the line ends as ``tail(_:_:)`` writes it.
  private static func hasRoom(_ line: ArraySlice<UInt8>) -> Bool {
    let model = tail(0, 0)
    guard line.count > model.count else { return false }
    return zip(line.suffix(model.count), model).allSatisfy { byte, expected in
      let isPartOfCount = expected == UInt8(ascii: " ") || expected == UInt8(ascii: "0")
      return isPartOfCount ? byte == UInt8(ascii: " ") || (0x30...0x39).contains(byte) : byte == expected
    }
  }

  /// The end of a line: both counts, in their width.
  private static func tail(_ posts: Int, _ reserved: Int) -> [UInt8] {
    func padded(_ count: Int) -> String {
      let digits = String(min(largest, max(0, count)))
      return String(repeating: " ", count: width - digits.utf8.count) + digits
    }
    return Array("\"posts\":\(padded(posts)),\"reserved\":\(padded(reserved))}".utf8)
  }

  /// Changes the last of the lines that can be changed, or appends one that begins with an empty entry.
  private func change(
    _ own: [Line], in bytes: [UInt8], of descriptor: Int32, _ empty: Entry, _ body: (inout Entry) -> Void
  ) throws(ToolError) {
    let line = own.last { $0.counts != nil }
    var entry = line?.entry ?? empty
    body(&entry)
    let counts = Self.tail(entry.posts, entry.reserved)
    if let offset = line?.counts { return try write(counts, at: offset, to: descriptor) }
    var text = ByteBuffer()
    // A person's editor may have left out the last newline.
    if let last = bytes.last, last != UInt8(ascii: "\n") { text.append("\n") }
    text.append("{\"day\":\"\(entry.day)\",\"service\":")
    text.appendJSONString(entry.service)
    text.append(",\"account\":")
    text.appendJSONString(entry.account)
    text.append(",")
    text.append(counts)
    text.append("\n")
    do throws(ToolError) {
      try write(text.array, at: bytes.count, to: descriptor)
    } catch {
      // Where the disk is full, a part of the line is there.
      ftruncate(descriptor, off_t(bytes.count))
      throw error
    }
  }

  private func write(_ bytes: [UInt8], at offset: Int, to descriptor: Int32) throws(ToolError) {
    let count = pwrite(descriptor, bytes, bytes.count, off_t(offset))
    if count != bytes.count {
      throw .inputOutput("cannot write '\(path)': \(describe(errno: count < 0 ? errno : ENOSPC))")
    }
  }
}

extension ReadLedger.Entry {
  fileprivate init(day: String, service: String, account: String) {
    self.init(day: day, service: service, account: account, posts: 0, reserved: 0)
  }

  fileprivate mutating func remove(_ reservation: ReadLedger.Reservation) {
    if reservation.isCounted { posts -= reservation.posts } else { reserved -= reservation.posts }
  }

  fileprivate func isOf(_ day: String, _ service: String, _ account: String) -> Bool {
    self.day == day && self.service == service && self.account == account
  }
}
