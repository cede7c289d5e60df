import Services
import TweetCLI
import TweetCore

/// As whom the other tools read and write: of each service one account.
struct ChosenAccounts {
  struct Account: Equatable {
    let service: String
    let name: String

    /// `service:name`.
    var text: String { "\(service):\(name)" }
  }

  /// Those that are signed in, of each service the one in use first.
  let known: [Account]
  private let settings: Settings
  /// The service of new posts, and of sources that name none.
  private(set) var service: String
  /// The accounts that were chosen here or on the command line, by their services.
  private var chosen: [String: String] = [:]

  /// - Parameters:
  ///   - option: as `--account` gave it.
  ///   - settings: name the service and the account where nobody chooses.
  init(option: String?, _ settings: Settings, known: [(service: String, name: String)]) {
    let known = known.map { Account(service: $0.service, name: $0.name) }
    (self.known, self.settings) = (known, settings)
    let wanted = option ?? settings.value(.account)
    let named = wanted.flatMap { Self.account(named: $0, of: known) }
    let services = Set(known.filter { named == nil || $0 == named }.map(\.service))
    // A token or an address belongs to the service of the settings.
    let isBare = ["TW_TOKEN", "TW_TOKEN_FILE", "TW_ENDPOINT"].allSatisfy { settings.variable($0) == nil }
    let implied = isBare && services.count == 1 ? services.first : nil
    usual = settings.value(.service) ?? implied ?? Services.usual.name
    service = usual
    if let wanted { chosen[named?.service ?? usual] = named?.name ?? wanted }
  }

  /// The service of the settings and of the environment.
  let usual: String

  private static func account(named text: String, of known: [Account]) -> Account? {
    let name = text.hasPrefix("@") ? String(text.dropFirst()) : text
    return known.first { $0.text == name } ?? known.first { $0.name == name }
  }

  /// Has the tools work as the account of this name, or `service:name`.
  /// - Returns: `service:name`.
  /// - Throws: `ToolError.noInput` if none is called so, with those that are there.
  mutating func choose(named text: String) throws(ToolError) -> String {
    if let account = Self.account(named: text, of: known) { return choose(account) }
    let names = known.map(\.text).joined(separator: ", ")
    throw .noInput("no account is called '\(text)'" + (names.isEmpty ? "" : " (\(names))"))
  }

  /// Has the tools work as the account that comes after the present one.
  /// - Returns: `service:name`.
  /// - Throws: `ToolError.noInput` if there is no other.
  mutating func chooseNext() throws(ToolError) -> String {
    guard known.count > 1 else {
      let only = shown.map { "\($0) is the only account that is signed in" }
      throw .noInput(only ?? "nobody is signed in: tw-auth login")
    }
    let index = known.firstIndex { $0.service == service && $0.name == name(at: service) }
    return choose(known[((index ?? -1) + 1) % known.count])
  }

  private mutating func choose(_ account: Account) -> String {
    (service, chosen[account.service]) = (account.service, account.name)
    return account.text
  }

  /// Who acts at a service; `nil` if nobody is known to be signed in there.
  func name(at service: String) -> String? {
    chosen[service] ?? known.first { $0.service == service }?.name
  }

  /// The account that is shown: `jack`, or `service:jack` where several services have accounts.
  var shown: String? {
    guard let name = name(at: service) else { return nil }
    return Set(known.map(\.service)).count > 1 ? "\(service):\(name)" : name
  }

  /// The words of the command line for a service.
  func words(at service: String) -> [String] {
    let name = service == usual ? chosen[service] : self.name(at: service)
    return name.map { ["--account", $0] } ?? []
  }

  /// The variables for a service: an account, a token and an address belong to the service that they were given for.
  func variables(at service: String) -> [String: String?] {
    var variables = ServiceVariables(settings, of: service, usual: Services.usual.name).ofChild
    if service != usual { variables["TW_ACCOUNT"] = .some(nil) }
    return variables
  }
}
