import Services
import TweetCLI
import TweetCore
import TweetServices

/// Counts what a service bills of reads and writes.
final class WriteBudget {
  /// What bounds the posts that are read; `nil` if reads cost nothing.
  private let budget: ReadBudget?
  private let clock: WritingClock
  /// Whether it was said that reads are billed.
  private var hasOpened = false

  /// Milliseconds between two looks at what other programs gave back to the budget, and how often that is looked at.
  private static let interval = 250
  private static let mostLooks = 40

  init(_ budget: ReadBudget?, _ clock: WritingClock) { (self.budget, self.clock) = (budget, clock) }

  /// Milliseconds until there is room again; `nil` for an error that says something else.
  func wait(after error: ToolError) -> Int? { budget.flatMap { error == $0.usedUp ? $0.wait : nil } }

  /// Reserves reads in the ledger, reads, and records what came.
  ///
  /// - Parameters:
  ///   - count: how many may come at most.
  ///   - ids: of what an answer brings; `nil` for one without a number.
  /// - Throws: the budget's `usedUp` if it has no room for them.
  func counting<Answer>(
    _ kind: BilledKind, _ count: Int = 1, ids: (Answer) -> [UInt64?], read: () throws(ToolError) -> Answer
  ) throws(ToolError) -> Answer {
    guard let budget, let reservation = try reserve(count, of: kind, budget) else { return try read() }
    do throws(ToolError) {
      let answer = try read()
      try budget.settle(reservation, read: ids(answer), of: kind)
      return answer
    } catch {
      try budget.settle(reservation, read: [], of: kind)
      throw error
    }
  }

  /// Reserves a write in the ledger, makes it, and counts it if it was done, or may have been.
  ///
  /// - Throws: the budget's `usedUp`, before anything is sent, if the user has set a budget that has no room for it.
  func counting(
    _ kind: BilledKind, write: () throws(ToolError) -> WritingSession.Step
  ) throws(ToolError) -> WritingSession.Step {
    guard let budget, budget.countsWrites, let reservation = try reserve(1, of: kind, budget) else {
      return try write()
    }
    let step: WritingSession.Step
    do throws(ToolError) {
      step = try write()
    } catch {
      settle(reservation, isBilled: false, budget)
      throw error
    }
    switch step {
    case .ended(.done), .unanswered: settle(reservation, isBilled: true, budget)
    case .ended(.refused), .settling, .retry: settle(reservation, isBilled: false, budget)
    }
    return step
  }

  /// What is done is done, also if the ledger cannot be written now: the reservation stays counted.
  private func settle(_ reservation: Ledger.Reservation, isBilled: Bool, _ budget: ReadBudget) {
    do throws(ToolError) {
      try budget.settle(reservation, read: isBilled ? [nil] : [], of: reservation.kind)
    } catch {
      Diagnostics.report(error)
    }
  }

  /// - Returns: `nil` if it cannot be counted, and need not be.
  private func reserve(
    _ count: Int, of kind: BilledKind, _ budget: ReadBudget
  ) throws(ToolError) -> Ledger.Reservation? {
    do throws(ToolError) {
      if kind.isPost {
        if !hasOpened, let text = try budget.open() { Diagnostics.note(text) }
        hasOpened = true
      }
      return try reserve(kind, count, budget)
    } catch {
      guard !budget.bounds(kind), let text = error.message, Interruption.signal == nil else { throw error }
      Diagnostics.warn("what is done is not counted: \(text)")
      return nil
    }
  }

  private func reserve(
    _ kind: BilledKind, _ count: Int, _ budget: ReadBudget
  ) throws(ToolError) -> Ledger.Reservation {
    for _ in 0..<Self.mostLooks {
      switch try budget.reserve(count...count, of: kind) {
      case .granted(let reservation): return reservation
      case .reservedByOthers: try clock.sleep(Self.interval)
      case .usedUp, .keptBack: throw budget.usedUp
      }
    }
    throw budget.usedUp
  }
}
