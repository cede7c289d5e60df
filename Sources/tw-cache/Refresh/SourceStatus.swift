import TweetCore
import TweetStore

/// A line of `tw-cache status`.
struct SourceStatus {
  private let health: SourceHealth
  private let lastSuccess: Timestamp?
  /// The tweets of a day that were not in the store before.
  private let new: Int
  /// `nil` if it does not fail, or nobody knows since when: the clock was wrong.
  private let failingSince: Timestamp?

  init(_ health: SourceHealth, _ totals: RunTotals?) {
    self.health = health
    (lastSuccess, new) = (totals?.lastSuccess, totals?.new ?? 0)
    failingSince = ClockTrust.believed(health.source.failingSince)
  }

  private var source: RefreshedSource { health.source }

  /// A paused source is not asked, so it does not fail now.
  var isFailing: Bool { health.state == .failing }

  static let heading = [
    "SERVICE", "ACCOUNT", "SOURCE", "STATE", "SUCCESS", "NEW", "FAILING SINCE", "NEXT", "ERROR",
  ]

  /// - Parameter shown: writes a time.
  func cells(_ shown: (Timestamp) -> String) -> [String] {
    let times = [lastSuccess, failingSince, health.next].map { $0.map(shown) ?? "" }
    let cells = [
      source.name.service, source.name.account, source.name.source, health.state.rawValue, times[0], String(new),
      times[1], times[2], health.error ?? "",
    ]
    return cells.map { $0.isEmpty ? "-" : Printable.line($0) }
  }

  func appendJSON(to buffer: inout ByteBuffer) {
    buffer.object { out in
      out.member("service", source.name.service)
      if !source.name.account.isEmpty { out.member("account", source.name.account) }
      out.member("source", source.name.source)
      out.member("state", health.state.rawValue)
      out.member("every", source.every)
      out.member("refreshed_at", source.refreshedAt)
      out.member("last_success", lastSuccess)
      out.member("new", new)
      out.member("failing_since", failingSince)
      out.member("next_at", health.next)
      out.member("error", health.error)
    }
    buffer.append("\n")
  }

  static func families(_ statuses: [SourceStatus], at now: Timestamp) -> [PrometheusFamily] {
    func family(
      _ name: String, _ help: String, _ value: (SourceStatus) -> String?
    ) -> PrometheusFamily {
      let samples: [PrometheusFamily.Sample] = statuses.compactMap { status in
        value(status).map { (status.labels, $0) }
      }
      return PrometheusFamily("tw_cache_source_\(name)", .gauge, help, samples)
    }
    func time(_ time: Timestamp?) -> String? { time.map { seconds(Int($0.milliseconds)) } }
    return [
      PrometheusFamily(
        "tw_cache_status_timestamp_seconds", .gauge, "When this was written.", [([], seconds(Int(now.milliseconds)))]),
      family("failing", "Whether the last refresh failed.") { $0.isFailing ? "1" : "0" },
      family("paused", "Whether it is paused.") { $0.source.isPaused ? "1" : "0" },
      family("interval_seconds", "How often it is to be refreshed.") { $0.source.every.map { String($0) } },
      family("last_refresh_timestamp_seconds", "When the last refresh began.") { time($0.source.refreshedAt) },
      family("last_success_timestamp_seconds", "When the last refresh began that succeeded.") { time($0.lastSuccess) },
      family("failing_since_timestamp_seconds", "When the first of the failures began.") {
        time($0.failingSince)
      },
      family("next_refresh_timestamp_seconds", "When it is to be refreshed next.") { time($0.health.next) },
      family("new_tweets", "Tweets of the last 24 hours that were not stored before.") { String($0.new) },
    ]
  }

  private var labels: [(name: String, value: String)] {
    [("service", source.name.service), ("account", source.name.account), ("source", source.name.source)]
  }
}

/// How the refreshes of a source go, as `source list` and `status` tell it.
struct SourceHealth {
  enum State: String {
    case ok, due, failing, paused
    /// It has no interval: only who names it refreshes it.
    case byName = "by name"
  }

  let source: RefreshedSource
  let state: State
  /// What went wrong the last time; `nil` if the last refresh succeeded.
  let error: String?

  /// Of all sources, by service, account and source.
  static func all(in store: borrowing TweetStore) throws(ToolError) -> [SourceHealth] {
    let signInChange = try SignInChange.time()
    return try store.sources().map { (source) throws(ToolError) in
      let isDue = try store.isDue(source, at: .shown, signInChange: signInChange)
      let failure = source.failingSince == nil ? nil : try store.lastFailure(of: source)
      return SourceHealth(
        source: source, state: state(of: source, isDue: isDue),
        error: failure.map { $0.message ?? "status \($0.status.rawValue)" })
    }
  }

  private static func state(of source: RefreshedSource, isDue: Bool) -> State {
    if source.isPaused { return .paused }
    if source.failingSince != nil { return .failing }
    return source.every == nil ? .byName : isDue ? .due : .ok
  }

  /// When it is refreshed next; `nil` if nothing says so, and for a source that was never refreshed, which is due now.
  var next: Timestamp? { source.dueAt.flatMap { $0.milliseconds > 0 ? $0 : nil } }
}
