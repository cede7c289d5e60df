import Foundation
import SQLite
import TestSupport
import Testing
import TweetCore
import TweetServices

@testable import tw_post

/// What the outbox knows of a write that was asked for before: whose it is, how old it is, and where it stands.
@Suite struct OutboxTests {
  private typealias State = Outbox.State

  private static let own = Outbox.Owner(service: "local", base: "http://a.example", account: "jack")
  /// Each differs in one thing, and has posts of the same ids.
  private static let others = [
    Outbox.Owner(service: "x", base: own.base, account: own.account),
    Outbox.Owner(service: own.service, base: "http://b.example", account: own.account),
    Outbox.Owner(service: own.service, base: own.base, account: "jill"),
  ]
  private static let states: [State] = [.queued, .sending, .unsettled, .done, .refused]
  private static let hour: Int64 = 3_600_000

  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func outbox(_ owner: Outbox.Owner = own) throws -> Outbox {
    try Outbox(path: home.path + "/outbox.db", of: owner)
  }

  private func time(_ hoursAgo: Double) -> Timestamp {
    Timestamp(milliseconds: Timestamp.now.milliseconds - Int64(hoursAgo * Double(Self.hour)))
  }

  /// Changes a row in place of what would take hours.
  private func age(_ ids: Int..., hours: Double, isReported: Bool = false) throws {
    let outbox = try outbox()
    let time = time(hours).rfc3339
    try outbox.database.write { () throws(ToolError) in
      for id in ids {
        try outbox.database.run(
          "UPDATE writes SET created_at = ?, claimed_at = ?, is_reported = ? WHERE id = ?", .text(time), .text(time),
          .integer(isReported ? 1 : 0), .integer(id))
      }
    }
  }

  private func post(
    _ text: String, _ state: State = .queued, result: String? = nil, command: String? = nil,
    of owner: Outbox.Owner = own
  ) throws -> Int {
    let outbox = try outbox(owner)
    let id = try outbox.add([.post(PostDraft(text: text))], command: command ?? text)[0]
    try outbox.set(state, of: id, at: .now, result: result)
    return id
  }

  private func change(
    _ change: PostChange, _ target: String, _ state: State = .done, isReported: Bool = true,
    of owner: Outbox.Owner = own
  ) throws -> Int {
    let outbox = try outbox(owner)
    let id = try outbox.add([.change(change, target)], command: "")[0]
    try outbox.set(state, of: id, at: .now)
    if isReported { try outbox.setReported(id) }
    return id
  }

  private func left(_ ids: [Int]) throws -> [Int] { try ids.filter { try outbox().entry($0) != nil } }

  // MARK: The same command

  /// When the same command is the same post: state, hours since it was asked for, whether its record was printed.
  private static let cutOff: [(State, Double, Bool, Bool)] = [
    (.queued, 23, false, true), (.queued, 25, false, false), (.sending, 23, false, true), (.sending, 25, false, false),
    (.unsettled, 23, false, true), (.unsettled, 25, false, false), (.done, 0.9, false, true),
    (.done, 1.1, false, false),
    (.done, 0.1, true, false), (.refused, 0.1, false, false),
  ]

  @Test func aCommandGoesOnWithWhatWasCutOffLately() throws {
    let outbox = try outbox()
    for (number, (state, hours, isReported, goesOn)) in Self.cutOff.enumerated() {
      let id = try post("text", state, command: "command \(number)")
      try age(id, hours: hours, isReported: isReported)
      #expect(
        try outbox.cutOff(command: "command \(number)") == (goesOn ? [id] : []), "\(state) \(hours) \(isReported)")
      for other in Self.others { #expect(try outbox.cutOff(command: "command \(number)", of: other).isEmpty) }
    }
    _ = try outbox.add([.post(PostDraft(text: "text"))], command: "later", due: time(-2))
    #expect(try outbox.cutOff(command: "later").isEmpty)
  }

