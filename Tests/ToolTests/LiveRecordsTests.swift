import TestSupport
import Testing
import TweetCLI

/// An answer.
private final class Number {
  let value: Int

  init(_ value: Int) { self.value = value }
}

/// The tests drive the queue themselves; its times are plain numbers.
@Suite(.onOwnThread) struct LiveRecordsTests {
  private func add(
    _ text: String, _ keys: [String], to live: inout LiveRecords, by deadline: Int? = nil
  ) -> [String] {
    live.add(Array(text.utf8), needing: keys, deadline: deadline)
  }

  /// The records that leave at `now`: "b=1" is complete with the answer 1, "?b" is early, "+b=1" is an update.
  private func leaving(_ live: inout LiveRecords, at now: Int) -> [String] {
    var left: [String] = []
    while let release = live.next(now: now) {
      let sign =
        switch release.moment {
        case .complete: ""
        case .early: "?"
        case .update: "+"
        }
      let answers = release.answers.sorted { $0.key < $1.key }.map { "\(($0.value as? Number)?.value ?? 0)" }.joined(
        separator: ",")
      left.append(sign + String(decoding: release.bytes, as: UTF8.self) + (answers.isEmpty ? "" : "=" + answers))
    }
    return left
  }

  private func answer(_ key: String, of live: borrowing LiveRecords) -> Int? {
    live.answer(to: key).flatMap { ($0 as? Number)?.value }
  }

  @Test func recordsLeaveInOrderHoweverAnswersCome() {
    var live = LiveRecords()
    #expect(add("a", ["1"], to: &live) == ["1"])
    #expect(add("b", ["2", "1", "2"], to: &live) == ["2"])
    #expect(add("c", [], to: &live) == [])
    live.receive(Number(2), for: "2")
    #expect(leaving(&live, at: 0) == [])
    live.receive(Number(1), for: "1")
    #expect(leaving(&live, at: 0) == ["a=1", "b=1,2", "c"])
    #expect(live.isEmpty == true)
    #expect(answer("1", of: live) == 1 && answer("2", of: live) == 2 && live.answer(to: "3") == nil)
  }

  @Test func impatientRecordsLeaveEarlyAndComeAgain() {
    var live = LiveRecords()
    _ = add("a", ["1", "2"], to: &live, by: 500)
    _ = add("b", [], to: &live, by: 600)
    live.receive(Number(1), for: "1")
    #expect(live.nextDeadline == 500)
    #expect(leaving(&live, at: 499) == [])
    // The known answer is in the first; the second need not wait any longer.
    #expect(leaving(&live, at: 500) == ["?a=1", "b"])
    #expect(!live.hasUnprinted && !live.isEmpty && live.nextDeadline == nil)
    live.receive(Number(2), for: "2")
    #expect(leaving(&live, at: 501) == ["+a=1,2"])
    #expect(live.isEmpty == true)
  }

  @Test func atTheEndNothingIsEarly() {
    var live = LiveRecords()
    _ = add("a", ["1"], to: &live, by: 500)
    live.removeDeadlines()
    #expect(live.nextDeadline == nil)
    #expect(leaving(&live, at: 10_000) == [])
    live.receive(Number(1), for: "1")
    #expect(leaving(&live, at: 10_000) == ["a=1"])
  }

  @Test func abandonedRecordsLeaveOnceAndAtOnce() {
    var live = LiveRecords()
    _ = add("a", ["1"], to: &live, by: 5)
    #expect(leaving(&live, at: 5) == ["?a"])
    _ = add("b", ["1", "2"], to: &live, by: 500)
    live.abandonAll()
    #expect(!live.isWanted("1") && !live.isWanted("2"))
    #expect(leaving(&live, at: 6) == ["?b"])
    live.removeKey("2")
    live.receive(Number(1), for: "1")
    #expect(leaving(&live, at: 6) == [])
    #expect(live.isEmpty == true)
    // 1 had begun and is known now; 2 was given up and is new again.
    #expect(add("c", ["1", "2"], to: &live) == ["2"])
  }

  /// A record counts as long as it is held, one that left early until its update.
  @Test func bytesAreBounded() {
    var limits = LiveRecordsLimits()
    limits.bytes = 10
    var live = LiveRecords(limits: limits)
    _ = add("12345", ["1"], to: &live, by: 0)
    _ = add("6789", ["2"], to: &live, by: 0)
    #expect(live.isFull == false)
    _ = add("0", ["3"], to: &live, by: 0)
    #expect(live.isFull == true)
    #expect(leaving(&live, at: 1) == ["?12345", "?6789", "?0"])
    #expect(live.isFull == true)
    live.receive(Number(2), for: "2")
    #expect(leaving(&live, at: 1) == ["+6789=2"])
    #expect(live.isFull == false)
    // One record may be longer than the bound.
    live.abandonAll()
    _ = add("a record of more than ten bytes", ["4"], to: &live)
    #expect(live.isFull == true)
    live.receive(Number(4), for: "4")
    #expect(leaving(&live, at: 1) == ["a record of more than ten bytes=4"])
    #expect(!live.isFull && live.isEmpty)
  }

  @Test func memoryIsBounded() {
    var limits = LiveRecordsLimits()
    limits.records = 3
    limits.bytes = 10
    limits.answers = 2
    var live = LiveRecords(limits: limits)
    _ = add("a", ["1"], to: &live, by: 0)
    #expect(leaving(&live, at: 1) == ["?a"])
    _ = add("b", ["2"], to: &live)
    #expect(live.isFull == false)
    _ = add("c", ["3"], to: &live)
    // The record that was printed early is still held.
    #expect(live.isFull == true)
    live.receive(Number(1), for: "1")
    #expect(leaving(&live, at: 1) == ["+a=1"])
    #expect(live.isFull == false)
    _ = add("long long record", [], to: &live)
    #expect(live.isFull == true)
    live.receive(Number(2), for: "2")
    live.receive(Number(3), for: "3")
    #expect(leaving(&live, at: 1) == ["b=2", "c=3", "long long record"])
    // Two answers are kept; the oldest is dropped.
    #expect(live.answer(to: "1") == nil && live.answer(to: "2") != nil && live.answer(to: "3") != nil)
  }
}
