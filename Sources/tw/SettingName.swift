import ArgumentParser
import Services
import TweetCLI
import TweetCore

/// The name of a setting, as the command line has it.
enum SettingName: ExpressibleByArgument {
  case setting(Settings.Key)
  /// The keys of an action of tw-browse.
  case keys(action: String)
  /// The file of the token of a service.
  case tokenFile(service: String)

  init?(argument: String) {
    if let key = Settings.Key(rawValue: argument) {
      self = .setting(key)
    } else if argument.hasPrefix(Settings.bindingPrefix), argument.count > Settings.bindingPrefix.count {
      self = .keys(action: String(argument.dropFirst(Settings.bindingPrefix.count)))
    } else if argument.hasPrefix(Settings.tokenFilePrefix), argument.count > Settings.tokenFilePrefix.count {
      self = .tokenFile(service: String(argument.dropFirst(Settings.tokenFilePrefix.count)))
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] { Settings.Key.allCases.map(\.rawValue) }

  /// As it stands in the file.
  var text: String {
    switch self {
    case .setting(let key): key.rawValue
    case .keys(let action): Settings.bindingPrefix + action
    case .tokenFile(let service): Settings.tokenFilePrefix + service
    }
  }

  func value(in settings: Settings) -> String? {
    switch self {
    case .setting(let key): settings[key]
    case .keys(let action): settings.bindings[action]?.keys
    case .tokenFile(let service): settings.tokenFiles[service]
    }
  }

  /// What is wrong with a value, beyond what its form says; `nil` if nothing is.
  /// - Parameter file: the file as it will be.
  func fault(in value: String, _ file: ConfigFile) throws(ToolError) -> String? {
    switch self {
    case .setting(.service): return Services.named(value) == nil ? "is not a service (\(Services.names))" : nil
    case .setting(let key):
      if let fault = key.fault(in: value) { return fault }
      guard key == .browseFeeds else { return nil }
      let usual = Services.reading(try Settings.load().value(.service))
      for source in QuotedWords.split(value) ?? [] { _ = try Services.source(source, of: usual) }
      return nil
    case .tokenFile(let service):
      let isService = Services.named(service) != nil || Programs().path(of: "source-\(service)") != nil
      return isService ? Settings.Key.tokenFile.fault(in: value) : "is for no service (\(Services.names))"
    case .keys:
      if let fault = Settings.fault(inKeys: value) { return fault }
      do throws(ToolError) {
        _ = try KeyMap(Settings(text: file.text, path: Settings.path))
      } catch {
        // The line is not there yet.
        let message = error.message ?? ""
        throw .usage(
          message.firstRange(of: Settings.bindingPrefix).map { String(message[$0.lowerBound...]) } ?? message)
      }
      return nil
    }
  }
}
