/// The variables and settings as they count for one service: the one place that says whose a token is, which goes to no
/// other service.
///
/// What stands in the environment belongs to the service that `TW_SERVICE` names beside it, else to the usual one. A
/// setting that names no service, such as `token-file`, is the usual one's; `token-file.SERVICE` is another's.
package struct ServiceVariables: Sendable {
  private let settings: Settings
  package let service: String
  /// Whether `TW_TOKEN` and `TW_TOKEN_FILE` are of this service.
  private let hasVariables: Bool
  private let usual: String

  /// - Parameters:
  ///   - service: the one that a tool, or a child, works for.
  ///   - usual: the service that is meant where nobody names one.
  package init(_ settings: Settings, of service: String, usual: String) {
    (self.settings, self.service, self.usual) = (settings, service, usual)
    hasVariables = (settings.environment("TW_SERVICE") ?? usual) == service
  }

  /// A token in the environment.
  package var token: String? { hasVariables ? settings.environment("TW_TOKEN") : nil }

  /// The file of a token.
  package var tokenFile: String? {
    let variable = hasVariables ? settings.environment("TW_TOKEN_FILE") : nil
    return variable ?? settings.tokenFiles[service] ?? (service == usual ? settings[.tokenFile] : nil)
  }

  package var hasToken: Bool { token != nil || tokenFile != nil }

  /// Whether the environment has a token that is of another service.
  package var hasForeignToken: Bool {
    !hasVariables && ["TW_TOKEN", "TW_TOKEN_FILE"].contains { settings.environment($0) != nil }
  }

  /// The address of the service, if it is not the usual one. That in the settings belongs to the service there.
  package var endpoint: String? {
    let isOwn = (settings.variable("TW_SERVICE") ?? usual) == service
    let set = (settings[.service] ?? usual) == service ? settings[.endpoint] : nil
    return (isOwn ? settings.environment("TW_ENDPOINT") : nil) ?? set
  }

  /// What a child gets in its environment that works for this service: of tokens and addresses only what is the
  /// service's. `nil` removes a variable.
  package var ofChild: [String: String?] {
    var variables: [String: String?] = ["TW_SERVICE": service]
    // Beside the name of a service, what was of another one would be taken for that service's.
    if !hasVariables { for name in ChildProcess.credentialVariables { variables[name] = .some(nil) } }
    if endpoint == nil || endpoint != settings.environment("TW_ENDPOINT") { variables["TW_ENDPOINT"] = .some(nil) }
    return variables
  }
}

extension Settings {
  /// A variable that belongs to one service: `TW_ENDPOINT_BLUESKY`, `TW_STREAM_MASTODON_EXAMPLE_ORG`.
  /// - Parameters:
  ///   - prefix: what its name begins with, to the last underscore.
  ///   - service: the name of the service.
  package func variable(_ prefix: String, of service: String) -> String? {
    let suffix = service.uppercased().map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" }
    return variable(prefix + String(suffix))
  }

  /// The services of which a token is given, the usual one or that of the environment first.
  package func servicesWithTokens(usual: String) -> [String] {
    let first = environment("TW_SERVICE") ?? usual
    let others = ([usual] + tokenFiles.keys.sorted()).filter { $0 != first }
    return ([first] + others).filter { ServiceVariables(self, of: $0, usual: usual).hasToken }
  }

  /// What has a setting's value: its variable, else the setting.
  package func name(of key: Key) -> String { environment(key.variable) == nil ? key.rawValue : key.variable }

  /// The files of tokens: that of the environment or the setting, then those of other services.
  package var tokenPaths: [(name: String, path: String)] {
    let own = value(.tokenFile).map { [(name: name(of: .tokenFile), path: $0)] } ?? []
    return own + tokenFiles.sorted { $0.key < $1.key }.map { (Self.tokenFilePrefix + $0.key, $0.value) }
  }
}
