import Libc
package import TweetCore

/// What services have billed, and what they may bill at this moment: a line a day (UTC), service, application and
/// account.
///
/// One file of JSON lines under one lock. The counts have a fixed width and stand at the line's end, so that they are
/// changed in place by one write, which a crash does not tear; processes that read at the same time lose no counts. A
/// program reserves what it is about to ask for, and corrects the reservation when it knows what came. What a killed
/// program had reserved stays reserved until the next one settles it by its ``RequestNote``.
package struct Ledger: Sendable {
  /// Whom a service bills: an application, for what an account does with it.
  package struct Bill: Sendable, Hashable {
    package let service: String
    /// The application's client id or API key; a hash of the token where that is not known.
    package let app: String
    /// The account's name; empty if it is not known.
    package let account: String

    package init(service: String, app: String, account: String) {
      (self.service, self.app, self.account) = (service, app, account)
    }

    /// Whether both are paid by the same: accounts of one application share what may be spent.
    package func isShared(with other: Bill) -> Bool { service == other.service && app == other.app }
  }

  /// What was billed on one day.
  package struct Entry: Sendable, Equatable {
    /// `2026-11-21`, in UTC.
    package let day: String
    package let bill: Bill
    /// What came, or was done. Of a stream some is counted ahead.
    package var billed = BilledCounts()
    /// What was asked for and has not come yet.
    package var reserved = BilledCounts()

    /// Both.
    package var all: BilledCounts { billed + reserved }
  }

  /// How much of a kind may be read or done on one day. It is to be given back to ``settle(_:got:of:at:_:)`` once.
  package struct Reservation: Sendable, Equatable {
    /// The day it is billed for, as in ``Entry``.
    package let day: String
    package let kind: BilledKind
    package var count: Int
    /// Whether it is counted as billed already, since it takes long until it has come.
    fileprivate var isCounted = false

    package init(day: String, kind: BilledKind, count: Int) { (self.day, self.kind, self.count) = (day, kind, count) }
  }

  package enum Grant: Sendable, Equatable {
    case granted(Reservation)
    /// Others have reserved what is left, and may soon give it back.
    case reservedByOthers
    case usedUp
    /// The budget has room, but not for this request today.
    case keptBack
  }

  /// Milliseconds within which requests are answered: reservations in a file that nobody has changed for longer are
  /// those of killed programs.
  fileprivate static let requestTime: Int64 = 70_000
  /// Milliseconds: the longest period of a budget, by which a clock may have been set back.
  private static let longestSetBack: Int64 = 31 * 86_400_000
  /// Milliseconds that two clocks of one machine differ.
  fileprivate static let clockError: Int64 = 60_000

  package let path: String

  /// - Parameter path: the file; need not be there yet.
  package init(path: String = Paths.stateDirectory + "/ledger") { self.path = path }

  /// Makes the file if there is none.
  /// - Throws: `ToolError.cannotCreate` if it cannot be opened for writing, or is not a file.
  package func checkWritable() throws(ToolError) { try hold { (_) throws(ToolError) in } }

  /// All entries from a day on, in the order of first reads. Several may have the same day and bill: their counts add
  /// up.
  /// - Throws: `ToolError.configuration` for a file with other lines, `ToolError.cannotCreate` for what is not a file.
  package func entries(since day: String = "") throws(ToolError) -> [Entry] {
    let target = try FileTarget.resolve(path)
    return try LedgerLine.all(in: try StateFile.read(target) ?? [], of: path, since: day).map(\.entry)
  }

  /// Reserves as much of a kind as may still be had.
  ///
  /// - Parameters:
  ///   - counts: how little is of use, and how much is wanted.
  ///   - limit: `nil` for no bound.
  ///   - isLong: it comes over hours; nobody waits for the reservation to be given back.
  ///   - share: how much of what may be spent today the request may have; `nil` for whatever the limit has.
  package func reserve(
    _ counts: ClosedRange<Int>, of kind: BilledKind, within limit: BudgetLimit?, isLong: Bool = false,
    share: ((BudgetLimit.Today) -> Int)? = nil, at time: Timestamp, _ bill: Bill
  ) throws(ToolError) -> Grant {
    let day = Self.day(of: time)
    return try hold { (file) throws(ToolError) in
      let lines = try file.lines(since: limit?.period.firstDay(of: time) ?? day)
      let entries = try believed(lines.map(\.entry), at: time).filter { $0.bill.isShared(with: bill) }
      let all = entries.map { ($0.day, $0.all) }
      let room = limit?.room(for: kind, beside: all, on: day) ?? .max
      func shared(_ spent: [(day: String, counts: BilledCounts)]) -> Int {
        guard let share, let today = limit?.today(for: kind, beside: spent, at: time) else { return .max }
        return share(today)
      }
      let count = min(counts.upperBound, room, shared(all), LedgerLine.largest)
      guard count >= counts.lowerBound else {
        let billed = entries.map { ($0.day, $0.billed) }
        let without = min(limit?.room(for: kind, beside: billed, on: day) ?? .max, shared(billed))
        if file.isRecent, without >= counts.lowerBound { return .reservedByOthers }
        return room < counts.lowerBound ? .usedUp : .keptBack
      }
      try file.change(lines, day, bill) { entry in
        if isLong { entry.billed[kind] += count } else { entry.reserved[kind] += count }
      }
      var reservation = Reservation(day: day, kind: kind, count: count)
      reservation.isCounted = isLong
      return .granted(reservation)
    }
  }

  /// Gives a reservation back and records what came, on the day of `time`. What was read before on that day does not
  /// count again, as far as ``ReadIDs`` remember.
  ///
  /// - Parameters:
  ///   - reservation: `nil` if more came than was reserved.
  ///   - ids: of what came; `nil` for one without a number, and for what was not read but done.
  package func settle(
    _ reservation: Reservation?, got ids: [UInt64?], of kind: BilledKind, at time: Timestamp, _ bill: Bill
  ) throws(ToolError) {
    let day = Self.day(of: time)
    try hold { (file) throws(ToolError) in
      let lines = try file.lines(since: min(day, reservation?.day ?? day))
      if let reservation, reservation.day != day {
        try file.change(lines, reservation.day, bill, onlyInPlace: true) { $0.remove(reservation) }
      }
      let known = ids.isEmpty ? nil : try ReadIDs(beside: path, day: day, bill, kind)
      let new = known?.new(in: ids) ?? []
      // The count first: if the program is killed in between, posts count twice rather than not at all.
      try file.change(lines, day, bill) { entry in
        entry.billed[kind] += new.count
        if let reservation, reservation.day == day { entry.remove(reservation) }
      }
      try known?.append(new)
    }
  }

  /// Those of some entries whose days may have come. Some days to come count too: where the clock was set back, a
  /// period that begins again has no second budget. What lies further ahead was written by a clock that was wrong.
  ///
  /// - Throws: `ToolError.configuration` if there is such a day, and the file was written in the time to come too: then
  ///   it may be this clock that is wrong, and all of it would be paid for again.
  package func believed(_ entries: [Entry], at time: Timestamp) throws(ToolError) -> [Entry] {
    let last = Self.day(of: Timestamp(milliseconds: time.milliseconds + Self.longestSetBack))
    guard let newest = entries.map(\.day).max(), newest > last else { return entries }
    if time < ClockTrust.release { return entries }
    let written = Paths.lastChange(of: path) ?? time
    if let doubt = ClockTrust.doubt(("the ledger '\(path)'", written), at: time, knowsPauses: false) {
      throw .configuration(
        "\(doubt), with what was billed on \(newest): set the clock, or remove the lines of days to come")
    }
    return entries.filter { $0.day <= last }
  }

  /// `2026-11-21`, in UTC.
  package static func day(of time: Timestamp) -> String { BudgetPeriod.day.firstDay(of: time) }

  private func hold<Result>(_ body: (LedgerFile) throws(ToolError) -> Result) throws(ToolError) -> Result {
    // A device or a pipe would take all counts and keep none.
    let target = try FileTarget.resolve(path)
    return try FileLock.hold(target) { (descriptor) throws(ToolError) in
      try body(LedgerFile(descriptor: descriptor, path: path, bytes: StateFile.read(descriptor, name: path)))
    }
  }
}

extension Ledger.Entry {
  fileprivate mutating func remove(_ reservation: Ledger.Reservation) {
    let kind = reservation.kind
    if reservation.isCounted { billed[kind] -= reservation.count } else { reserved[kind] -= reservation.count }
  }
}

extension LedgerFile {
  /// Whether the file was changed a moment ago. If its time lies ahead, the clock was set back, and nobody knows when
  /// it was.
  fileprivate var isRecent: Bool {
    guard let changedAt else { return false }
    return (-Ledger.clockError..<Ledger.requestTime).contains(Timestamp.now.milliseconds - changedAt)
  }
}
