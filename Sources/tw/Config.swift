import ArgumentParser
import Libc
import TweetCLI
import TweetCore

/// `tw config`: the settings in the config file.
struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Read and change the settings.",
    discussion: """
      EXAMPLES:
        tw config set token-file ~/.x-token
        tw config list

      The settings are \(Settings.Key.allCases.map(\.rawValue).joined(separator: ", ")), \
      \(Settings.bindingPrefix)ACTION for the keys of tw-browse, and \(Settings.tokenFilePrefix)SERVICE for tokens of other \
      services than X.
      """,
    subcommands: [ConfigGet.self, ConfigSet.self, ConfigUnset.self, ConfigList.self, ConfigAlias.self])
}

struct ConfigGet: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print a setting; the status is 1 if it is not set.",
    discussion: """
      EXAMPLES:
        tw config get db
        tw config get token-file
      """)

  @Argument(help: "The setting's name.")
  var key: SettingName

  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    guard let value = key.value(in: try Settings.load()) else { return .someBad }
    try RecordWriter.print(value + "\n")
    return .done
  }
}

struct ConfigSet: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set a setting; the rest of the config file stays as it is.",
    discussion: """
      EXAMPLES:
        tw config set token-file ~/.x-token
        tw config set budget 5000/day
      """)

  @Argument(help: "The setting's name.")
  var key: SettingName

  @Argument(help: "Its value.")
  var value: String

  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    var file = try ConfigFile.open()
    file.set(key.text, to: value)
    if let fault = try key.fault(in: value, file) { throw .usage("\(key.text): '\(value)' \(fault)") }
    try file.save()
    return .done
  }
}

struct ConfigUnset: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "unset", abstract: "Remove a setting.",
    discussion: """
      EXAMPLES:
        tw config unset budget
        tw config unset db
      """)

  @Argument(help: "The setting's name.")
  var key: SettingName

  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    var file = try ConfigFile.open()
    file.set(key.text, to: nil)
    try file.save()
    return .done
  }
}

struct ConfigList: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print the settings that are set, one 'key = value' per line.",
    discussion: """
      EXAMPLES:
        tw config list
        tw config list | grep token
      """)

  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let settings = try Settings.load()
    func lines(_ prefix: String, _ values: [String: String]) -> [String] {
      values.sorted { $0.key < $1.key }.map { "\(prefix)\($0.key) = \($0.value)\n" }
    }
    let keys = Settings.Key.allCases.compactMap { key in settings[key].map { "\(key.rawValue) = \($0)\n" } }
    let others =
      lines(Settings.tokenFilePrefix, settings.tokenFiles)
      + lines(Settings.bindingPrefix, settings.bindings.mapValues(\.keys))
      + lines(Settings.aliasPrefix, settings.aliases)
    try RecordWriter.print((keys + others).joined())
    return .done
  }
}

/// `tw config alias`: the person's own words for `tw`.
struct ConfigAlias: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "alias", abstract: "Make a word of your own for a pipe, print or remove one, or list all.",
    usage: """
      tw config alias
      tw config alias [--remove] <name>
      tw config alias <name> <pipe>
      """,
    discussion: """
      EXAMPLES:
        tw config alias by 'tw-cache list --author "$1" | tw-render --numbers'
        tw config alias

      'tw NAME' has the shell run the pipe, in which "$1" or "$@" are the words after the name. 'tw NAME --show' prints it. No \
      alias takes the name of a tool.
      """)

  @Argument(help: "The alias's name.")
  var name: String?

  @Argument(help: "What the shell runs.")
  var pipe: String?

  @Flag(help: "Remove the alias.")
  var remove = false

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if remove, name == nil || pipe != nil { throw ValidationError("--remove needs the name of an alias, and no pipe") }
  }

  func execute() throws(ToolError) -> ExitStatus {
    guard let name else { return try list() }
    if let pipe { return try set(name, to: pipe) }
    guard let known = try Settings.load().aliases[name] else {
      if remove { throw .noInput("there is no alias '\(name)'; 'tw config alias' lists them") }
      return .someBad
    }
    if remove { return try set(name, to: nil) }
    try RecordWriter.print(known + "\n")
    return .done
  }

  private func list() throws(ToolError) -> ExitStatus {
    let aliases = try Settings.load().aliases.sorted { $0.key < $1.key }
    try RecordWriter.print(aliases.map { "\($0.key) = \($0.value)\n" }.joined())
    return .done
  }

  private func set(_ name: String, to pipe: String?) throws(ToolError) -> ExitStatus {
    if let pipe {
      if let fault = Settings.fault(inAlias: name, pipe) { throw .usage("'\(name)' \(fault)") }
      guard !TwFront.ownCommands.contains(name), name != "help", !Programs().names.contains(name) else {
        throw .usage("'\(name)' is a tool, and an alias does not take its place: choose another name")
      }
    }
    var file = try ConfigFile.open()
    file.set(Settings.aliasPrefix + name, to: pipe)
    try file.save()
    return .done
  }
}

/// The lines of the config file. Settings are changed one at a time; all other lines, comments too, stay as they are.
struct ConfigFile {
  private(set) var lines: [Substring]

  init(text: String) {
    lines = Settings.lines(of: text)
    if lines.last == "" { lines.removeLast() }
  }

  /// Reads and checks the file: a file with an error is not changed.
  static func open() throws(ToolError) -> ConfigFile {
    let text = try Settings.readFile() ?? ""
    _ = try Settings(text: text, path: Settings.path)
    return ConfigFile(text: text)
  }

  /// Replaces the last line with this key, or appends a line. `nil` removes all lines with the key.
  mutating func set(_ key: String, to value: String?) {
    let isOfKey = { (line: Substring) in Settings.split(line)?.name == key }
    guard let value else { return lines.removeAll(where: isOfKey) }
    let line = Substring("\(key) = \(value)")
    if let index = lines.lastIndex(where: isOfKey) { lines[index] = line } else { lines.append(line) }
  }

  var text: String { lines.map { $0 + "\n" }.joined() }

  /// Replaces the file at once, so that a reader sees the old or the new one complete. Only this user may read it.
  func save() throws(ToolError) {
    // People link the file to another directory, and the link must stay.
    let path = try FileTarget.resolve(Settings.path)
    try Paths.createDirectory(of: path)
    var buffer = ByteBuffer()
    buffer.append(text)
    try StateFile.replace(path, with: buffer)
  }
}