  /// The same for a crosspost, of which a refused copy is asked for again where the others are.
  @Test func aCrosspostGoesOnWithWhatWasCutOffLately() throws {
    let outbox = try outbox()
    func batch(_ number: Int, _ owner: Outbox.Owner = Self.own) -> Outbox.Batch {
      Outbox.Batch(owner: owner, actions: [.post(PostDraft(text: "text"))], command: "command \(number)")
    }
    let rows = Self.cutOff.dropLast() + [(.refused, 23, false, true), (.refused, 25, false, false)]
    for (number, (state, hours, isReported, goesOn)) in rows.enumerated() {
      let (ids, isOld, _) = try outbox.add([batch(number)], isNew: false, due: nil)
      try #require(!isOld && ids.count == 1 && ids[0].count == 1)
      try outbox.set(state, of: ids[0][0], at: .now)
      try age(ids[0][0], hours: hours, isReported: isReported)
      for other in Self.others {
        let (theirs, isOld, _) = try outbox.add([batch(number, other)], isNew: false, due: nil)
        #expect(!isOld && theirs != ids, "\(state) of \(other)")
        #expect(try outbox.entry(theirs[0][0])?.group == theirs[0][0])
      }
      let again = try outbox.add([batch(number)], isNew: false, due: nil)
      #expect(again.goesOn == goesOn && (again.ids == ids) == goesOn, "\(state) \(hours) \(isReported)")
    }
    let later = try outbox.add([batch(100)], isNew: true, due: time(-2))
    let now = try outbox.add([batch(100)], isNew: false, due: nil)
    #expect(!now.goesOn && now.ids != later.ids, "what is for later is another post")
  }

  /// A post that was edited in the outbox is another one than the command says.
  @Test func theCommandOfAnEditedPostDoesNotFindIt() throws {
    let outbox = try outbox()
    let (first, second) = (PostDraft(text: "one"), PostDraft(text: "two"))
    let ids = try outbox.add([.post(first), .post(second)], command: "thread", isChain: true)
    let new = PostDraft(text: "new")
    try outbox.set(.sending, of: ids[1], at: .now)
    #expect(throws: ToolError.self) { try outbox.replace([(ids[0], first, new), (ids[1], second, new)]) }
    #expect(try outbox.entry(ids[0])?.action == .post(first), "all or none")
    #expect(throws: ToolError.self) { try outbox.replace([(ids[0], second, new)]) }
    #expect(try outbox.cutOff(command: "thread") == ids)
    try outbox.replace([(ids[0], first, new)])
    #expect(try outbox.entry(ids[0])?.action == .post(new) && outbox.cutOff(command: "thread").isEmpty)
  }

  // MARK: What was done

  @Test func aChangeIsDoneIfTheLastOneOfTheAccountWas() throws {
    for other in Self.others { _ = try change(.like, "7", of: other) }
    for state in Self.states where state != .done { _ = try change(.like, "7", state) }
    let outbox = try outbox()
    #expect(try !outbox.isDone(.like, "7"))
    _ = try change(.like, "7")
    #expect(try outbox.isDone(.like, "7") && !outbox.isDone(.unlike, "7") && !outbox.isDone(.like, "8"))
    _ = try change(.unlike, "7", .refused)
    #expect(try outbox.isDone(.like, "7"))
    _ = try change(.unlike, "7")
    #expect(try !outbox.isDone(.like, "7") && outbox.isDone(.unlike, "7"))
  }

