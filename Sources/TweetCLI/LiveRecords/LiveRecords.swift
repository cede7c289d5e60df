import TweetCore

/// How much ``LiveRecords`` may hold.
package struct LiveRecordsLimits: Sendable {
  /// Held records, those among them that were printed early and wait for their update.
  package var records = 4096
  /// The bytes of these records. One record may exceed it, so that the longest allowed record still passes.
  package var bytes = 8 << 20
  /// Answers that no held record waits for, kept for records to come.
  package var answers = 8192

  package init() {}
}

/// The records that a tool holds while it looks things up about them and more records arrive.
///
/// It keeps the order and the deadlines, and has no descriptors, no network and no clock of its own: times are
/// milliseconds of the caller's monotonic clock. Records leave in the order in which they came. One that still lacks
/// answers at its deadline leaves as it is; it stays held, and leaves once more, as an update, when it is complete.
/// A key is looked up once, however many records need its answer.
///
/// Memory is bounded by ``LiveRecordsLimits``: the caller stops reading while ``isFull``.
package struct LiveRecords: ~Copyable {
  /// A record to print now, with the answers that are known.
  package struct Release {
    package enum Moment: Sendable {
      /// In its turn, with all its answers.
      case complete
      /// In its turn, without some of its answers. It may follow again as an `update`.
      case early
      /// Printed before, complete now.
      case update
    }
    package var bytes: [UInt8]
    package var answers: [String: AnyObject]
    package var moment: Moment
  }

  private final class Held {
    let bytes: [UInt8]
    var answers: [String: AnyObject] = [:]
    /// How many answers it lacks.
    var missing = 0
    var deadline: Int?
    /// Whether it waits no longer, whatever it lacks.
    var isAbandoned = false

    init(_ bytes: [UInt8], deadline: Int?) {
      self.bytes = bytes
      self.deadline = deadline
    }
  }

  /// What is known about a key: its answer, or the numbers of the records that wait for it.
  private final class KeyState {
    var answer: AnyObject?
    var waiting: [Int] = []
  }

  private let limits: LiveRecordsLimits
  private let isOrdered: Bool
  /// By number. Records are numbered as they come.
  private var held: [Int: Held] = [:]
  private var heldBytes = 0
  /// The number of the record that leaves next in its turn. Held records with smaller numbers left early.
  private var head = 0
  /// The number of the next record to come.
  private var tail = 0
  /// Records that left early and are complete now.
  private var updates = Queue<Int>()
  /// If the order does not matter: records that are complete and have not left.
  private var complete = Queue<Int>()
  private var keys: [String: KeyState] = [:]
  /// The keys with an answer, the oldest first.
  private var answered = Queue<String>()

  /// - Parameter isOrdered: whether a complete record waits for those that came before it.
  package init(limits: LiveRecordsLimits = LiveRecordsLimits(), isOrdered: Bool = true) {
    self.limits = limits
    self.isOrdered = isOrdered
  }

  /// Whether no more records should be read for now.
  package var isFull: Bool { held.count >= limits.records || heldBytes >= limits.bytes }
  /// Whether every record has left for the last time.
  package var isEmpty: Bool { held.isEmpty }
  /// Whether a record has not left yet, so that one that comes now must queue after it.
  package var hasUnprinted: Bool { head < tail }
  /// Whether a held record waits for the answer to `key`. The look-up of another key need not begin.
  package func isWanted(_ key: String) -> Bool { keys[key].map { !$0.waiting.isEmpty } ?? false }

  /// The deadline of the record that leaves next. `nil` when there is none, or no record waits.
  package var nextDeadline: Int? { head < tail ? held[head]?.deadline : nil }

  /// Adds a record that needs the answers to `keys` and leaves at `deadline` at the latest (`nil`: when it is
  /// complete).
  /// - Returns: those keys that are new. The caller looks them up and calls ``receive(_:for:)`` for each.
  package mutating func add(_ bytes: [UInt8], needing needed: [String], deadline: Int?) -> [String] {
    let record = Held(bytes, deadline: deadline)
    var new: [String] = []
    var seen: Set<String> = []
    for key in needed where seen.insert(key).inserted {
      let known = keys[key]
      if let answer = known?.answer {
        record.answers[key] = answer
        continue
      }
      let state = known ?? KeyState()
      state.waiting.append(tail)
      record.missing += 1
      if known == nil {
        new.append(key)
        keys[key] = state
      }
    }
    heldBytes += bytes.count
    held[tail] = record
    if !isOrdered, record.missing == 0 { complete.append(tail) }
    tail += 1
    return new
  }

  /// What is known about `key`: `nil` for nothing, an empty answer if it is being looked up.
  package func answer(to key: String) -> AnyObject?? { keys[key].map { $0.answer } }

  /// Keeps the answer to `key`, of which nothing was known, for records to come.
  package mutating func remember(_ answer: AnyObject, for key: String) {
    let state = KeyState()
    state.answer = answer
    keys[key] = state
    answered.append(key)
    dropOldAnswers()
  }

  /// Gives the answer to `key` to the records that wait for it, and keeps it for records to come.
  package mutating func receive(_ answer: AnyObject, for key: String) {
    guard let state = keys[key] else { return remember(answer, for: key) }
    state.answer = answer
    let waiting = state.waiting
    state.waiting = []
    answered.append(key)
    for number in waiting {
      guard let record = held[number] else { continue }
      record.answers[key] = answer
      record.missing -= 1
      guard record.missing == 0 else { continue }
      if number < head { updates.append(number) } else if !isOrdered { complete.append(number) }
    }
    dropOldAnswers()
  }

  /// The next record to print at time `now`; `nil` when all held records still wait.
  package mutating func next(now: Int) -> Release? {
    if let number = updates.popFirst(), let record = remove(number) {
      return Release(bytes: record.bytes, answers: record.answers, moment: .update)
    }
    if let number = complete.popFirst(), let record = remove(number) {
      return Release(bytes: record.bytes, answers: record.answers, moment: .complete)
    }
    while head < tail, held[head] == nil { head += 1 }
    guard head < tail, let record = held[head] else { return nil }
    if record.missing == 0 || record.isAbandoned {
      _ = remove(head)
      head += 1
      return Release(
        bytes: record.bytes, answers: record.answers, moment: record.missing == 0 ? .complete : .early)
    }
    guard let deadline = record.deadline, deadline <= now else { return nil }
    head += 1
    return Release(bytes: record.bytes, answers: record.answers, moment: .early)
  }

  /// Lets every record wait until it is complete: to be called when the input has ended and no record comes after.
  package mutating func removeDeadlines() {
    for number in head..<tail { held[number]?.deadline = nil }
  }

  /// Lets no record wait any longer: those that have not left do so at once with the answers that are known, and there
  /// are no updates. To be called when the feed was replaced, or the tool is to stop.
  package mutating func abandonAll() {
    for number in held.keys where number < head { _ = remove(number) }
    updates.removeAll()
    for number in head..<tail { held[number]?.isAbandoned = true }
    // The keys stay: a look-up that has begun is not begun a second time.
    for state in keys.values where state.answer == nil { state.waiting.removeAll() }
  }

  /// Forgets a key whose look-up the caller gave up: it is new when it comes again.
  package mutating func removeKey(_ key: String) {
    keys.removeValue(forKey: key)
  }

  private mutating func remove(_ number: Int) -> Held? {
    guard let record = held.removeValue(forKey: number) else { return nil }
    heldBytes -= record.bytes.count
    return record
  }

  /// Drops the oldest answers. A key that comes again is then looked up again; the tool's store knows it.
  private mutating func dropOldAnswers() {
    while answered.count > limits.answers, let key = answered.popFirst() { keys.removeValue(forKey: key) }
  }
}
