import Libc

/// The settings of the config file: one `key = value` a line; a line that starts with `#` is a comment.
///
/// An option overrides the environment, the environment overrides this file, the file overrides the tool's default. A
/// tool calls ``value(_:)`` when an option was not given, or passes ``variable(_:)`` to code that reads environment
/// variables.
package struct Settings: Sendable {
  /// Every setting there is. The raw value is its name in the file.
  package enum Key: String, CaseIterable, Sendable {
    case service
    case account
    case endpoint
    case tokenFile = "token-file"
    case db
    case caFile = "ca-file"
    case budget
    case avatars
    case newLabels = "new-labels"
    case mute
    case numbers
    case to
    case requireAlt = "require-alt"
    case player
    case browseFeeds = "browse.feeds"
    case browsePlayer = "browse.player"
    case browsePager = "browse.pager"
    case browseOpener = "browse.opener"

    /// The environment variable that overrides the setting.
    package var variable: String {
      switch self {
      case .service: "TW_SERVICE"
      case .account: "TW_ACCOUNT"
      case .endpoint: "TW_ENDPOINT"
      case .tokenFile: "TW_TOKEN_FILE"
      case .db: "TW_DB"
      case .caFile: "TW_CA_FILE"
      case .budget: "TW_BUDGET"
      case .avatars: "TW_AVATARS"
      case .newLabels: "TW_NEW_LABELS"
      case .mute: "TW_MUTE"
      case .numbers: "TW_NUMBERS"
      case .to: "TW_TO"
      case .requireAlt: "TW_REQUIRE_ALT"
      case .player: "TW_PLAYER"
      case .browseFeeds: "TW_BROWSE_FEEDS"
      case .browsePlayer: "TW_BROWSE_PLAYER"
      case .browsePager: "TW_BROWSE_PAGER"
      case .browseOpener: "TW_BROWSE_OPENER"
      }
    }

    /// What is wrong with `value`; `nil` when nothing is. Whether files exist and services answer is not checked.
    package func fault(in value: String) -> String? {
      if value.isEmpty { return "is empty" }
      if value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) { return "has control characters" }
      switch self {
      case .service:
        // Which services there are is for those to say that talk to them.
        return value.contains(" ") ? "is not a service" : nil
      case .account: return value.contains(" ") ? "is not an account's name" : nil
      case .to: return value.contains(" ") ? "is not a list of services with commas between them" : nil
      case .endpoint:
        let isAddress = value.hasPrefix("https://") || value.hasPrefix("http://")
        return isAddress && !value.contains(" ") ? nil : "is not an http or https address"
      case .budget:
        return BudgetBound(value) == nil ? "is not a budget (\(BudgetBound.examples))" : nil
      case .avatars, .numbers, .requireAlt:
        return Settings.switchValues[value] == nil ? "is not 'on' or 'off'" : nil
      case .player, .browsePlayer, .browsePager, .browseOpener:
        return value.hasPrefix("-") ? "is not a command" : nil
      case .browseFeeds:
        // Which sources there are is for those to say that read them.
        return QuotedWords.split(value) == nil ? "has a quote that is not closed" : nil
      case .newLabels: return TweetLabel.list(value) == nil ? "is not a list of labels: \(TweetLabel.rule)" : nil
      case .mute: return MuteList(value) == nil ? "is no such list: \(MuteList.rule)" : nil
      case .tokenFile, .db, .caFile:
        // A setting must not depend on the directory that a tool is started in.
        return value.hasPrefix("/") ? nil : "is not an absolute path"
      }
    }
  }

  /// What a setting that is on or off may be.
  private static let switchValues = ["on": true, "off": false]

  /// Looks a variable of the environment up; `nil` when it is unset or empty.
  let environment: @Sendable (String) -> String?
  private var values: [Key: String] = [:]
  /// Where each value is in the file, as `path:line`.
  private var positions: [Key: String] = [:]
  /// The keys of actions of tw-browse, as they were written, by the action's name. Which actions and keys there are is
  /// for those to say that know them.
  package private(set) var bindings: [String: Binding] = [:]
  /// The person's own words for `tw`: what the shell runs for each, by its name.
  package private(set) var aliases: [String: String] = [:]

  /// The keys of an action.
  package struct Binding: Sendable {
    /// The names of the keys, with spaces between them.
    package let keys: String
    /// `path:line`.
    package let position: String
  }

  /// What the name of an action has before it in the file.
  package static let bindingPrefix = "browse.keys."

  /// What is wrong with the keys of an action, as far as any tool can tell; `nil` if nothing is.
  package static func fault(inKeys value: String) -> String? {
    if value.isEmpty { return "is empty" }
    return value.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) ? "has control characters" : nil
  }

  /// The files of the tokens of services other than the usual one, by the services' names.
  package private(set) var tokenFiles: [String: String] = [:]

  /// What the name of such a service has before it in the file.
  package static let tokenFilePrefix = "token-file."

  /// What the name of an alias has before it in the file.
  package static let aliasPrefix = "alias."

  /// What is wrong with an alias; `nil` if nothing is.
  package static func fault(inAlias name: String, _ pipe: String) -> String? {
    let isName = name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_".utf8.contains($0) }
    guard isName, let first = name.first, first.isLetter else { return "is not a name: letters, digits, '-' and '_'" }
    if pipe.isEmpty { return "has no pipe" }
    return pipe.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) ? "has a pipe of more than one line" : nil
  }

  /// Parses a config file's text. Of several lines for one key the last counts.
  /// - Parameters:
  ///   - path: what messages call the file.
  ///   - environment: looks a variable up; `nil` when it is unset or empty.
  /// - Throws: `ToolError.configuration`, with the line's number, for a line that is not a setting.
  package init(
    text: String, path: String, environment: @escaping @Sendable (String) -> String? = Paths.environment
  ) throws(ToolError) {
    self.environment = environment
    for (number, line) in Self.lines(of: text).enumerated() {
      let position = "\(path):\(number + 1)"
      guard let (name, value) = Self.split(line) else {
        if Self.isBlankOrComment(line) { continue }
        throw .configuration("\(position): not 'key = value'")
      }
      if name.hasPrefix(Self.aliasPrefix) {
        let word = String(name.dropFirst(Self.aliasPrefix.count))
        if let fault = Self.fault(inAlias: word, value) {
          throw .configuration("\(position): alias '\(word)' \(fault)")
        }
        aliases[word] = value
        continue
      }
      if name.hasPrefix(Self.bindingPrefix) {
        if let fault = Self.fault(inKeys: value) { throw .configuration("\(position): \(name): '\(value)' \(fault)") }
        bindings[String(name.dropFirst(Self.bindingPrefix.count))] = Binding(keys: value, position: position)
        continue
      }
      let service = name.hasPrefix(Self.tokenFilePrefix) ? String(name.dropFirst(Self.tokenFilePrefix.count)) : ""
      guard let key = service.isEmpty ? Key(rawValue: name) : .tokenFile else {
        throw .configuration("\(position): no setting is called '\(name)'")
      }
      if let fault = key.fault(in: value) { throw .configuration("\(position): \(name): '\(value)' \(fault)") }
      if service.isEmpty { (values[key], positions[key]) = (value, position) } else { tokenFiles[service] = value }
    }
  }

  /// Reads the file at ``path``; no settings when it does not exist.
  package static func load() throws(ToolError) -> Settings {
    try Settings(text: readFile() ?? "", path: path)
  }

  /// The config file: `$TW_CONFIG`, else `config` in the configuration directory.
  package static var path: String { Paths.environment("TW_CONFIG") ?? Paths.configDirectory + "/config" }

  /// A setting's value in the file.
  package subscript(key: Key) -> String? { values[key] }

  /// A setting's value in the environment, else in the file.
  package func value(_ key: Key) -> String? { environment(key.variable) ?? values[key] }

  /// Where a setting's value is from, for messages: its variable, else `path:line`.
  package func origin(of key: Key) -> String {
    environment(key.variable) == nil ? positions[key] ?? Self.path : key.variable
  }

  /// An environment variable's value; when it is not set, the value of the setting that it overrides.
  package func variable(_ name: String) -> String? {
    environment(name) ?? Key.allCases.first { $0.variable == name }.flatMap { values[$0] }
  }

  /// What may be spent where reads are billed; `nil` if neither the environment nor the file says it.
  /// - Throws: `ToolError.configuration` for another text in the environment. The file was checked when it was read.
  package var budget: BudgetBound? {
    get throws(ToolError) {
      guard let text = value(.budget) else { return nil }
      guard let budget = BudgetBound(text) else {
        throw .configuration("TW_BUDGET: '\(text)' is not a budget (\(BudgetBound.examples))")
      }
      return budget
    }
  }

  /// The labels that new tweets get in a store: none if neither the environment nor the file says it.
  /// - Throws: `ToolError.configuration` for another text in the environment.
  package var newLabels: [TweetLabel] {
    get throws(ToolError) {
      guard let text = value(.newLabels) else { return [] }
      guard let labels = TweetLabel.list(text) else {
        throw .configuration("TW_NEW_LABELS: '\(text)' is not a list of labels: \(TweetLabel.rule)")
      }
      return labels
    }
  }

  /// What lists, refreshes and tw-render do not show; `nil` if neither the environment nor the file says it.
  /// - Throws: `ToolError.configuration` for another text in the environment.
  package var mute: MuteList? {
    get throws(ToolError) {
      guard let text = value(.mute) else { return nil }
      guard let list = MuteList(text) else {
        throw .configuration("TW_MUTE: '\(text)' is no such list: \(MuteList.rule)")
      }
      return list
    }
  }

  /// Whether profile pictures are fetched and shown where nobody asks for them: `true` if neither the environment nor
  /// the file says it.
  /// - Throws: `ToolError.configuration` for another text in the environment. Before, the variable was the directory of
  ///   `tw-avatar --export`.
  package var hasAvatars: Bool {
    get throws(ToolError) {
      guard let text = value(.avatars) else { return true }
      guard let isOn = Self.switchValues[text] else {
        throw .configuration(
          "TW_AVATARS: '\(text)' is not 'on' or 'off'; a directory of pictures goes into TW_AVATAR_DIR")
      }
      return isOn
    }
  }

  /// Whether tweets that are shown on a terminal get numbers where nobody asks for them: `false` if neither the
  /// environment nor the file says it.
  /// - Throws: `ToolError.configuration` for another text in the environment.
  package var hasNumbers: Bool {
    get throws(ToolError) { try isOn(.numbers) }
  }

  /// Whether tw-post takes no picture or video without a description: `false` if neither the environment nor the file
  /// says it.
  /// - Throws: `ToolError.configuration` for another text in the environment.
  package var requiresAlt: Bool {
    get throws(ToolError) { try isOn(.requireAlt) }
  }

  private func isOn(_ key: Key) throws(ToolError) -> Bool {
    guard let text = value(key) else { return false }
    guard let isOn = Self.switchValues[text] else {
      throw .configuration("\(key.variable): '\(text)' is not 'on' or 'off'")
    }
    return isOn
  }

  /// The tweet store: `$TW_DB`, else the setting, else `tw.db` in the data directory.
  package var tweetStore: String { value(.db) ?? Paths.dataDirectory + "/tw.db" }

  /// The lines of a settings file, which may end with `\r\n` (one Character in Swift) and begin with U+FEFF.
  package static func lines(of text: String) -> [Substring] {
    let text = text.hasPrefix("\u{FEFF}") ? text.dropFirst() : text[...]
    return text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
  }

  /// The name and the value of a line, without the white space around them; `nil` for a comment or a line without `=`.
  package static func split(_ line: Substring) -> (name: String, value: String)? {
    guard !isBlankOrComment(line), let equals = line.firstIndex(of: "=") else { return nil }
    return (line[..<equals].trimmed, line[line.index(after: equals)...].trimmed)
  }

  private static func isBlankOrComment(_ line: Substring) -> Bool {
    line.first { !$0.isWhitespace }.map { $0 == "#" } ?? true
  }

  /// The file's text; `nil` when there is no file.
  /// - Throws: `ToolError.configuration` when it cannot be read, or is too large to be a config file.
  package static func readFile() throws(ToolError) -> String? {
    // It names commands that the tools run, and where tokens go.
    let bytes = try StateFile.read(path) { (file) throws(ToolError) in try FileTrust.require(file, at: path) }
    guard let bytes else { return nil }
    // Settings need a few hundred bytes. A file of a megabyte is something else.
    if bytes.count > 1 << 20 { throw .configuration("'\(path)' is too large for a config file") }
    return String(decoding: bytes, as: UTF8.self)
  }
}
