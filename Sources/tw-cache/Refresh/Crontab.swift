import Libc
import Services
import TweetCore
import TweetStore

/// The line of a crontab that runs `tw-cache refresh`, written so that it works in cron's small environment: a working
/// directory that is the home, and no variables but HOME, LOGNAME, SHELL and a PATH of `/usr/bin:/bin`.
struct Crontab {
  /// What tells the tools what to use. The token itself is not among it: crontabs are no place for secrets.
  private static let variables = [
    "TW_SERVICE", "TW_ACCOUNT", "TW_ENDPOINT", "TW_BUDGET", "TW_ALLOW_PRIVATE", "TW_AVATARS",
  ]
  /// The same, for paths, which count from cron's own directory if they are relative.
  private static let paths = ["TW_TOKEN_FILE", "TW_CONFIG", "TW_CA_FILE", "TW_AVATAR_DIR", "TW_DB"]
  /// The XDG directories. The kit ignores relative ones (`Paths`).
  private static let directories = ["XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"]
  /// What libcurl reads.
  private static let proxies = [
    "http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY",
  ]
  /// Minutes that cron can count, the longest first.
  private static let periods = [1440, 720, 480, 360, 240, 180, 120, 60, 30, 20, 15, 12, 10, 6, 5, 4, 3, 2, 1]

  /// Those that are refreshed when they are due.
  let sources: [RefreshedSource]
  /// The store that the command line names.
  let db: String?
  /// The file that gets the messages; `nil` if cron mails them.
  let log: String?
  let programs: Programs

  /// Variables with a password in them, which the line leaves out.
  static var secretProxies: [String] {
    proxies.filter { Paths.environment($0)?.contains("@") == true }
  }

  /// - Throws: `ToolError.configuration` for a value that no crontab can hold.
  func line() throws(ToolError) -> String {
    guard let program = programs.path(of: "cache") else { throw .bug("this program is not beside itself") }
    var words: [String] = []
    if let directories = try pluginDirectories() {
      // A plugin may itself need programs that cron's PATH has not.
      words.append("PATH=\(try Self.quoted(directories)):/usr/local/bin:$PATH")
    }
    for (name, value) in try Self.environment() { words.append("\(name)=\(try Self.quoted(value))") }
    words += [try Self.quoted(Self.absolute(program)), "refresh", "--complain-after", "6h"]
    if let db { words += ["--db", try Self.quoted(Self.absolute(db))] }
    if let log { words.append("2>>\(try Self.quoted(log))") }
    // To cron a bare percent sign is the end of the command.
    return "\(schedule) \(words.joined(separator: " ").replacing("%", with: "\\%"))"
  }

  private static func environment() throws(ToolError) -> [(name: String, value: String)] {
    var found: [(String, String)] = []
    // cron takes it from the password database.
    if let home = Paths.environment("HOME"), home != ownHome { found.append(("HOME", home)) }
    for name in variables {
      if let value = Paths.environment(name) { found.append((name, value)) }
    }
    for name in paths {
      if let value = Paths.environment(name) { found.append((name, try absolute(value))) }
    }
    for name in directories {
      if let value = Paths.environment(name), value.hasPrefix("/") { found.append((name, value)) }
    }
    for name in proxies where !secretProxies.contains(name) {
      if let value = Paths.environment(name) { found.append((name, value)) }
    }
    return found
  }

  private static var ownHome: String? {
    getpwuid(getuid()).flatMap { $0.pointee.pw_dir }.map { String(cString: $0) }
  }

  /// The five fields for the longest period that meets every source's interval: all intervals are multiples of it.
  private var schedule: String {
    let seconds = sources.compactMap(\.every)
    if seconds.isEmpty { return "*/5 * * * *" }
    let period = Self.periods.first { period in seconds.allSatisfy { $0 % (period * 60) == 0 } } ?? 1
    switch period {
    case 1: return "* * * * *"
    case ..<60: return "*/\(period) * * * *"
    case 60: return "0 * * * *"
    case ..<1440: return "0 */\(period / 60) * * *"
    default: return "0 0 * * *"
    }
  }

  /// The directories of the plugins that cron would not find, joined as in PATH; `nil` for none.
  private func pluginDirectories() throws(ToolError) -> String? {
    var found: [String] = []
    for source in sources {
      guard let name = source.name.plugin, let path = programs.path(of: "source-\(name)") else { continue }
      let directory = try Self.absolute(Paths.folder(of: path))
      let isFound = directory == programs.directories.first || ["/usr/bin", "/bin"].contains(directory)
      if !isFound, !found.contains(directory) { found.append(directory) }
    }
    return found.isEmpty ? nil : found.joined(separator: ":")
  }

  private static func absolute(_ path: String) throws(ToolError) -> String {
    if path.hasPrefix("/") { return path }
    guard let directory = getcwd(nil, 0) else {
      throw .configuration("'\(path)' is relative to a directory that is gone: \(describe(errno: errno))")
    }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
  }

  /// The text as one word of a shell.
  private static func quoted(_ text: String) throws(ToolError) -> String {
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw .configuration("'\(text)' has control characters, which a crontab cannot hold")
    }
    return shellWord(text)
  }
}
