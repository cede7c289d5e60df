import ArgumentParser
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
    var writer = RecordWriter()
    writer.buffer.append(value)
    try writer.endLine()
    try writer.flush()
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
    var writer = RecordWriter()
    for key in Settings.Key.allCases {
      guard let value = settings[key] else { continue }
      writer.buffer.append("\(key.rawValue) = \(value)")
      try writer.endLine()
    }
    for (service, path) in settings.tokenFiles.sorted(by: { $0.key < $1.key }) {
      writer.buffer.append("\(Settings.tokenFilePrefix)\(service) = \(path)")
      try writer.endLine()
    }
    for (action, binding) in settings.bindings.sorted(by: { $0.key < $1.key }) {
      writer.buffer.append("\(Settings.bindingPrefix)\(action) = \(binding.keys)")
      try writer.endLine()
    }
    for (name, pipe) in settings.aliases.sorted(by: { $0.key < $1.key }) {
      writer.buffer.append("\(Settings.aliasPrefix)\(name) = \(pipe)")
      try writer.endLine()
    }
    try writer.flush()
    return .done
  }
}
