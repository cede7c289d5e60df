import Foundation
import SQLite
import TestSupport
import Testing
import TweetCore

@testable import TweetStore
@testable import tw_browse

/// What tw-browse knows of a store, and what it keeps beside it: without a terminal.
@Suite(.onOwnThread) struct BrowseStoreTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  /// The keys of all tweets, the newest first.
  private func keys(_ query: TweetQuery = .everything) throws -> [Int] {
    try TweetStore(store, .readOnly).keys(query).map(\.key)
  }

  private func answering(_ id: Int) -> String { #","referenced_tweets":[{"type":"replied_to","id":"\#(id)"}]"# }

  private func notification(_ id: Int, second: Int, service: String = "x", user: String = "ann", text: String = "")
    -> String
  {
    let about = text.isEmpty ? "" : #","tweet":{"id":"7\#(id)","text":"\#(text)","author_id":"u"}"#
    return
      #"{"tw":"notification","service":"\#(service)","account":"jack","id":"\#(id)","kind":"like","type":"like","#
      + #""at":"\#(time(second))","user":{"id":"u\#(user)","username":"\#(user)"}\#(about)}"# + "\n"
  }

  // MARK: Places

  /// Where one is in a feed is kept beside what others have written, each store in a file of its own.
  @Test func placesOfOthersStay() throws {
    let folder = home.path + "/state/tw"
    try put(1...2)
    var first = try Places(store, in: folder)
    #expect(first.place(in: "a b") == nil && !first.takeChange())
    try first.write()
    #expect(!home.exists("state/tw"), "who has no place writes none")
    first.set(nil, in: "a b")
    #expect(first.takeChange() == false)
    first.set(Place(cursor: -3, newest: 9), in: "a b")
    #expect(first.takeChange() && !first.takeChange())
    try first.write()
    // Another run, of another feed: both are there afterwards.
    var second = try Places(store, in: folder)
    #expect(second.place(in: "a b") == Place(cursor: -3, newest: 9))
    second.set(Place(cursor: 1, newest: 2), in: "other")
    try second.write()
    // What the first one has had before does not replace what the second has written.
    second.set(Place(cursor: 5, newest: 5), in: "a b")
    try second.write()
    first.set(Place(cursor: 4, newest: 9), in: "third")
    first.set(Place(cursor: -3, newest: 9), in: "a b")
    #expect(first.takeChange() == true)
    try first.write()
    let third = try Places(store, in: folder)
    #expect(third.place(in: "other") == Place(cursor: 1, newest: 2))
    #expect(third.place(in: "third") == Place(cursor: 4, newest: 9))
    #expect(third.place(in: "a b") == Place(cursor: -3, newest: 9))
    let file = try #require(FileManager.default.contentsOfDirectory(atPath: folder).first)
    #expect(try String(decoding: home.read("state/tw/" + file), as: UTF8.self) == "-3 9 a b\n1 2 other\n4 9 third\n")
    try FileManager.default.createSymbolicLink(atPath: home.path + "/link.db", withDestinationPath: store)
    #expect(try Places(home.path + "/link.db", in: folder).place(in: "other") != nil)
    #expect(try Places(home.path + "/else.db", in: folder).place(in: "other") == nil)
    try home.write("state/tw/" + file, "x 1 bad\n1 y bad\n1 2\n\n7 8 good\n")
    let damaged = try Places(store, in: folder)
    #expect(damaged.place(in: "good") == Place(cursor: 7, newest: 8) && damaged.place(in: "bad") == nil)
  }

  // MARK: Records in memory

  private func read(_ key: Int, _ text: String, isUnread: Bool = false) -> ReadRecord {
    ReadRecord(key: key, bytes: Array(text.utf8), isUnread: isUnread)
  }

  @Test func recordsAreAskedForOnce() {
    let cache = RecordCache()
    #expect(cache.missing([1, 2]) == [1, 2] && cache.missing([1, 2, 3]) == [3])
    cache.forgetQuestions()
    #expect(cache.missing([2]) == [2])
    cache.take([read(2, tweet(2), isUnread: true), ReadRecord(key: 4, bytes: [], isUnread: false), read(5, "{")])
    #expect(cache.missing([2, 4, 5]).isEmpty)
    #expect(cache.entry(2)?.name == "x:2" && cache.entry(2)?.isUnread == true && cache.entry(2)?.service == "x")
    #expect(cache.entry(4) != nil && cache.entry(4)?.document == nil && cache.entry(5)?.document == nil)
    #expect(cache.entry(9) == nil && cache.key(named: "x:2") == 2 && cache.key(named: "x:3") == nil)
    // Another version is asked for once, and only of what is here.
    #expect(cache.outdated([2, 9]) == [2] && cache.outdated([2]).isEmpty)
    cache.noteVerdicts(of: 2)
    cache.replace(try! JSONDocument(Array(tweet(2, text: "shown").utf8)), of: 2)
    #expect(cache.entry(2)?.document?["text"]?.string == "shown" && cache.entry(2)?.isUnread == true)
    #expect(cache.entry(2)?.hasVerdicts == true && cache.entry(2)?.name == "x:2")
    cache.mark(2, isUnread: false)
    #expect(cache.entry(2)?.isUnread == false)
    cache.take([read(2, tweet(2, text: "stored"))])
    #expect(cache.entry(2)?.hasVerdicts == false && cache.outdated([2]) == [2])
    cache.removeAll()
    #expect(cache.missing([2]) == [2])
  }

  /// Those that were used last stay.
  @Test func recordsThatWereNotUsedForLongAreForgotten() {
    let cache = RecordCache()
    cache.take((1...600).map { ReadRecord(key: $0, bytes: [], isUnread: false) })
    for key in 1...600 { #expect(cache.entry(key) != nil) }
    _ = cache.entry(1)
    cache.take([ReadRecord(key: 601, bytes: [], isUnread: false)])
    #expect(cache.entry(1) != nil && cache.entry(601) != nil && cache.entry(600) != nil)
    #expect(cache.entry(2) == nil && cache.entry(200) == nil)
    var left = 0
    for key in 1...601 where cache.entry(key) != nil { left += 1 }
    #expect(left == 300)
  }

  /// Of a notification what it is about is the tweet, if it has one with a text.
  @Test func notificationsHaveTheirTweet() {
    let cache = RecordCache()
    cache.take([
      read(1, notification(1, second: 1, text: "mine")), read(2, notification(2, second: 1)),
      read(3, notification(3, second: 1).replacing(#""user""#, with: #""tweet":{"id":"9"},"user""#)),
    ])
    #expect(cache.entry(1)?.document?["text"]?.string == "mine" && cache.entry(1)?.name == "x:71")
    #expect(cache.entry(1)?.notification != nil && cache.entry(1)?.picturedDocument?["account"]?.string == "jack")
    #expect(cache.entry(2)?.document == nil && cache.entry(3)?.document == nil && cache.entry(3)?.notification != nil)
    #expect(cache.key(named: "x:71") == nil, "the tweet itself is another entry")
    cache.replace(try! JSONDocument(Array(tweet(71).utf8)), of: 1)
    #expect(cache.entry(1)?.notification != nil)
  }

  // MARK: A session

  /// What a session has answered to requests.
  private func ask(_ requests: [StoreRequest]) throws -> [StoreAnswer] {
    let log = AnswerLog()
    var session = try log.session(store)
    try session.carryOut(requests)
    return log.take()
  }

  /// The answers in a few words.
  private func words(_ answers: [StoreAnswer]) -> [String] {
    answers.map { answer in
      switch answer {
      case .keys(let list, let keys, let isWhole): "\(list) keys \(keys.count)\(isWhole ? " whole" : "")"
      case .thread(let list, let rows, let named): "\(list) thread \(rows.count) \(named == nil ? "-" : "named")"
      case .beside(_, let rows, let own): "beside \(rows.count) \(own == nil ? "-" : "own")"
      case .placed(let list, let place): "\(list) placed \(place.cursor)"
      case .sought(let list, let key): "\(list) sought \(key.map { String($0) } ?? "-")"
      case .found(let list, let keys): "\(list) found \(keys.count)"
      case .changed(let keys): "changed \(keys.count)"
      case .outdated: "outdated"
      case .deleted(let name): "deleted \(name)"
      case .records(let records): "records \(records.map { $0.bytes.isEmpty ? "-" : $0.isUnread ? "unread" : "read" })"
      case .profile(_, let id, let record): "profile \(id) \(record == nil ? "-" : "there")"
      case .failed(let list, let message): "\(list.map { String($0) } ?? "-") failed \(message)"
      case .names(let queries, let labels): "names \(queries.map(\.name)) \(labels)"
      case .missing: "missing"
      case .replaced: "replaced"
      }
    }
  }

  @Test func listsAreReadByPages() throws {
    try put(1...205)
    let all = try keys()
    let everything = ListSource.query(.everything)
    try #require(all.count == 205 && all == all.sorted(by: >))
    #expect(try words(ask([.open(list: 3, everything, nil)])) == ["3 keys 200"])
    #expect(
      try words(
        ask([
          .open(list: 3, everything, nil), .more(list: 3, before: all[199], count: 5),
          .more(list: 3, before: all[199], count: 6), .more(list: 4, before: all[3], count: 5),
          .close(list: 3), .more(list: 3, before: all[199], count: 5),
        ])) == ["3 keys 200", "3 keys 5", "3 keys 5 whole"])
    guard
      case .keys(_, let next, _) = try ask([
        .open(list: 3, everything, nil), .more(list: 3, before: all[199], count: 2),
      ]).dropFirst(1).first
    else {
      Issue.record("no keys")
      return
    }
    #expect(next == [all[200], all[201]])
    // The keys up to where the reader was come along.
    let place = Place(cursor: all[203], newest: all[2])
    let placed = try ask([.open(list: 3, everything, place)])
    #expect(words(placed) == ["3 keys 200", "3 keys 204", "3 placed \(all[203])"])
    #expect(try words(ask([.open(list: 1, .keys([5, 4]), nil)])) == ["1 keys 2 whole"])
    #expect(try words(ask([.open(list: 1, .thread("x:999"), nil)])).first?.hasPrefix("1 failed") == true)
    var unknown = TweetQuery.everything
    unknown.after = "999"
    #expect(try words(ask([.open(list: 1, .query(unknown), nil)])).first?.hasPrefix("1 failed") == true)
  }

  @Test func searchesGoThroughTheWholeList() throws {
    try put(1...9)
    let all = try keys()
    try #require(all.count == 9)
    func seek(_ words: String, from index: Int, isUp: Bool = false, end: Int, in source: ListSource? = nil) throws
      -> [String]
    {
      var condition = TweetQuery()
      condition.search = words
      let answers = try ask([
        .open(list: 1, source ?? .query(.everything), nil),
        .seek(Seek(list: 1, condition: condition, key: all[index], isUp: isUp, knownEnd: all[end])),
      ])
      return self.words(Array(answers.dropFirst()))
    }
    // 9 is at 0, 1 at 8.
    #expect(try seek("word", from: 2, end: 8) == ["1 sought \(all[3])"])
    #expect(try seek("word", from: 2, isUp: true, end: 8) == ["1 sought \(all[1])"])
    #expect(
      try seek("word", from: 8, end: 8) == ["1 sought -"] && seek("word", from: 0, isUp: true, end: 8) == ["1 sought -"]
    )
    // What is beyond the known keys comes with those before it.
    #expect(try seek("2", from: 0, end: 3) == ["1 keys 4", "1 sought \(all[7])"])
    #expect(try seek("6", from: 0, end: 3) == ["1 sought \(all[3])"])
    let some = ListSource.keys([all[0], all[4], all[6]])
    #expect(try seek("word", from: 4, end: 6, in: some) == ["1 sought \(all[6])"])
    #expect(try seek("word", from: 6, isUp: true, end: 6, in: some) == ["1 sought \(all[4])"])
    #expect(try seek("4", from: 0, end: 6, in: some) == ["1 sought -"])
    #expect(try seek("word", from: 0, end: 6, in: .thread("x:1")) == ["1 sought -"])
    var faulty = TweetQuery()
    faulty.after = "999"
    #expect(
      try words(
        ask([
          .open(list: 1, .query(.everything), nil),
          .seek(Seek(list: 1, condition: faulty, key: all[0], isUp: false, knownEnd: all[8])),
        ]).suffix(1)) == ["1 sought -"])
  }

  @Test func recordsProfilesThreadsAndNames() throws {
    try put(
      tweet(1, second: 1) + tweet(2, second: 2, more: answering(1)) + tweet(3, second: 3, more: answering(99))
        + #"{"tw":"user","service":"x","id":"u7","username":"ann"}"# + "\n" + notification(1, second: 5))
    #expect(try cache("label", "+unread", "2").status == 0)
    #expect(try cache("query", "save", "mine", "word").status == 0)
    let all = try keys()
    try #require(all.count == 3)
    #expect(try words(ask([.records([all[1], all[0], 1])])) == [#"records ["unread", "read", "-"]"#])
    #expect(try words(ask([.records([])])) == [])
    let told = try ask([
      .open(
        list: 1, .notifications(NotificationChoice(service: nil, hidden: HiddenTweets(mute: nil, kinds: []))),
        Place(cursor: 4, newest: 5))
    ])
    guard case .keys(_, let keys, true) = told.first else {
      Issue.record("\(told)")
      return
    }
    try #require(keys.count == 1 && NotificationBook.isKey(keys[0]) && !NotificationBook.isKey(all[0]))
    #expect(words(told).last == "1 placed 4")
    #expect(
      try words(ask([.records([keys[0], all[0]])])) == [#"records ["-"]"#, #"records ["read"]"#], "it was not opened")
    #expect(
      try words(ask([.profile(service: "x", id: "u7"), .profile(service: "x", id: "u8")])) == [
        "profile u7 there", "profile u8 -",
      ])
    #expect(
      try words(ask([.beside(entry: 1, "x:2"), .beside(entry: 1, "x:999"), .beside(entry: 1, "x:3")])) == [
        "beside 2 own", "beside 0 -", "beside 1 own",
      ])
    #expect(try words(ask([.names])) == [#"names ["mine"] ["unread"]"#])
    guard case .thread(_, let rows, let named) = try ask([.open(list: 1, .thread("x:3"), nil)]).first else { return }
    #expect(rows.count == 1 && rows[0].branch.isOrphan && named == all[0])
  }

  /// Each list is told what came into it, once, and what was there before.
  @Test func whatHasChangedIsTold() throws {
    try put(1...3, feeds: ["#a"])
    let log = AnswerLog()
    var session = try log.session(store)
    var a = TweetQuery()
    a.feeds = ["#a"]
    var b = TweetQuery()
    b.feeds = ["#b"]
    try session.carryOut([
      .open(list: 1, .query(a), nil), .open(list: 2, .query(b), nil), .open(list: 3, .thread("x:1"), nil),
      .open(list: 4, .thread("x:50"), nil), .open(list: 5, .query(a), nil), .close(list: 5), .look,
    ])
    #expect(words(log.take()).count == 5, "nothing has changed")
    try put(4...5, feeds: ["#a"])
    try session.carryOut([.look])
    let first = words(log.take())
    #expect(
      first.contains("1 found 2") && first.contains("changed 2")
        && !first.contains { $0.hasPrefix("5 ") || $0.contains("2 found") })
    try put(tweet(6, second: 6, feeds: ["#b"], more: answering(1)) + tweet(50, second: 50))
    try session.carryOut([.look])
    let told = words(log.take()).sorted()
    #expect(told == ["2 found 1", "3 found 1", "4 thread 1 named", "changed 2"], "\(told)")
    try session.carryOut([.look])
    #expect(log.take().isEmpty)
    try put(tweet(7, second: 7, more: answering(6)) + #"{"tw":"delete","service":"x","id":"2"}"# + "\n")
    try session.carryOut([.look])
    #expect(words(log.take()).sorted() == ["3 found 1", "changed 1", "deleted x:2"])
    // More has changed than the store remembers.
    try put(60...61)
    let writing = try TweetStore(store, .readWrite)
    try writing.database.execute("DELETE FROM recent WHERE number < (SELECT max(number) FROM recent)")
    try session.carryOut([.look])
    #expect(words(log.take()) == ["outdated"])
  }

  // MARK: Notifications

  private func notifications(_ service: String? = nil, mute: String? = nil) -> ListSource {
    let hidden = HiddenTweets(mute: mute.flatMap { MuteList($0) }, kinds: [])
    return .notifications(NotificationChoice(service: service, hidden: hidden))
  }

  @Test func notificationsAreChosenAndInOrder() throws {
    try put(
      notification(1, second: 30, user: "ann") + notification(2, second: 10, service: "mastodon:a.example", user: "ben")
        + notification(3, second: 20, service: "mastodon:b.example", user: "eve")
        + notification(4, second: 20, service: "mastodonian", user: "eve"))
    for (source, count) in [
      (notifications(), 4), (notifications("mastodon"), 2), (notifications("mastodon:a.example"), 1),
      (notifications("x"), 1), (notifications(mute: "@ann"), 3), (notifications("bluesky"), 0),
    ] {
      guard case .keys(_, let keys, true) = try ask([.open(list: 1, source, nil)]).first else {
        Issue.record("another answer")
        return
      }
      #expect(keys.count == count && keys == keys.sorted(by: >))
    }
    let log = AnswerLog()
    var session = try log.session(store)
    try session.carryOut([.open(list: 1, notifications(), nil)])
    guard case .keys(_, let keys, _) = log.take().first else {
      Issue.record("another answer")
      return
    }
    try session.carryOut([.records(keys)])
    guard case .records(let records) = log.take().first else {
      Issue.record("another answer")
      return
    }
    let ids = try records.map { try JSONDocument($0.bytes)["id"]?.string }
    #expect(ids.first == "1" && ids.last == "2" && Set(ids).count == 4)
    // They have the same keys the next time, as places need.
    #expect(
      try ask([.open(list: 1, notifications(), nil)]).contains {
        if case .keys(_, keys, _) = $0 { true } else { false }
      })
  }

  /// One that comes late is shown where its time is, if not too many newer ones are known.
  @Test func aLateNotificationIsFound() throws {
    try put((101...199).map { notification($0, second: $0) }.joined())
    let log = AnswerLog()
    var session = try log.session(store)
    try session.carryOut([.open(list: 1, notifications(), nil), .look])
    #expect(words(log.take()) == ["1 keys 99 whole"])
    try put(notification(1, second: 50))
    try session.carryOut([.look])
    guard case .found(1, let late)? = log.take().first else {
      Issue.record("it was not told")
      return
    }
    try session.carryOut([.records(late)])
    #expect(words(log.take()) == [#"records ["read"]"#])
    // A hundred are known now: one before them would be looked for in vain.
    try put(notification(2, second: 40))
    try session.carryOut([.look])
    #expect(words(log.take()) == [])
    try put(notification(3, second: 300) + notification(4, second: 150))
    try session.carryOut([.look])
    #expect(words(log.take()) == ["1 found 2"])
    try session.carryOut([.look])
    #expect(words(log.take()) == [])
  }

  // MARK: The thread that reads

  /// The answers of a reader until one of them is as it is wanted.
  private func answers(_ reader: StoreReader, until isLast: (StoreAnswer) -> Bool) throws -> [String] {
    var all: [StoreAnswer] = []
    try waitUntil {
      all += reader.takeAnswers()
      return all.contains(where: isLast)
    }
    return words(all)
  }

  private static func isKeys(_ answer: StoreAnswer) -> Bool { if case .keys = answer { true } else { false } }

  @Test func aStoreMayComeLaterAndBeReplaced() throws {
    let reader = try StoreReader(store)
    reader.ask(.open(list: 1, .query(.everything), nil))
    reader.ask(.open(list: 2, .keys([3]), nil))
    reader.ask(.close(list: 2))
    #expect(try answers(reader) { if case .missing = $0 { true } else { false } }.allSatisfy { $0 == "missing" })
    try put(1...3)
    reader.ask(.look)
    #expect(try answers(reader, until: Self.isKeys).filter { $0 != "missing" } == ["1 keys 3 whole"])
    reader.ask(.open(list: 4, .keys([8]), nil))
    #expect(try answers(reader, until: Self.isKeys) == ["4 keys 1 whole"])
    for name in try FileManager.default.contentsOfDirectory(atPath: home.path + "/.local/share/tw")
    where name.hasPrefix("tw.db") {
      try FileManager.default.removeItem(atPath: home.path + "/.local/share/tw/" + name)
    }
    try put(7...8)
    reader.ask(.reopen)
    let again = try answers(reader) { if case .keys(4, _, _) = $0 { true } else { false } }
    #expect(again == ["replaced", "1 keys 2 whole", "4 keys 1 whole"])
  }

  @Test func aFileThatIsNoStoreIsSaidOnce() throws {
    try home.write(".local/share/tw/tw.db", String(repeating: "no store at all\n", count: 99))
    let reader = try StoreReader(store)
    reader.ask(.look)
    let told = try answers(reader) { if case .failed(nil, _) = $0 { true } else { false } }
    #expect(told.count == 1)
  }

  // MARK: The files

  /// An idle store is left alone; one that was written or replaced is not.
  @Test func theFilesTellWhetherToLook() throws {
    let path = try home.write("some.db", "a")
    func age(_ name: String) throws {
      let old = Date(timeIntervalSinceNow: -60)
      try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: home.path + "/" + name)
    }
    var missing = StoreWatch(home.path + "/nothing.db")
    #expect(missing.look() == .possible && missing.look() == .possible)
    var watch = StoreWatch(path)
    #expect(watch.look() == .possible)
    #expect(watch.look() == .possible, "it was written a moment ago")
    try age("some.db")
    #expect(watch.look() == .possible && watch.look() == .none && watch.look() == .none)
    try home.write("some.db-wal", "b")
    #expect(watch.look() == .possible && watch.look() == .possible)
    try age("some.db-wal")
    #expect(watch.look() == .possible && watch.look() == .none)
    try FileManager.default.removeItem(atPath: path)
    #expect(watch.look() == .anotherFile)
    try home.write("some.db", "a")
    try age("some.db")
    #expect(watch.look() == .possible && watch.look() == .none)
    try home.write("new.db", "a")
    #expect(rename(home.path + "/new.db", path) == 0)
    #expect(watch.look() == .anotherFile)
  }

  // MARK: Filters

  private func filter(_ command: String, _ source: ListSource) throws -> FilterRun.Outcome {
    let jobs = BackgroundJobs()
    var outcome: FilterRun.Outcome?
    _ = try FilterRun.start(command, of: source, in: store, jobs) { outcome = $0 }
    try waitUntil {
      jobs.read()
      return outcome != nil
    }
    return try #require(outcome)
  }

  @Test func commandsLetTweetsThrough() throws {
    try put(1...5)
    let all = try keys()
    try #require(all.count == 5)
    for (command, source, indices) in [
      ("cat", ListSource.query(.everything), [0, 1, 2, 3, 4]), ("tac", .query(.everything), [0, 1, 2, 3, 4]),
      ("grep 'number [24]'", .query(.everything), [1, 3]), ("cat; echo no record", .keys([all[2], all[0]]), [0, 2]),
      ("head -n 1", .query(.everything), [0]), ("grep number; exit 3", .thread("x:2"), [3]),
    ] {
      guard case .keys(let keys, false) = try filter(command, source) else {
        Issue.record("\(command)")
        return
      }
      #expect(keys == indices.map { all[$0] }, "\(command)")
    }
    for (command, source, message) in [
      ("grep nothing", ListSource.query(.everything), "grep nothing lets no tweet through"),
      ("true", .query(.everything), "true lets no tweet through"),
      ("echo why >&2; exit 1", .query(.everything), "echo why >&2; exit 1: why"),
      ("exit 3", .query(.everything), "exit 3: it ended with status 3"),
    ] {
      guard case .nothing(let said) = try filter(command, source) else {
        Issue.record("\(command)")
        return
      }
      #expect(said == message)
    }
    guard case .nothing(let said) = try filter("cat", .thread("x:99")) else {
      Issue.record("no thread")
      return
    }
    #expect(said.contains("99"))
  }
}

/// Keeps what a session answers.
private final class AnswerLog {
  private var answers: [StoreAnswer] = []

  func session(_ path: String) throws -> StoreSession {
    try StoreSession(try TweetStore(path, .readOnly)) { [self] in answers.append($0) }
  }

  /// What was answered since.
  func take() -> [StoreAnswer] {
    defer { answers = [] }
    return answers
  }
}
