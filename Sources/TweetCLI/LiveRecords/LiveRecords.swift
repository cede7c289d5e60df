/// How much ``LiveRecords`` may hold.
package struct LiveRecordsLimits: Sendable {
  /// Records waiting, those printed early and still to be updated among them.
  package var records = 4096
  /// The bytes of these records. One record may go over it, so the longest one allowed still passes.
  package var bytes = 8 << 20
  /// Answers nobody waits for any more, kept for the records to come.
  package var answers = 8192

  package init() {}
}

/// Records on their way through a tool that looks things up about them while more records arrive.
///
/// It holds the order and the waiting, and nothing else: no descriptors, no network, no clock of its own (times are
/// milliseconds of whatever monotonic clock the caller has). Records leave in the order they came. One whose look-ups
/// are not answered by its deadline leaves as it is and stays held, to leave once more, as an update, when they are.
/// A key is asked once however many records need its answer.
///
/// Memory is bounded by ``LiveRecordsLimits``: a caller stops reading while `isFull`.
package struct LiveRecords<Answer> {
  /// A record to print now, with the answers there are.
  package struct Release {
    package enum Moment: Sendable {
      /// With all its answers, in its turn.
      case complete
      /// Its patience ran out: without some answers. It will come again as an `update`.
      case early
      /// Printed before, now complete.
      case update
    }
    package var bytes: [UInt8]
    package var answers: [String: Answer]
    package var moment: Moment
  }

  private struct Held {
    var bytes: [UInt8]
    var answers: [String: Answer] = [:]
    var missing = 0
    var deadline: Int?
    var isForgotten = false
  }

  private struct Lookup {
    var answer: Answer?
    var waiting: [Int] = []
  }

  private let limits: LiveRecordsLimits
  private var held: [Int: Held] = [:]
  private var heldBytes = 0
  /// The number of the next record to leave in its turn; smaller ones in `held` left early.
  private var head = 0
  private var tail = 0
  private var updates = Queue<Int>()
  private var lookups: [String: Lookup] = [:]
  private var answered = Queue<String>()

  package init(limits: LiveRecordsLimits = LiveRecordsLimits()) {
    self.limits = limits
  }

  /// Whether no more records should be read for now.
  package var isFull: Bool { held.count >= limits.records || heldBytes >= limits.bytes }
  /// Whether every record has left for the last time.
  package var isEmpty: Bool { held.isEmpty }
  /// Whether a record has yet to leave for the first time, so that one coming now must queue behind it.
  package var hasUnprinted: Bool { head < tail }
  /// Whether a held record waits for the answer to `key`: what is no longer wanted need not be started.
  package func isWanted(_ key: String) -> Bool { lookups[key].map { !$0.waiting.isEmpty } ?? false }

  /// When the record that leaves next loses its patience. `nil`: nothing waits, or it waits for as long as it takes.
  package var nextDeadline: Int? { head < tail ? held[head]?.deadline : nil }

  /// Takes a record that needs the answers to `keys`, to leave by `deadline` at the latest (`nil`: no hurry).
  /// - Returns: those keys that nobody asked before: the caller looks them up and calls `answer` for each.
  package mutating func add(_ bytes: [UInt8], asking keys: [String], deadline: Int?) -> [String] {
    var record = Held(bytes: bytes, deadline: deadline)
    var unasked: [String] = []
    var seen: Set<String> = []
    for key in keys where seen.insert(key).inserted {
      if let answer = lookups[key]?.answer {
        record.answers[key] = answer
      } else {
        record.missing += 1
        if lookups[key] == nil { unasked.append(key) }
        lookups[key, default: Lookup()].waiting.append(tail)
      }
    }
    heldBytes += bytes.count
    held[tail] = record
    tail += 1
    return unasked
  }

  /// What is known by now about keys, without holding anything: for a record that need not wait.
  package func knownAnswers(_ keys: [String]) -> [String: Answer]? {
    var answers: [String: Answer] = [:]
    for key in keys {
      guard let answer = lookups[key]?.answer else { return nil }
      answers[key] = answer
    }
    return answers
  }

  /// The answer to a key has come: whoever waits for it gets it.
  package mutating func answer(_ key: String, with answer: Answer) {
    let waiting = lookups[key]?.waiting ?? []
    lookups[key] = Lookup(answer: answer)
    answered.append(key)
    for number in waiting {
      held[number]?.answers[key] = answer
      held[number]?.missing -= 1
      if number < head, held[number]?.missing == 0 { updates.append(number) }
    }
    forgetOldAnswers()
  }

  /// The next record that may be printed at time `now`, or `nil` when all that are held still wait.
  package mutating func next(now: Int) -> Release? {
    if let number = updates.popFirst(), let record = take(number) {
      return Release(bytes: record.bytes, answers: record.answers, moment: .update)
    }
    guard head < tail, let record = held[head] else { return nil }
    if record.missing == 0 || record.isForgotten {
      _ = take(head)
      head += 1
      return Release(
        bytes: record.bytes, answers: record.answers, moment: record.missing == 0 ? .complete : .early)
    }
    guard let deadline = record.deadline, deadline <= now else { return nil }
    head += 1
    return Release(bytes: record.bytes, answers: record.answers, moment: .early)
  }

  /// The input has ended, nothing comes behind the records that wait: they wait for as long as it takes.
  package mutating func waitForAll() {
    for number in head..<tail { held[number]?.deadline = nil }
  }

  /// What is held is of no more use (the feed was replaced, or the tool is to stop): all that has not been printed
  /// leaves at once with what is known, and nothing is printed again.
  package mutating func forgetWaiting() {
    for number in held.keys where number < head { _ = take(number) }
    updates.removeAll()
    for number in head..<tail { held[number]?.isForgotten = true }
    // The keys stay known, because their look-ups may be under way and must not be asked twice.
    for (key, lookup) in lookups where lookup.answer == nil { lookups[key]?.waiting.removeAll() }
  }

  /// `key` will not be answered: the caller had not begun with it when it was no longer wanted.
  package mutating func withdraw(_ key: String) {
    lookups.removeValue(forKey: key)
  }

  private mutating func take(_ number: Int) -> Held? {
    guard let record = held.removeValue(forKey: number) else { return nil }
    heldBytes -= record.bytes.count
    return record
  }

  /// The oldest answers go first; a key that is asked again then is looked up again (the store will know it).
  private mutating func forgetOldAnswers() {
    while answered.count > limits.answers, let key = answered.popFirst() { lookups.removeValue(forKey: key) }
  }
}
