import ArgumentParser
import TweetCLI
import TweetCore

/// `tw config`: the settings that last.
struct Config: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Keep settings that last.",
    discussion: "The settings: \(Settings.Key.allCases.map(\.rawValue).joined(separator: ", ")).",
    subcommands: [ConfigGet.self, ConfigSet.self, ConfigUnset.self, ConfigList.self])
}

extension Settings.Key: ExpressibleByArgument {}

struct ConfigGet: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Print a setting; status 1 when it is not set.")

  @Argument(help: "The setting's name.")
  var key: Settings.Key

  func execute() throws(ToolError) -> ExitStatus {
    guard let value = try Settings.load()[key] else { return .someBad }
    var writer = RecordWriter()
    writer.buffer.append(value)
    try writer.endLine()
    try writer.flush()
    return .done
  }
}

struct ConfigSet: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "set", abstract: "Set a setting; comments and all else in the file stay.")

  @Argument(help: "The setting's name.")
  var key: Settings.Key

  @Argument(help: "Its value.")
  var value: String

  func execute() throws(ToolError) -> ExitStatus {
    if let fault = key.fault(in: value) { throw .usage("\(key.rawValue): '\(value)' \(fault)") }
    var file = try ConfigFile.open()
    file.set(key, to: value)
    try file.save()
    return .done
  }
}

struct ConfigUnset: ToolCommand {
  static let configuration = CommandConfiguration(commandName: "unset", abstract: "Remove a setting.")

  @Argument(help: "The setting's name.")
  var key: Settings.Key

  func execute() throws(ToolError) -> ExitStatus {
    var file = try ConfigFile.open()
    file.set(key, to: nil)
    try file.save()
    return .done
  }
}

struct ConfigList: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Print the settings that are set, one 'key = value' a line.")

  func execute() throws(ToolError) -> ExitStatus {
    let settings = try Settings.load()
    var writer = RecordWriter()
    for key in Settings.Key.allCases {
      guard let value = settings[key] else { continue }
      writer.buffer.append("\(key.rawValue) = \(value)")
      try writer.endLine()
    }
    try writer.flush()
    return .done
  }
}
