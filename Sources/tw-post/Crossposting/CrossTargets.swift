import ArgumentParser
import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices

/// An account that `--to` names, or that a copy of a crosspost belongs to.
struct CrossTarget {
  let access: ServiceAccess
  let owner: Outbox.Owner

  init(_ access: ServiceAccess) throws(ToolError) {
    self.access = access
    owner = try Outbox.Owner(access)
  }

  /// As `--to` names it and messages say it: `x:jack`, or the service alone for a token.
  var name: String { access.account.map { "\(owner.service):\($0)" } ?? owner.service }
}

/// Finds the accounts that a command writes as.
struct CrossTargets {
  let settings: Settings
  let options: AccessOptions

  /// The service that is meant where nobody names one.
  var usualService: String {
    ServiceAccess.serviceName(account: options.identity.account, settings) ?? Services.usual.name
  }

  /// An account by its name, or the one in use; `ServiceAccess.fromEnvironment` says of the parameters more.
  func access(
    _ account: String?, of service: String? = nil, preferring preferred: String? = nil,
    example: String = "tw-post 'Hello, world'"
  ) throws(ToolError) -> ServiceAccess {
    try ServiceAccess.fromEnvironment(
      ServiceAPIs.all, caFile: options.caFile, account: account, example: example, of: service, preferring: preferred,
      settings)
  }

  /// Reads `x,mastodon:HOST,bluesky:alice.example`: services, whose account in use is meant, and accounts as
  /// `SERVICE:NAME`.
  ///
  /// - Throws: `ToolError.usage` for what names nothing or the same account twice, `ToolError.notAllowed` for an
  ///   account that is not signed in.
  func named(_ text: String) throws(ToolError) -> [CrossTarget] {
    if text == "all" {
      guard let set = settings.value(.to) else { return try inUse() }
      guard set != text else {
        throw .configuration("\(settings.origin(of: .to)): 'all' is what the setting stands for: it names services")
      }
      return try named(set)
    }
    var targets: [CrossTarget] = []
    for part in text.split(separator: ",", omittingEmptySubsequences: false) {
      let name = part.trimmed
      guard !name.isEmpty else { throw .usage("--to: a name is empty (--to x,mastodon:HOST,bluesky)") }
      let target = try target(name)
      // A service that is only read is told of now.
      _ = try target.access.writing()
      guard !targets.contains(where: { $0.owner == target.owner }) else {
        throw .usage("--to: '\(name)' is account '\(target.name)', which is named before")
      }
      targets.append(target)
    }
    return targets
  }

  /// The account in use of each service to which somebody is signed in.
  private func inUse() throws(ToolError) -> [CrossTarget] {
    var services: [String] = []
    let signedIn = try CredentialsFile.load().accounts.map(\.name.service)
    for service in settings.servicesWithTokens(usual: Services.usual.name) + signedIn where !services.contains(service)
    {
      services.append(service)
    }
    var targets: [CrossTarget] = []
    for service in services where ServiceAPIs.named(service) != nil {
      let target = try target(service)
      // Some are only read.
      if (try? target.access.writing()) != nil { targets.append(target) }
    }
    if targets.isEmpty { throw .notAllowed("--to all: no account is signed in; 'tw-auth login' makes one") }
    return targets
  }

  /// The account that a name means: a service stands for its account in use.
  func target(_ name: String) throws(ToolError) -> CrossTarget {
    if ServiceAPIs.named(name) != nil { return try CrossTarget(access(nil, of: name)) }
    for index in name.indices.reversed() where name[index] == ":" {
      guard ServiceAPIs.named(String(name[..<index])) != nil else { continue }
      let account = String(name[name.index(after: index)...])
      return try CrossTarget(access(account, of: String(name[..<index])))
    }
    let own = (try CredentialsFile.load()).accounts.first { $0.name.name == name || "@" + $0.name.name == name }
    let hint = own.map { "; did you mean '\($0.name)'?" } ?? ""
    throw .usage("--to: '\(name)' is neither a service (\(Services.names)) nor an account (SERVICE:NAME)\(hint)")
  }

  /// The account that writes of the outbox belong to.
  ///
  /// - Throws: `ToolError.notAllowed` if it is not signed in any more.
  func target(of owner: Outbox.Owner) throws(ToolError) -> CrossTarget {
    let known = try CredentialsFile.load().accounts.first {
      $0.name.service == owner.service && $0.base == owner.base && $0.name.name == owner.account
    }
    if let known { return try CrossTarget(access(signedIn: known)) }
    if let target = try? CrossTarget(access(nil, of: owner.service)), try Outbox().isSameUser(target.owner, owner) {
      return target
    }
    throw .notAllowed(
      "account '\(owner.name)' at \(owner.base) is not signed in any more; with --account another one "
        + "is meant")
  }

  /// An account that is signed in, at its own address.
  func access(signedIn account: ServiceAccount) throws(ToolError) -> ServiceAccess {
    let base = try ServiceAccess.checkedBase(account.base)
    let authorities = options.caFile ?? settings.variable("TW_CA_FILE")
    guard let api = ServiceAPIs.named(account.name.service) else {
      throw .configuration("service '\(account.name.service)' is not one this version knows (\(Services.names))")
    }
    return try ServiceAccess(
      api, account, base: base, credential: try account.credential(api.signIn(at: base), caFile: authorities),
      caFile: authorities)
  }
}

/// Services, and the accounts that are signed in, after each comma of `--to`.
enum CrossTargetCompletion {
  static let names = CompletionOffers.completion { prefix, _ in
    let done = prefix.lastIndex(of: ",").map { String(prefix[...$0]) } ?? ""
    let word = prefix.dropFirst(done.count)
    // Without a file, or with one that cannot be read, there are the services.
    let accounts = (try? CredentialsFile.load())?.accounts.map(\.name) ?? []
    let names =
      Services.all.map(\.name).filter { !$0.hasSuffix(":HOST") } + accounts.map(\.service)
      + (done.isEmpty ? ["all"] : [])
    // An account is named where its service is not enough.
    let all = word.contains(":") ? names + accounts.map(\.description) : names
    return Set(all).filter { $0.hasPrefix(word) && Printable.line($0) == $0 }.sorted().map { done + $0 }
  }
}
