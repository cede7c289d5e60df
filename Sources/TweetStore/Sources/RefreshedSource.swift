import SQLite
import Services
package import TweetCore

/// A SOURCE that is refreshed into the store: a row of the table `sources`.
package struct RefreshedSource: Sendable, Equatable {
  /// What identifies a source.
  package struct Name: Sendable, Hashable {
    package var service: String
    /// The account that signs in; empty for the service's default one.
    package var account: String
    /// The SOURCE in its normal form.
    package var source: String

    /// The source plugin that fetches it, and decides the service of its tweets; `nil` if none does.
    package var plugin: String? {
      guard case .plugin(let name, _) = try? Source(source, of: Services.reading(service)) else { return nil }
      return name
    }

    /// For comparing: the same for all spellings of one source.
    var folded: String { Services.reading(service).folded(source) }

    package init(service: String, account: String, source: String) {
      self.service = service
      self.account = account
      self.source = source
    }
  }

  package let key: Int
  package let name: Name
  /// Seconds from one refresh to the next; `nil` for a source that is refreshed only by name.
  package let every: Int?
  package let isPaused: Bool
  /// Where the next refresh begins: checkpoints as a file of tw-stream's `--state` has them.
  package let checkpoint: String?
  /// When the last refresh began, successful or not.
  package let refreshedAt: Timestamp?
  /// When the first failure since the last success began.
  package let failingSince: Timestamp?

  package var isPlugin: Bool { name.plugin != nil }

  /// When it is to be asked again after a failure; `nil` if the last refresh succeeded. See ``RefreshBackoff``.
  package let retryAt: Timestamp?
  /// The fingerprint of the token of the environment that the last refresh was refused with; `nil` if there was none.
  package let refusedToken: String?
  /// What a person was told of it last, and when: the status of its failure, 0 if it was none, and the reason without
  /// its numbers. `nil` if nothing was said since it failed.
  package let reported: String?
  package let reportedAt: Timestamp?

  /// When it is due next; `nil` if it is paused or has no interval.
  package var dueAt: Timestamp? {
    guard let every, !isPaused else { return nil }
    if let retryAt { return retryAt }
    guard let refreshedAt else { return Timestamp(milliseconds: 0) }
    return Timestamp(milliseconds: refreshedAt.milliseconds + Int64(every) * 1000)
  }

  /// How many milliseconds early it may be refreshed. Cron is not exact to the second, and other sources come first:
  /// without this, a source with 15 minutes in a job of every 5 minutes would often be refreshed every 20.
  package var tolerance: Int64 { min(Int64(every ?? 0) * 100, 60_000) }

  /// Whether it is to be refreshed now. A last refresh in the future means that the clock was set back.
  package func isDue(at now: Timestamp) -> Bool {
    guard let dueAt else { return false }
    return dueAt.milliseconds - tolerance <= now.milliseconds || refreshedAt.map { $0 > now } == true
  }
}

/// One refresh of one source: a row of the table `runs`.
package struct RefreshRun: Sendable, Equatable {
  package var beganAt: Timestamp
  package var milliseconds: Int
  /// Tweets the service sent.
  package var read: Int
  /// Those of them that were new.
  package var new: Int
  package var status: ExitStatus
  /// What went wrong; `nil` if nothing did.
  package var message: String?

  package init(beganAt: Timestamp, milliseconds: Int, read: Int, new: Int, status: ExitStatus, message: String?) {
    self.beganAt = beganAt
    self.milliseconds = milliseconds
    self.read = read
    self.new = new
    self.status = status
    self.message = message
  }

  /// Whether it fetched all there was. Some bad records do not make it a failure.
  package var isSuccess: Bool { status == .done || status == .someBad }
}

/// What several refreshes of one source have brought.
package struct RunTotals: Sendable, Equatable {
  /// When the last one began that succeeded; `nil` if none did.
  package let lastSuccess: Timestamp?
  /// Tweets that were not stored before.
  package let new: Int
}