  /// Servers give the same ids to different posts.
  @Test func anIDIsThatOfOneServer() throws {
    let others = Self.others.dropLast()
    for other in others {
      _ = try post("theirs", .done, result: "7", of: other)
      _ = try change(.delete, "7", of: other)
    }
    let batch = Outbox.Batch(owner: Self.own, actions: [.post(PostDraft(text: "mine"))], command: "mine")
    let outbox = try outbox()
    #expect(try !outbox.isResult("7"))
    let id = try outbox.add([batch], isNew: true, due: nil).ids[0][0]
    try outbox.set(.done, of: id, at: .now, result: "7")
    #expect(try outbox.isResult("7"))
    let copy = try #require(try outbox.copies(of: id).first)
    #expect(!copy.isGone && copy.deletion == nil)
    #expect(try outbox.lastPost()?.id == id && outbox.lastPosts().map(\.id) == [id])
    #expect(try outbox.lastPosts().first?.deletion == nil)
    #expect(try outbox.copy(ofPost: "7", Self.own.service, Self.own.base)?.id == id)
    for other in others { #expect(try outbox.copy(ofPost: "7", other.service, other.base)?.id == nil) }
    // A deletion that nobody has seen yet.
    let deletion = try change(.delete, "7", isReported: false)
    #expect(try outbox.copies(of: id).first?.deletion == deletion && outbox.copies(of: id).first?.isGone == false)
    #expect(try outbox.lastPost()?.id == id && outbox.lastPosts().first?.deletion == deletion)
    try outbox.setReported(deletion)
    #expect(try outbox.copies(of: id).first?.isGone == true)
    #expect(try outbox.lastPost()?.id == nil && outbox.lastPosts().isEmpty)
  }

  @Test func whatWasRefusedIsNothingToTakeBack() throws {
    let first = try post("first", .done, result: "1")
    _ = try post("second", .refused)
    let outbox = try outbox()
    #expect(try outbox.lastPosts().map(\.id) == [first])
    let groups = try ["third", "fourth"].map { text in
      let batch = Outbox.Batch(owner: Self.own, actions: [.post(PostDraft(text: text))], command: text)
      return try outbox.add([batch], isNew: true, due: nil).ids[0][0]
    }
    try outbox.set(.done, of: groups[0], at: .now, result: "3")
    try outbox.set(.refused, of: groups[1], at: .now)
    #expect(try outbox.lastPost()?.id == groups[0])
  }

  /// Said twice, it is two posts, and the last of them is meant. A thread is one thing.
  @Test func theLastPostIsOneOrAThread() throws {
    let outbox = try outbox()
    let thread = try outbox.add(["1", "2"].map { .post(PostDraft(text: $0)) }, command: "thread", isChain: true)
    try age(thread[0], thread[1], hours: 2)
    #expect(try outbox.lastPosts().map(\.id) == thread.reversed())
    let first = try post("hi", .done, result: "3")
    try age(first, hours: 1)
    let second = try post("hi", .done, result: "4")
    #expect(try outbox.lastPosts().map(\.id) == [second])
    for other in Self.others { _ = try post("theirs", .done, result: "9", of: other) }
    #expect(try outbox.lastPosts().map(\.id) == [second])
  }

  /// What is finished is known for ninety days.
  @Test func whatIsDoneIsKnownForNinetyDays() throws {
    let ids = try [89.0, 91].map { days in
      let id = try post("\(days)", .done)
      try age(id, hours: days * 24)
      return id
    }
    _ = try post("new")
    #expect(try left(ids) == [ids[0]])
  }

  // MARK: What is to be done

  /// What a flush sends, and whose records it prints: those of the account's earlier tokens too.
  @Test func whatAFlushFinds() throws {
    let outbox = try outbox()
    var expected: [Int] = []
    for state in Self.states {
      let id = try post(state.rawValue, state)
      if [.queued, .sending, .unsettled].contains(state) { expected.append(id) }
    }
    for (hours, isReported, isOpen) in [
      (0.1, false, true), (0.01, false, false), (25, false, false), (0.1, true, false),
    ]
      as [(Double, Bool, Bool)]
    {
      let id = try post("done", .done)
      try age(id, hours: hours, isReported: isReported)
      if isOpen { expected.append(id) }
    }
    let due = try [time(0.1), time(-0.1)].map { due in
      try outbox.add([.post(PostDraft(text: "due"))], command: "", due: due)[0]
    }
    expected.append(due[0])
    for other in Self.others { _ = try post("theirs", of: other) }
    #expect(try outbox.open(at: .now) == expected)
    let earlier = Outbox.Owner(service: Self.own.service, base: Self.own.base, account: "token-1")
    let id = try post("by the token before", of: earlier)
    #expect(try outbox.open(at: .now) == expected)
    for owner in [Self.own, earlier] {
      try self.outbox(owner).remember(WritingAccount(id: "7", username: "a", object: "{}"))
    }
    try self.outbox(Self.others[2]).remember(WritingAccount(id: "8", username: "b", object: "{}"))
    #expect(try outbox.open(at: .now) == expected + [id])
  }

  @Test func oneProcessPrintsARecord() throws {
    let outbox = try outbox()
    for (state, hours, isReported, isGiven) in [
      (.done, 0.1, false, true), (.done, 0.01, false, false), (.done, 0.1, true, false),
      (.unsettled, 0.1, false, false),
    ] as [(State, Double, Bool, Bool)] {
      let id = try post("text", state)
      try age(id, hours: hours, isReported: isReported)
      #expect(try outbox.claim(id, at: .now) == isGiven, "\(state) \(hours) \(isReported)")
      #expect(try !outbox.claim(id, at: .now), "nobody else does")
    }
  }

  @Test func onlyWhatWasNeverSentIsTakenOut() throws {
    let outbox = try outbox()
    let ids = try Self.states.map { try post($0.rawValue, $0) }
    for id in ids.dropFirst() {
      let error = #expect(throws: ToolError.self) { try outbox.drop([ids[0], id], again: "the same") }
      #expect(error?.status == .tryLater)
    }
    #expect(try left(ids) == ids, "all or none")
    try outbox.removeQueued(ids)
    #expect(try left(ids) == Array(ids.dropFirst()))
    for (id, state) in zip(ids, Self.states).dropFirst() {
      #expect(try outbox.retry(id) == (state == .done ? [] : [id]))
      #expect(try outbox.entry(id)?.state == (state == .done ? .done : .queued))
    }
    let again = try post("again")
    try outbox.drop([again], again: "the same")
    #expect(try left([again]).isEmpty)
  }

  /// A change whose answer never came is not made again after the opposite one; what is not sent yet, or is finished,
  /// or is of others, stays.
  @Test(arguments: [(PostChange.like, PostChange.unlike), (.unlike, .like), (.like, .like), (.follow, .unfollow)])
  func aChangeTakesThePlaceOfAnUnansweredOne(_ old: PostChange, _ new: PostChange) throws {
    let outbox = try outbox()
    let ids = try outbox.add(Self.states.map { _ in .change(old, "7") }, command: "")
    for (id, state) in zip(ids, Self.states) { try outbox.set(state, of: id, at: .now) }
    let kept = try Self.others.map { try change(old, "7", .unsettled, of: $0) } + [change(old, "8", .unsettled)]
    _ = try change(new, "7", .queued)
    #expect(try left(ids) == zip(ids, Self.states).filter { [.queued, .done, .refused].contains($1) }.map(\.0))
    #expect(try left(kept) == kept)
  }

  @Test func anEditTakesThePlaceOfEarlierOnes() throws {
    func edit(_ id: String, _ state: State, of owner: Outbox.Owner = Self.own) throws -> Int {
      var draft = PostDraft(text: "text")
      draft.editOf = id
      let outbox = try outbox(owner)
      let write = try outbox.add([.post(draft)], command: "")[0]
      try outbox.set(state, of: write, at: .now)
      return write
    }
    var (gone, kept): ([Int], [Int]) = ([], [])
    for state in [State.done, .refused, .queued] { kept.append(try edit("7", state)) }
    gone.append(kept.removeLast())
    for other in Self.others { kept.append(try edit("7", .queued, of: other)) }
    kept.append(try edit("8", .unsettled))
    _ = try edit("7", .unsettled)
    #expect(try left(gone + kept) == kept)
    let unsettled = try #require(try outbox().unfinished().last).id
    _ = try edit("7", .queued)
    #expect(try left([unsettled] + kept) == kept)
  }

  /// A try that begins has no end yet, and what the service must know of it is kept.
  @Test func eachTryIsCounted() throws {
    let outbox = try outbox()
    let id = try post("text")
    for number in 1...2 {
      try outbox.setSending(id, at: time(0.5), nil)
      #expect(try outbox.entry(id)?.attempts == number && outbox.entry(id)?.endedAt == nil)
      try outbox.setUnsettled(id, endedAt: .now, note: "lost")
      #expect(try outbox.entry(id)?.state == .unsettled && outbox.entry(id)?.endedAt != nil)
    }
  }

  // MARK: Files and accounts

  /// What may have to be sent again needs its pictures.
  @Test func onlyFilesThatAreStillNeededStay() throws {
    let outbox = try outbox()
    func store(_ text: String) throws -> String {
      let bytes = Array(text.utf8)
      return try outbox.files.store(bytes.count, of: text) { (offset) throws(ToolError) in Array(bytes[offset...]) }
    }
    var digests: [State: String] = [:]
    for state in Self.states {
      var draft = PostDraft(text: "look")
      draft.media = [.init(path: "/a", altText: nil)]
      draft.media[0].digest = try store(state.rawValue)
      digests[state] = draft.media[0].digest
      let id = try outbox.add([.post(draft)], command: "")[0]
      try outbox.set(state, of: id, at: .now)
    }
    var card = PostDraft(text: "see")
    card.card = PostDraft.Card(address: "https://a.example/")
    card.card?.picture = .init(path: "https://a.example/1.png", altText: nil)
    card.card?.picture?.digest = try store("card")
    _ = try outbox.add([.post(card)], command: "")
    _ = try store("nobody's")
    try Data("half".utf8).write(to: URL(fileURLWithPath: outbox.files.path("new-abcdef")))
    try outbox.removeUnusedFiles()
    let left = try FileManager.default.contentsOfDirectory(atPath: outbox.files.directory)
    let needed = [State.queued, .sending, .unsettled].map { digests[$0] } + [card.card?.picture?.digest]
    #expect(Set(left) == Set(needed.compactMap { $0 }))
  }

  /// Who somebody is may change: it is asked for again after a day.
  @Test func anAccountIsAskedForAgainAfterADay() throws {
    let outbox = try outbox()
    let account = WritingAccount(id: "7", username: "jack", object: "{}")
    try outbox.remember(account)
    for other in Self.others { #expect(try self.outbox(other).knownAccount() == nil) }
    for (hours, known) in [(23.0, account), (25, nil)] as [(Double, WritingAccount?)] {
      try outbox.database.write { () throws(ToolError) in
        try outbox.database.run("UPDATE accounts SET seen_at = ?", .text(time(hours).rfc3339))
      }
      #expect(try outbox.knownAccount() == known, "\(hours) hours")
    }
  }
}
