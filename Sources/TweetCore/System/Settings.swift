/// The settings that last: the config file, one `key = value` a line, `#` starting a comment line.
///
/// An option goes before the environment, the environment before this file, the file before the tool's default. A tool
/// asks ``value(_:)`` for what an option did not say, or hands ``variable(_:)`` to code that reads environment variables.
package struct Settings: Sendable {
  /// Every setting there is. The raw value is its name in the file.
  package enum Key: String, CaseIterable, Sendable {
    case service
    case endpoint
    case tokenFile = "token-file"
    case db
    case caFile = "ca-file"
    case budget

    /// The environment variable that goes before the setting.
    package var variable: String {
      switch self {
      case .service: "TW_SERVICE"
      case .endpoint: "TW_ENDPOINT"
      case .tokenFile: "TW_TOKEN_FILE"
      case .db: "TW_DB"
      case .caFile: "TW_CA_FILE"
      case .budget: "TW_BUDGET"
      }
    }

    /// What is wrong with `value`; `nil` for nothing. Whether files exist and services answer shows when they are used.
    package func fault(in value: String) -> String? {
      if value.isEmpty { return "is empty" }
      if value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "has control characters" }
      switch self {
      case .service:
        return Settings.services.contains(value)
          ? nil : "is not a service (\(Settings.services.joined(separator: ", ")))"
      case .endpoint:
        let isAddress = value.hasPrefix("https://") || value.hasPrefix("http://")
        return isAddress && !value.contains(" ") ? nil : "is not an http or https address"
      case .budget:
        return PostBudget(value) == nil ? "is not a budget (5000/day, unlimited)" : nil
      case .tokenFile, .db, .caFile:
        // What lasts must not depend on the directory that a tool is started in.
        return value.hasPrefix("/") ? nil : "is not an absolute path"
      }
    }
  }

  /// The services that requests can be sent to. Plugins bring posts of others.
  package static let services = ["x", "local"]

  private var values: [Key: String] = [:]

  /// Reads a config file's text. The last of several lines for one key counts.
  /// - Parameter path: what messages call the file.
  /// - Throws: `ToolError.configuration`, with the line's number, for what is no setting.
  package init(text: String, path: String) throws(ToolError) {
    for (number, line) in Self.lines(of: text).enumerated() {
      let place = "\(path):\(number + 1)"
      guard let (name, value) = Self.split(line) else {
        if Self.isBlankOrComment(line) { continue }
        throw .configuration("\(place): not 'key = value'")
      }
      guard let key = Key(rawValue: name) else { throw .configuration("\(place): no setting is called '\(name)'") }
      if let fault = key.fault(in: value) { throw .configuration("\(place): \(name): '\(value)' \(fault)") }
      values[key] = value
    }
  }

  /// The settings of the file at ``path``; none when there is no such file.
  package static func load() throws(ToolError) -> Settings {
    try Settings(text: readFile() ?? "", path: path)
  }

  /// Where the config file is: `$TW_CONFIG`, else `config` in the configuration directory.
  package static var path: String { Paths.environment("TW_CONFIG") ?? Paths.configDirectory + "/config" }

  /// What the file says.
  package subscript(key: Key) -> String? { values[key] }

  /// What the environment says, else the file.
  package func value(_ key: Key) -> String? { Paths.environment(key.variable) ?? values[key] }

  /// An environment variable's value; of one that has a setting and is not set, the setting's.
  package func variable(_ name: String) -> String? {
    Paths.environment(name) ?? Key.allCases.first { $0.variable == name }.flatMap { values[$0] }
  }

  /// The tweet store: `$TW_DB`, else the setting, else `tw.db` in the data directory.
  package var tweetStore: String { value(.db) ?? Paths.dataDirectory + "/tw.db" }

  /// The lines of a settings file, also of one that an editor on Windows wrote: `\r\n` is one Character to Swift.
  package static func lines(of text: String) -> [Substring] {
    let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
    return text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  /// The name and the value of a line that has an equals sign and is no comment, white space around both removed.
  package static func split(_ line: Substring) -> (name: String, value: String)? {
    guard !isBlankOrComment(line), let equals = line.firstIndex(of: "=") else { return nil }
    return (trim(line[..<equals]), trim(line[line.index(after: equals)...]))
  }

  private static func isBlankOrComment(_ line: Substring) -> Bool {
    line.first { !$0.isWhitespace }.map { $0 == "#" } ?? true
  }

  private static func trim(_ text: Substring) -> String {
    guard let start = text.firstIndex(where: { !$0.isWhitespace }),
      let end = text.lastIndex(where: { !$0.isWhitespace })
    else { return "" }
    return String(text[start...end])
  }

  /// The file's text; `nil` when there is no file.
  /// - Throws: `ToolError.configuration` when there is one that cannot be read, or that is far too large to be one.
  package static func readFile() throws(ToolError) -> String? {
    let bytes: [UInt8]?
    do throws(ToolError) {
      bytes = try StateFile.read(path)
    } catch {
      throw .configuration(error.message ?? "cannot read '\(path)'")
    }
    // Six settings fit a few hundred bytes; a megabyte is some other file.
    if let bytes, bytes.count > 1 << 20 { throw .configuration("'\(path)' is too large for a config file") }
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }
}
