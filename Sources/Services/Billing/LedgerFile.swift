import Libc
import TweetCore

/// A line of the ledger:
/// `{"day":"2026-11-21","service":"x","app":"KEY","account":"jack","billed":{"posts":       12,…},"reserved":{…}}`.
struct LedgerLine {
  let entry: Ledger.Entry
  /// Where the counts begin, if they can be changed in place; a person may have written the line.
  let counts: Int?

  /// Bytes of a count, right-aligned: JSON allows spaces before a value.
  private static let width = 9
  static let largest = 999_999_999

  /// The lines of a ledger from a day on.
  ///
  /// - Parameters:
  ///   - path: what messages call the file.
  ///   - first: the day. Lines of earlier days are passed over unread if they begin as this program writes them.
  /// - Throws: `ToolError.configuration` for a line that is not an entry.
  static func all(in bytes: [UInt8], of path: String, since first: String) throws(ToolError) -> [LedgerLine] {
    let beginning = Array("{\"day\":\"".utf8)
    let wanted = Array(first.utf8)
    var lines: [LedgerLine] = []
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      if line.allSatisfy({ $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\r") }) { continue }
      let day = line.dropFirst(beginning.count).prefix(wanted.count)
      let isWhole = line.starts(with: beginning) && line.last == UInt8(ascii: "}")
      if isWhole, day.lexicographicallyPrecedes(wanted) { continue }
      guard let entry = entry(line) else {
        throw .configuration(
          "the ledger of what was billed is damaged: line \(number) of '\(path)' is not an entry; correct the line, or "
            + "remove it if what it counted may be spent again")
      }
      if entry.day < first { continue }
      lines.append(LedgerLine(entry: entry, counts: hasRoom(line) ? line.endIndex - tailSize : nil))
    }
    return lines
  }

  /// `nil` for a line that is not an entry.
  private static func entry(_ line: ArraySlice<UInt8>) -> Ledger.Entry? {
    // A day in another form would be in no period, and its counts in no budget.
    guard let document = try? JSONDocument(Array(line)), let day = document["day"]?.string,
      Timestamp(day: day) != nil,
      let service = document["service"]?.string, let app = document["app"]?.string,
      let billed = counts(document["billed"]), let reserved = counts(document["reserved"])
    else { return nil }
    let bill = Ledger.Bill(service: service, app: app, account: document["account"]?.string ?? "")
    return Ledger.Entry(day: day, bill: bill, billed: billed, reserved: reserved)
  }

  /// Missing ones are 0. `nil` for what are not counts: a kind with a mistyped name, too.
  private static func counts(_ object: JSONDocument?) -> BilledCounts? {
    guard let object else { return BilledCounts() }
    guard object.isObject else { return nil }
    var counts = BilledCounts()
    for (name, value) in object.members {
      guard let kind = name.string.flatMap(BilledKind.init(rawValue:)), let count = value.integer,
        (0...largest).contains(count)
      else { return nil }
      counts[kind] += count
    }
    return counts
  }

  // MARK: Counts in place

  /// The end of a line: all counts, in their width.
  static func tail(_ billed: BilledCounts, _ reserved: BilledCounts) -> [UInt8] {
    func object(_ counts: BilledCounts) -> String {
      let members = BilledKind.allCases.map { kind in
        let digits = String(min(largest, max(0, counts[kind])))
        return "\"\(kind.rawValue)\":\(String(repeating: " ", count: width - digits.utf8.count))\(digits)"
      }
      return "{\(members.joined(separator: ","))}"
    }
    return Array("\"billed\":\(object(billed)),\"reserved\":\(object(reserved))}".utf8)
  }

  private static let model = tail(BilledCounts(), BilledCounts())
  static let tailSize = model.count

  /// Whether the line ends as ``tail(_:_:)`` writes it.
  private static func hasRoom(_ line: ArraySlice<UInt8>) -> Bool {
    guard line.count > model.count else { return false }
    return zip(line.suffix(model.count), model).allSatisfy { byte, expected in
      let isPartOfCount = expected == UInt8(ascii: " ") || expected == UInt8(ascii: "0")
      return isPartOfCount ? byte == UInt8(ascii: " ") || byte.isASCIIDigit : byte == expected
    }
  }
}

/// The ledger's file while its lock is held.
struct LedgerFile {
  let descriptor: Int32
  /// What messages call it.
  let path: String
  let bytes: [UInt8]

  func lines(since day: String) throws(ToolError) -> [LedgerLine] {
    try LedgerLine.all(in: bytes, of: path, since: day)
  }

  /// When the file was changed last, in milliseconds of the system clock.
  var changedAt: Int64? { stat(of: descriptor).map { Int64($0.modificationTime.tv_sec) * 1000 } }

  /// Changes the last line of a day and a bill that can be changed, or appends one that begins with an empty entry.
  ///
  /// - Parameters:
  ///   - lines: those of the file.
  ///   - onlyInPlace: nothing is appended.
  func change(
    _ lines: [LedgerLine], _ day: String, _ bill: Ledger.Bill, onlyInPlace: Bool = false,
    _ body: (inout Ledger.Entry) -> Void
  ) throws(ToolError) {
    let line = lines.last { $0.counts != nil && $0.entry.day == day && $0.entry.bill == bill }
    if line == nil, onlyInPlace { return }
    var entry = line?.entry ?? Ledger.Entry(day: day, bill: bill)
    body(&entry)
    let counts = LedgerLine.tail(entry.billed, entry.reserved)
    if let offset = line?.counts { return try write(counts, at: offset) }
    var text = ByteBuffer()
    // A person's editor may have left out the last newline.
    if let last = bytes.last, last != UInt8(ascii: "\n") { text.append("\n") }
    text.append("{\"day\":\"\(day)\",\"service\":")
    text.appendJSONString(bill.service)
    text.append(",\"app\":")
    text.appendJSONString(bill.app)
    text.append(",\"account\":")
    text.appendJSONString(bill.account)
    text.append(",")
    text.append(counts)
    text.append("\n")
    do throws(ToolError) {
      try write(text.array, at: bytes.count)
    } catch {
      // Where the disk is full, a part of the line is there.
      ftruncate(descriptor, off_t(bytes.count))
      throw error
    }
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(ToolError) {
    let count = pwrite(descriptor, bytes, bytes.count, off_t(offset))
    if count != bytes.count {
      throw .inputOutput("cannot write '\(path)': \(describe(errno: count < 0 ? errno : ENOSPC))")
    }
  }
}
