import Libc
import TweetCore
import TweetSources
import TweetStore

/// The line of a crontab that runs `tw-cache refresh`, written so that it works in cron's small environment.
enum Crontab {
  /// What tells the tools where things are. The token itself is not among it: crontabs are no place for secrets.
  private static let variables = [
    "TW_SERVICE", "TW_ACCOUNT", "TW_ENDPOINT", "TW_BUDGET", "TW_ALLOW_PRIVATE",
  ]
  /// The same, for paths, which count from cron's own directory if they are relative.
  private static let paths = [
    "TW_TOKEN_FILE", "TW_CONFIG", "TW_CA_FILE", "TW_AVATARS", "TW_DB", "XDG_CONFIG_HOME", "XDG_DATA_HOME",
    "XDG_STATE_HOME",
  ]
  /// Minutes that cron can count, the longest first.
  private static let periods = [1440, 720, 480, 360, 240, 180, 120, 60, 30, 20, 15, 12, 10, 6, 5, 4, 3, 2, 1]

  /// - Parameters:
  ///   - sources: those that are refreshed when they are due.
  ///   - db: the store that the command line names.
  /// - Throws: `ToolError.configuration` for a value that no crontab can hold.
  static func line(for sources: [RefreshedSource], db: String?, programs: Programs) throws(ToolError) -> String {
    guard let program = programs.path(of: "cache") else { throw .bug("this program is not beside itself") }
    var words: [String] = []
    if let directories = pluginDirectories(of: sources, programs) {
      // cron's own PATH comes last.
      words.append("PATH=\(try quoted(directories)):$PATH")
    }
    for name in variables {
      if let value = Paths.environment(name) { words.append("\(name)=\(try quoted(value))") }
    }
    for name in paths {
      if let value = Paths.environment(name) { words.append("\(name)=\(try quoted(absolute(value)))") }
    }
    words += [try quoted(absolute(program)), "refresh", "--complain-after", "6h"]
    if let db { words += ["--db", try quoted(absolute(db))] }
    // To cron a bare percent sign is the end of the command.
    return "\(schedule(sources)) \(words.joined(separator: " ").replacing("%", with: "\\%"))"
  }

  /// The five fields for the longest period that meets every source's interval: all intervals are multiples of it.
  private static func schedule(_ sources: [RefreshedSource]) -> String {
    let seconds = sources.compactMap(\.every)
    let period = periods.first { period in seconds.allSatisfy { $0 % (period * 60) == 0 } } ?? 1
    if seconds.isEmpty { return "*/5 * * * *" }
    switch period {
    case 1: return "* * * * *"
    case ..<60: return "*/\(period) * * * *"
    case 60: return "0 * * * *"
    case ..<1440: return "0 */\(period / 60) * * *"
    default: return "0 0 * * *"
    }
  }

  /// The directories of the plugins that cron would not find, joined as in PATH; `nil` for none.
  private static func pluginDirectories(of sources: [RefreshedSource], _ programs: Programs) -> String? {
    var found: [String] = []
    for source in sources {
      guard case .plugin(let name, _) = try? Source(source.name.source),
        let path = programs.path(of: "source-\(name)"), let slash = path.lastIndex(of: "/")
      else { continue }
      let directory = absolute(String(path[..<slash]))
      let isFound = directory == programs.directories.first || ["/usr/bin", "/bin"].contains(directory)
      if !isFound, !found.contains(directory) { found.append(directory) }
    }
    return found.isEmpty ? nil : found.joined(separator: ":")
  }

  private static func absolute(_ path: String) -> String {
    guard !path.hasPrefix("/"), let directory = getcwd(nil, 0) else { return path }
    defer { free(directory) }
    return String(cString: directory) + "/" + path
  }

  /// The text as one word of a shell.
  private static func quoted(_ text: String) throws(ToolError) -> String {
    guard !text.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw .configuration("'\(text)' has control characters, which a crontab cannot hold")
    }
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "+")...UInt8(ascii: ":"), UInt8(ascii: "_"), UInt8(ascii: "@"), UInt8(ascii: "%"):
        true
      default: false
      }
    }
    return isPlain ? text : "'" + text.replacing("'", with: #"'\''"#) + "'"
  }
}
