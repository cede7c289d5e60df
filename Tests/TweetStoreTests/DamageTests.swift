import Foundation
import TestNumbers
import TestSupport
import Testing
import TweetCore

@testable import SQLite
@testable import TweetStore

/// A store whose file is damaged: nothing that was altered is taken for sound, `check` notices, and `--repair` saves
/// the rest. `TW_DAMAGE_ROUNDS` is how often each kind of damage is tried; `make damage` sets it.
struct DamageTests {
  private let scratch: TemporaryDirectory
  private let whole: String

  private static let rounds =
    ProcessInfo.processInfo.environment["TW_DAMAGE_ROUNDS"].flatMap { Int($0) } ?? 3

  /// Tweets with rows in all tables, some longer than a page.
  private static func records() -> [String] {
    var lines = (0..<120).map { number in
      let text = String(repeating: "word\(number) ", count: number % 60 == 7 ? 4000 : 20 + number % 90)
      return """
        {"tw":"tweet","id":"\(1_456_004_101_345_366_025 + number * 155_189_248)","service":"x",\
        "created_at":"\(Timestamp(milliseconds: 1_635_975_000_000 + Int64(number) * 1000).rfc3339)",\
        "text":"日本 ☀️ \(text)","author":{"id":"u\(number % 40)","username":"name\(number % 40)","name":"Name \(number / 40)"},\
        "public_metrics":{"like_count":\(number)},"entities":{"hashtags":[{"tag":"Tag\(number % 7)"}],\
        "urls":[{"url":"https://t.co/\(number)"}],"mentions":[{"username":"m\(number % 5)"}]},\
        "referenced_tweets":[{"type":"quoted","id":"\(number)","text":"in","author":{"id":"q\(number)"}}],\
        "feeds":["#a"],"retrieved_at":"2021-11-08T00:00:00.000Z"}
        """
    }
    // An edit, a deletion and notices.
    lines.append(
      lines[3].replacing("日本", with: "東京").replacing("2021-11-08", with: "2021-11-09")
        .replacing("\"like_count\":3", with: "\"like_count\":33"))
    lines.append(#"{"tw":"delete","service":"x","id":"1456004101345366025"}"#)
    lines.append(#"{"tw":"notice","code":"withheld","service":"x","user_id":"u9","countries":["DE"]}"#)
    lines.append(#"{"tw":"notice","code":"scrub_geo","service":"x","user_id":"u8","up_to_id":"80"}"#)
    return lines
  }

  init() throws {
    scratch = try TemporaryDirectory()
    whole = scratch.path + "/whole.db"
    let records = Self.records()
    try Self.add(Array(records[..<40]), to: whole)
    try Self.add(Array(records[40...]), to: whole)
  }

  private static func add(_ records: [String], to path: String) throws {
    let label = try #require(TweetLabel("later"))
    var writer = try TweetWriter(try TweetStore(path, .readWrite, syncs: false), newLabels: [.unread, label])
    try writer.begin()
    for record in records {
      let document = try JSONDocument(record)
      #expect(try writer.add(document).fault == nil)
    }
    try writer.commit()
  }

  /// What a store gives to its readers.
  private struct Contents {
    var tweets: Set<String> = []
    var users: Set<String> = []
    var export: Set<String> = []
    /// Whether something was left out, and that was reported.
    var isTold = false
  }

  private func read(_ path: String) -> Contents {
    var contents = Contents()
    func attempt(_ body: () throws(ToolError) -> DamagedRows) {
      do throws(ToolError) {
        if try body().count > 0 { contents.isTold = true }
      } catch {
        contents.isTold = true
        #expect(error.status != .bug, "\(error)")
      }
    }
    var query = TweetQuery()
    query.includesHidden = true
    attempt { () throws(ToolError) in
      let store = try TweetStore(path, .readOnly)
      guard var pages = try store.pages(query) else { return DamagedRows() }
      try pages.read { (_, record) throws(ToolError) in
        contents.tweets.insert(String(decoding: record, as: UTF8.self))
        return .more
      }
      return pages.damaged
    }
    attempt { () throws(ToolError) in
      let store = try TweetStore(path, .readOnly)
      return try store.forEachUser(named: nil, service: nil) { record in
        contents.users.insert(String(decoding: record, as: UTF8.self))
        return true
      }
    }
    attempt { () throws(ToolError) in
      let store = try TweetStore(path, .readOnly)
      return try store.export { line in
        contents.export.insert(String(decoding: line, as: UTF8.self))
        return true
      }
    }
    return contents
  }

  private func faults(of path: String) -> [String] {
    var faults: [String] = []
    do throws(ToolError) {
      let store = try TweetStore(path, .readOnly)
      try store.check { faults.append($0) }
    } catch {
      faults.append("\(error)")
    }
    return faults
  }

  /// The tweets and the pages that each is on.
  private func pages(of path: String) throws -> [String: Set<UInt32>] {
    let file = try #require(DamagedFile(path, pageSize: 8192))
    var found: [String: Set<UInt32>] = [:]
    _ = try file.forEachPage { number, bytes, _ in
      let page = RowPage(bytes, headOffset: DamagedFile.headOffset(number), usableSize: file.usableSize)
      guard let page, page.isTable else { return }
      for cell in page.cells {
        var used: Set<UInt32> = [number]
        let row = page.row(at: cell) {
          used.insert($0)
          return file.page($0)
        }
        guard let row, row.values.count == RowSum.tweets.columns.count + 1, case .text(let id) = row.values[2] else {
          continue
        }
        found[String(decoding: id, as: UTF8.self)] = used
      }
    }
    return found
  }

  /// The id of a tweet's record.
  private static func id(_ record: String) -> String {
    String(record.split(separator: #""id":""#)[1].prefix { $0 != "\"" })
  }

  enum Damage: String, CaseIterable, Sendable {
    case bit, manyBits, zeroedPage, foreignPage, cut, head, magic, pageSize, schemaPage, schemaText

    /// Damages a file of pages of 8 KiB.
    fileprivate func apply(to bytes: inout [UInt8], by chance: inout Chance) {
      let size = 8192
      let page = chance.below(bytes.count / size) * size
      func flip(_ range: Range<Int>) { bytes[range.lowerBound + chance.below(range.count)] ^= 1 << chance.below(8) }
      switch self {
      case .bit: flip(0..<bytes.count)
      case .manyBits: for _ in 0..<20 { flip(0..<bytes.count) }
      case .zeroedPage: for at in page..<page + size { bytes[at] = 0 }
      case .foreignPage: for at in page..<page + size { bytes[at] = UInt8(chance.below(256)) }
      case .cut: bytes.removeLast(chance.number(in: 1...bytes.count / 2))
      case .head: flip(0..<100)
      case .magic: bytes[0] ^= 1
      case .pageSize: bytes[16] ^= 1 << chance.below(8)
      case .schemaPage: for at in 0..<size { bytes[at] = UInt8(chance.below(256)) }
      case .schemaText:
        // The SQL of a table, an index or a view.
        let word = Array("CREATE ".utf8)
        let starts = (0..<bytes.count - 400).filter {
          bytes[$0] == word[0] && bytes[$0..<$0 + word.count].elementsEqual(word)
        }
        if let start = starts.randomElement(using: &chance) { flip(start..<start + 400) }
      }
    }
  }

  @Test(arguments: Damage.allCases) func theTableOfDamages(damage: Damage) throws {
    let before = read(whole)
    #expect(!before.isTold && before.tweets.count == 119 && faults(of: whole) == [])
    let pages = try pages(of: whole)
    #expect(pages.count == 119)
    let original = try scratch.read("whole.db")
    var chance = Chance()
    for round in 0..<Self.rounds {
      let folder = scratch.path + "/\(damage)-\(round)"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let path = folder + "/tw.db"
      var bytes = original
      damage.apply(to: &bytes, by: &chance)
      try Data(bytes).write(to: URL(fileURLWithPath: path))

      let found = read(path)
      #expect(found.tweets.subtracting(before.tweets) == [], "\(damage)")
      #expect(found.users.subtracting(before.users) == [], "\(damage)")
      // A line of an export that lacks a row that is damaged differs, and that is reported.
      #expect(
        found.export.isSubset(of: before.export) || found.isTold,
        "\(damage): \(found.export.subtracting(before.export)) for \(before.export.subtracting(found.export))")
      let isWhole =
        found.tweets == before.tweets && found.users == before.users && found.export == before.export && !found.isTold
      if !isWhole { #expect(!faults(of: path).isEmpty, "\(damage): nothing was noticed") }

      let repair = try Repair(path)
      let saved = read(path)
      #expect(!saved.isTold && faults(of: path) == [], "\(damage)")
      #expect(saved.tweets.isSubset(of: before.tweets), "\(damage)")
      // What is on whole pages is there.
      let savable = pages.filter { _, numbers in
        numbers.allSatisfy { number in
          let range = (Int(number) - 1) * 8192..<Int(number) * 8192
          return range.upperBound <= bytes.count && bytes[range] == original[range]
        }
      }
      let missing = Set(savable.keys).subtracting(saved.tweets.map(Self.id))
        // A dictionary that is lost takes records with it.
        .subtracting(repair.lost.map(\.id))
      #expect(missing.count * 100 <= savable.count, "\(damage): \(missing.count) of \(savable.count) are not saved")
      #expect(repair.isHealthy || repair.tweets == saved.tweets.count)
      // Whatever is missing, something is told.
      let isTold =
        !repair.altered.isEmpty || !repair.lost.isEmpty || repair.lostPages > 0 || !repair.losses.isEmpty
      #expect(isTold || saved.export == before.export, "\(damage)")
      let lost = before.tweets.count - saved.tweets.count
      #expect(repair.altered.count + repair.lost.count >= lost || repair.lostPages > 0 || damage != .bit, "\(damage)")
      try FileManager.default.removeItem(atPath: folder)
    }
  }

  /// One wrong bit in the head of a row makes one column of two that are NULL, and each column has the value of the
  /// next one: the checksum stands where the record should be, and none is after it. That row looks like one of another
  /// program.
  @Test func aRowWhoseColumnsHaveMoved() throws {
    do {
      let database = try Database(whole, TweetStore.kind, .readWrite)
      try database.execute(
        """
        UPDATE users SET retrieved_at = record(json, NULL), json = checksum, checksum = NULL WHERE id = 'q60';
        UPDATE tweets SET like_count = retweet_count, text = '', json = checksum, checksum = NULL WHERE like_count = 50;
        """)
    }
    let found = read(whole)
    #expect(found.isTold && found.users.count == 159 && found.tweets.count == 118)
    #expect(found.users.union(found.tweets).allSatisfy { (try? JSONDocument($0)) != nil })
    #expect(!found.export.contains { $0.contains(#""id":"q60""#) && $0.hasPrefix(#"{"tw":"user""#) })
    #expect(faults(of: whole).contains("user 'x:q60' is damaged"))
    let store = try TweetStore(whole, .readOnly)
    #expect((try? store.user(service: "x", id: "q60")) == nil)
    let id = 1_456_004_101_345_366_025 + 50 * 155_189_248
    #expect(try store.counts(of: "\(id)", service: nil).damaged.count == 1)
    // A newer profile is not merged with it.
    var writer = try TweetWriter(try TweetStore(whole, .readWrite))
    try writer.begin()
    let profile = try JSONDocument(
      #"{"tw":"user","service":"x","id":"q60","name":"N","retrieved_at":"2025-11-03T00:00:00Z"}"#)
    #expect((try? writer.add(profile)) == nil)
    writer.rollback()
  }

  /// A row whose further pages are a ring takes neither time nor memory, whatever length it claims.
  @Test func aRingOfOverflowPages() throws {
    var page = [UInt8](repeating: 0, count: 8192)
    // A leaf of a table with one cell, whose row is a text of 2^30 bytes.
    let cell = 4096
    (page[0], page[4], page[8], page[9]) = (0x0D, 1, UInt8(cell >> 8), UInt8(cell & 0xFF))
    let (size, head) = (1 << 30, 6)
    func varint(_ number: Int) -> [UInt8] {
      (0..<5).reversed().map { UInt8(number >> (7 * $0) & 0x7F) | ($0 == 0 ? 0 : 0x80) }
    }
    var bytes = varint(size + head) + [1, UInt8(head)] + varint(13 + 2 * size)
    let least = (8192 - 12) * 32 / 255 - 23
    let rest = least + (size + head - least) % 8188
    let local = rest <= 8192 - 35 ? rest : least
    try #require(cell + 6 + local + 4 <= 8192)
    bytes += [UInt8](repeating: 0x61, count: local - head) + [0, 0, 0, 2]
    page.replaceSubrange(cell..<cell + bytes.count, with: bytes)
    let leaf = try #require(RowPage(page, headOffset: 0, usableSize: 8192))
    #expect(leaf.cells == [cell])
    var read = 0
    let row = leaf.row(at: cell) { number in
      read += 1
      var page = [UInt8](repeating: 0x61, count: 8192)
      page.replaceSubrange(0..<4, with: [0, 0, 0, number == 2 ? 3 : 2])
      return page
    }
    #expect(row == nil && read == 2)
  }

  /// The log is a part of the store. Rows in it are found also if the head of the file is damaged; without it, what was
  /// copied into the file is there.
  @Test(arguments: [true, false]) func theLogIsReadOrLost(isLost: Bool) throws {
    let path = scratch.path + "/live.db"
    try FileManager.default.copyItem(atPath: whole, toPath: path)
    let before = read(path).tweets
    var bytes = try scratch.read("whole.db")
    var log: [UInt8] = []
    do {
      var writer = try TweetWriter(try TweetStore(path, .readWrite))
      try writer.begin()
      let document = try JSONDocument(#"{"tw":"tweet","id":"5","service":"x","text":"in the log","author":{"id":"a"}}"#)
      #expect(try writer.add(document).isNew)
      try writer.commit()
      log = try scratch.read("live.db-wal")
    }
    #expect(log.count > 8192)
    bytes[0] ^= 1
    try FileManager.default.removeItem(atPath: path + "-shm")
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    try Data(isLost ? [] : log).write(to: URL(fileURLWithPath: path + "-wal"))
    _ = try Repair(path)
    let saved = read(path).tweets
    #expect(saved.isSuperset(of: before) && saved.count == before.count + (isLost ? 0 : 1))
    #expect(faults(of: path) == [])
  }

  /// A missing table or index is a fault, and an error of its own where it is needed. A repair makes it again.
  @Test(arguments: [
    ("TABLE tweet_urls", "the table tweet_urls is missing"),
    ("INDEX tweets_by_lang", "the index tweets_by_lang is missing"),
    ("TABLE tweet_search", "the table tweet_search is missing"), ("VIEW timeline", "the view timeline is missing"),
    ("TABLE sources", "the table sources is missing"),
  ])
  func droppedObjects(object: String, fault: String) throws {
    let before = read(whole)
    do { try Database(whole, TweetStore.kind, .readWrite).execute("DROP \(object)") }
    #expect(faults(of: whole).contains(fault))
    if object == "TABLE tweet_urls" {
      var error: ToolError?
      do throws(ToolError) { _ = try TweetWriter(try TweetStore(whole, .readWrite)) } catch let failure {
        error = failure
      }
      #expect(error?.status == .inputOutput && error?.message?.contains("check --repair") == true)
    }
    _ = try Repair(whole)
    #expect(read(whole).export == before.export && faults(of: whole) == [])
  }

  /// Each column of each table that has checksums: a change by other means than ours is noticed.
  @Test func eachColumnIsInTheChecksum() throws {
    let database = try Database(whole, TweetStore.kind, .readWrite)
    try database.write { () throws(ToolError) in
      let source = RefreshedSource.Name(service: "x", account: "", source: "#a")
      try database.run(
        sql: RowSum.sources.insertNext(["?1", "?2", "?3", "900", "0"] + Array(repeating: "NULL", count: 7)),
        .text(source.service),
        .text(source.account), .text(source.source))
      try database.run(sql: RowSum.linkKinds.insert(["'https://a/'", "'page'", "'2021'"]))
      try database.run(sql: RowSum.edits.insert(["'x'", "'2'", "'1'"]))
      try database.run(sql: RowSum.forgotten.insert(["'x'", "'3'", "'3'", "'2021'", "NULL"]))
      try database.run(sql: RowSum.forgottenPeople.insert(["'x'", "'5'", "'2021'"]))
      try database.run(sql: RowSum.forgottenTweets.insert(["'x'", "'3'", "'3'", "NULL", "'text'", "x'01'"]))
      try database.run(
        sql: RowSum.incoming.insertNext(
          ["'x'", "'2'", "7"] + Array(repeating: "NULL", count: 4) + ["'text'"] + Array(repeating: "NULL", count: 6)
            + ["'2021'", "'later'", "x'01'"]))
      try database.run(
        sql: RowSum.notifications.insert(["'x'", "''", "'4'", "'like'", "'2021'", "'5'", "'2'", "x'01'"]))
      try database.run(sql: RowSum.savedQueries.insert(["'music'", "'links:music'"]))
    }
    for table in RowSum.all {
      let count = try database.prepare(
        "SELECT count(*) FROM \(table.table) WHERE NOT coalesce(\(table.isSound()), FALSE)")
      for column in table.columns {
        try database.begin()
        defer { database.rollback() }
        // One row, with another value of the same type, or a value in place of NULL.
        try database.execute(
          """
          UPDATE \(table.table) SET \(column) = coalesce(iif(typeof(\(column)) = 'text', \(column) || 'x', \(column) + 1), 1)
          WHERE \(table.columns[0]) = (SELECT max(\(table.columns[0])) FROM \(table.table))
          """)
        #expect(try count.step() && count.row.integer(0) > 0, "\(table.table).\(column)")
        count.reset()
      }
      #expect(try count.step() && count.row.integer(0) == 0, "\(table.table)")
      count.reset()
    }
  }
}
