package import TweetCore
import TweetSources

/// A SOURCE that is refreshed into the store: a row of the table `sources`.
package struct RefreshedSource: Sendable, Equatable {
  /// What tells it from others.
  package struct Name: Sendable, Hashable {
    package var service: String
    /// Whose sign-in is used; empty for the service's own.
    package var account: String
    /// In its normal spelling.
    package var source: String

    /// Whether a source plugin brings it: which service its tweets are of is the plugin's to say.
    package var isPlugin: Bool {
      if case .plugin = try? Source(source) { true } else { false }
    }

    package init(service: String, account: String, source: String) {
      self.service = service
      self.account = account
      self.source = source
    }
  }

  package let key: Int
  package let name: Name
  /// Seconds from one refresh to the next; `nil` for one that is refreshed only when it is asked for.
  package let every: Int?
  package let isPaused: Bool
  /// Where the next refresh begins: the text of tw-stream's `--state` file; of a plugin, the id of the newest tweet.
  package let place: String?
  /// When the last refresh began, whatever came of it.
  package let refreshedAt: Timestamp?
  /// When the first of the failures began that no success has followed.
  package let failingSince: Timestamp?

  package var isPlugin: Bool { name.isPlugin }

  /// When it is due next; `nil` for one that is not registered, or paused.
  package var dueAt: Timestamp? {
    guard let every, !isPaused else { return nil }
    guard let refreshedAt else { return Timestamp(milliseconds: 0) }
    return Timestamp(milliseconds: refreshedAt.milliseconds + Int64(every) * 1000)
  }

  /// Milliseconds that it may be refreshed early. Cron and timers are never on time to the second, and other sources'
  /// turns come first: without this one of fifteen minutes would often be refreshed every twenty.
  package var slack: Int64 { min(Int64(every ?? 0) * 100, 60_000) }

  /// Whether it is to be refreshed now. A refresh that lies in the future tells of a clock that was set back.
  package func isDue(at now: Timestamp) -> Bool {
    guard let dueAt else { return false }
    return dueAt.milliseconds - slack <= now.milliseconds || refreshedAt.map { $0 > now } == true
  }
}

/// A refresh that was made: a row of the table `runs`.
package struct RefreshRun: Sendable, Equatable {
  package var beganAt: Timestamp
  package var milliseconds: Int
  /// Tweets the service sent.
  package var read: Int
  /// Those of them that were not stored before.
  package var new: Int
  package var status: ExitStatus
  /// What went wrong; `nil` when nothing did.
  package var message: String?

  package init(beganAt: Timestamp, milliseconds: Int, read: Int, new: Int, status: ExitStatus, message: String?) {
    self.beganAt = beganAt
    self.milliseconds = milliseconds
    self.read = read
    self.new = new
    self.status = status
    self.message = message
  }

  /// Whether it brought what there was: some bad records do not make it a failure.
  package var hasWorked: Bool { status == .done || status == .someBad }
}
