import Libc
import TweetCLI
import TweetCore

/// The registered sources: whether their refreshes succeed, and whether something starts them.
struct SourcesCheck {
  let programs: Programs

  /// A line of `tw-cache status --format json`.
  private struct Source {
    let service, account, name, state: String
    let every: Int?
    let failingSince, nextAt: Timestamp?
    let error: String

    init?(_ line: String) {
      guard let object = try? JSONDocument(line), let name = object["source"]?.string else { return nil }
      self.name = name
      (service, account) = (object["service"]?.string ?? "", object["account"]?.string ?? "")
      (state, error) = (object["state"]?.string ?? "", object["error"]?.string ?? "")
      every = object["every"]?.integer
      failingSince = object["failing_since"]?.string.flatMap { Timestamp(parsing: $0) }
      nextAt = object["next_at"]?.string.flatMap { Timestamp(parsing: $0) }
    }

    /// The command that asks it now, whatever it waits for.
    var refresh: String {
      let usual = (try? Settings.load().value(.service)) ?? nil
      let variable = service == usual ?? "x" ? "" : "TW_SERVICE=\(shellWord(service)) "
      let option = account.isEmpty ? "" : " --account \(shellWord(account))"
      return "\(variable)tw-cache refresh\(option) \(shellWord(name))"
    }

    var isScheduled: Bool { every != nil && state != "paused" }

    /// Whether nothing has asked it although it was due for a while.
    func isOverdue(at now: Timestamp) -> Bool {
      guard isScheduled, let every else { return false }
      guard let nextAt else { return true }
      return now.milliseconds - nextAt.milliseconds > max(600_000, Int64(every) * 2000)
    }
  }

  /// - Parameter store: nothing is told of a store that does not exist.
  func findings(_ store: String) throws(ToolError) -> [Finding] {
    guard access(store, F_OK) == 0, let cache = programs.path(of: "cache") else { return [] }
    let answer = try ProgramAnswer.of([cache, "status", "--quiet", "--format", "json"], keepsCredentials: true)
    // A store that cannot be read was told of before.
    guard let answer, answer.ending == .exited(0) || answer.ending == .exited(1) else { return [] }
    let sources = answer.lines.compactMap { Source($0) }
    if sources.isEmpty {
      return [.note(.sources, "no source is registered", mend: "tw-cache source add '#swift'")]
    }
    return refreshes(sources) + (try cron(sources, cache))
  }

  /// More are told as a number.
  private static let most = 5

  private func refreshes(_ sources: [Source]) -> [Finding] {
    let failing = sources.filter { $0.state == "failing" }
    if failing.isEmpty { return [.ok(.sources, "\(sources.count) registered, none fails")] }
    var found: [Finding] = failing.prefix(Self.most).map { source in
      let since = source.failingSince.map { " since \($0.rfc3339.prefix(16))Z" } ?? ""
      return .fault(.sources, "\(source.name) fails\(since): \(source.error)", mend: source.refresh)
    }
    if failing.count > Self.most {
      found.append(.fault(.sources, "\(failing.count - Self.most) sources more fail", mend: "tw-cache status"))
    }
    return found
  }

  // MARK: What starts refresh

  private func cron(_ sources: [Source], _ cache: String) throws(ToolError) -> [Finding] {
    if !sources.contains(where: \.isScheduled) { return [] }
    if let line = try CronTable.refreshLine() {
      guard let program = CronTable.program(of: line), access(program, X_OK) != 0 else {
        return [.ok(.cron, "it runs: \(line)")]
      }
      return [
        .fault(
          .cron, "cron runs '\(program)', which is not there",
          mend: "(crontab -l | grep -v 'tw-cache.* refresh'; tw-cache cron) | crontab -")
      ]
    }
    if try CronTable.timerIsEnabled() { return [.ok(.cron, "systemd's timer tw-refresh.timer starts it")] }
    let overdue = sources.filter { $0.isOverdue(at: .shown) }.count
    let message = "neither cron nor systemd's timer runs 'tw-cache refresh'"
    if overdue == 0 { return [.note(.cron, "\(message), but no source is late", mend: CronTable.adding)] }
    return [.fault(.cron, "\(message): \(overdue) sources are late", mend: CronTable.adding)]
  }
}

/// What starts `tw-cache refresh` on this machine.
enum CronTable {
  /// The command that starts it from now on.
  static var adding: String {
    if SystemPrograms.has("crontab") { return "(crontab -l; tw-cache cron) | crontab -" }
    if SystemPrograms.has("systemctl") { return "systemctl --user enable --now tw-refresh.timer" }
    return SystemPackage(debian: "cron", fedora: "cronie", arch: "cronie", homebrew: "cronie").install
      ?? "tw-cache refresh --every 15m --quiet &"
  }

  /// The line of the user's crontab, or of the system's ones, that runs it.
  static func refreshLine() throws(ToolError) -> String? {
    var texts: [String] = []
    if let crontab = SystemPrograms.path(of: "crontab"), let answer = try ProgramAnswer.of([crontab, "-l"]) {
      texts.append(answer.output)
    }
    let files = ["/etc/crontab"] + (Directory.names(in: "/etc/cron.d") ?? []).sorted().map { "/etc/cron.d/\($0)" }
    for file in files {
      // Those that only root may read are not this user's.
      guard access(file, R_OK) == 0, let bytes = try StateFile.read(file) else { continue }
      texts.append(String(decoding: bytes, as: UTF8.self))
    }
    return texts.flatMap { $0.split(separator: "\n") }.map { $0.drop { $0 == " " || $0 == "\t" } }
      .first { !$0.hasPrefix("#") && $0.contains("tw-cache") && $0.contains(" refresh") }.map(String.init)
  }

  /// The program that a line runs, if it has an absolute path without quotes.
  static func program(of line: String) -> String? {
    line.split { $0 == " " || $0 == "\t" }.map(String.init).first { $0.hasPrefix("/") && $0.hasSuffix("/tw-cache") }
  }

  static func timerIsEnabled() throws(ToolError) -> Bool {
    guard let systemctl = SystemPrograms.path(of: "systemctl") else { return false }
    let answer = try ProgramAnswer.of([systemctl, "--user", "is-enabled", "tw-refresh.timer"], patience: 3000)
    return answer?.lines.first == "enabled"
  }
}
