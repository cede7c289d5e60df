import Libc
package import Services
package import TweetAccounts
package import TweetCore
package import TweetNet

/// A service, its address, and the credential for it.
package struct ServiceAccess: Sendable {
  package let api: any ServiceAPI
  /// The id space of its posts, as records name it: `x`, `local`.
  package var service: String { api.service.name }
  /// Its URL without a slash at the end.
  package let base: String
  /// What requests are authorized with.
  package let credential: any Credential
  /// The account's name, if it is known: a token does not tell it.
  package let account: String?
  /// The service's id of the user, if it is known.
  package let userID: String?
  /// What the account was allowed to do; `nil` if that is not known.
  package let scopes: [String]?
  /// How the account was signed in; `nil` for a token that the environment names.
  package let method: ServiceAccount.Method?
  /// Certificate authorities in place of the system's.
  package let caFile: String?
  /// Whether its user owns the application that asks: reading what is one's own is cheaper then.
  package let ownsApp: Bool
  /// Which addresses the server may have: any where the person has named it, public ones where a sign-in has found it.
  package let addresses: AddressPolicy
  private let payer: Payer

  /// Whether there is neither an account nor a token.
  package let isAnonymous: Bool

  /// Whom the service bills.
  private enum Payer {
    /// The application: its client id or its API key.
    case app(String)
    /// The application of a token, which a token does not tell.
    case token(Secret)
    /// Nothing tells it.
    case unknown
  }

  /// With a token that came from elsewhere.
  ///
  /// - Parameter app: the application that it belongs to, if that is known.
  package init(
    _ api: any ServiceAPI, base: String, token: Secret, account: String? = nil, app: String? = nil,
    caFile: String? = nil
  ) {
    self.api = api
    self.base = base
    self.caFile = caFile
    self.account = account
    credential = api.credential(over: FixedCredential(bearer: token, at: base))
    addresses = .any
    (userID, scopes, method, ownsApp, isAnonymous) = (nil, nil, nil, false, false)
    payer = app.map { .app($0) } ?? .token(token)
  }

  /// Without an account.
  package init(anonymous api: any ServiceAPI, base: String, caFile: String?) {
    (self.api, self.base, self.caFile) = (api, base, caFile)
    credential = api.credential(over: NoCredential(at: base))
    addresses = .any
    (account, userID, scopes, method, ownsApp, isAnonymous) = (nil, nil, nil, nil, false, true)
    payer = .unknown
  }

  /// For an account that is signed in.
  ///
  /// - Throws: `ToolError.configuration` for a list of private addresses that is none.
  package init(
    _ api: any ServiceAPI, _ account: ServiceAccount, base: String, credential: any Credential, caFile: String?
  ) throws(ToolError) {
    self.api = api
    self.base = base
    self.credential = api.credential(over: credential)
    self.caFile = caFile
    addresses = try api.addresses(ofAccountAt: base)
    self.account = account.name.name
    userID = account.userID
    method = account.method
    scopes = account.scopes.isEmpty ? nil : account.scopes
    (ownsApp, isAnonymous) = (account.ownsApp, false)
    payer = account.clientID.map { .app($0) } ?? (credential as? FixedCredential).map { .token($0.token) } ?? .unknown
  }

  /// Whom the service bills for what is asked for with this. A token shows as a hash: with another name of the account
  /// it is the same bill.
  package func bill() throws(ToolError) -> Ledger.Bill {
    let app =
      switch payer {
      case .app(let id): id
      case .token(let token): try Self.mark(of: token)
      case .unknown: account ?? ""
      }
    return Ledger.Bill(service: service, app: app, account: account ?? "")
  }

  /// What its writes are kept under: the account's name, or a mark that differs from token to token.
  package func outboxAccount() throws(ToolError) -> String {
    if let account { return account }
    guard case .token(let token) = payer else { return "" }
    return try Self.mark(of: token)
  }

  /// 96 bits of a hash of a token, which has more: nobody finds the token by it.
  private static func mark(of token: Secret) throws(ToolError) -> String {
    "token-" + (try Crypto.digest(token.exposed)).prefix(16)
  }

  /// Checks before a request that the sign-in allows it, so that the hint is plainer than the service's.
  ///
  /// - Parameters:
  ///   - wanted: scopes of OAuth 2.0.
  ///   - what: what is asked for, for people.
  /// - Throws: `ToolError.notAllowed` if the account surely may not do it.
  package func require(_ wanted: [String], for what: String) throws(ToolError) {
    try requireUser(for: what)
    try requireScopes(wanted, for: what)
  }

  /// The same for what an application may do as well.
  package func requireScopes(_ wanted: [String], for what: String) throws(ToolError) {
    guard let scopes else { return }
    let missing = wanted.filter { !scopes.contains($0) }
    guard !missing.isEmpty else { return }
    let names = missing.count == 1 ? "the scope '\(missing[0])'" : "the scopes '\(missing.joined(separator: " "))'"
    throw .notAllowed(
      "\(what) needs \(names), which account '\(account ?? "")' was not given: sign in again with "
        + "'\(loginCommand) --scopes \"\((scopes + missing).joined(separator: " "))\"'")
  }

  /// How a person signs in again as this account.
  private var loginCommand: String {
    let isUsual = method != .oauth2 || api.signIn(at: base).oauth2 != nil
    return "tw-auth login --service \(service)" + (isUsual ? "" : " --method oauth2")
      + (account.map { " --account \($0)" } ?? "")
  }

  /// Refuses what needs a user, before a request, if the account is known to be an application's.
  package func requireUser(for what: String) throws(ToolError) {
    if isAnonymous {
      throw .notAllowed("\(what) needs an account: run 'tw-auth login --service \(service)'")
    }
    guard method == .app else { return }
    throw .notAllowed(
      "\(what) needs a user's account, and account '\(account ?? "")' is an application's: run 'tw-auth login' without "
        + "'--method app'")
  }

  /// The access that live streams are opened with which a service gives to applications alone: this one, or that of the
  /// application, if this account is a user's.
  ///
  /// - Parameter accounts: reads the accounts; called only where it is needed.
  /// - Returns: `nil` if the application's account is needed and there is none.
  package func forLiveStreams(
    accounts: () throws(ToolError) -> CredentialsFile = CredentialsFile.load
  ) throws(ToolError) -> ServiceAccess? {
    guard method == .oauth1 || method == .oauth2 else { return self }
    let application = try accounts().accounts.first {
      $0.method == .app && $0.name.service == service && $0.base == base
    }
    guard let application else { return nil }
    let credential = try application.credential(api.signIn(at: base), caFile: caFile)
    return try ServiceAccess(api, application, base: base, credential: credential, caFile: caFile)
  }

  /// What a person can do who has no token, or whose token the service does not accept.
  /// - Parameter setting: that of the service's token.
  package static func signInAdvice(_ setting: String = Settings.Key.tokenFile.rawValue) -> String {
    "run 'tw-auth login', or save a token in a file and run 'tw config set \(setting) FILE'"
  }

  /// Reads `TW_SERVICE`, `TW_ACCOUNT`, `TW_ENDPOINT`, `TW_TOKEN`, `TW_TOKEN_FILE` and `TW_CA_FILE`, and the accounts
  /// that are signed in. This is the one place that decides which account a tool works for:
  ///
  /// 1. The account that `--account` names, if it is signed in. It may be named with its service.
  /// 2. The token of the service that ``ServiceVariables`` finds. `TW_ACCOUNT` is then only what its budget and its
  ///    sources are kept under. Beside `--account` it does not count: nobody knows whose it is.
  /// 3. The account that `TW_ACCOUNT` or the setting names, else the one in use.
  ///
  /// - Parameters:
  ///   - apis: of the services there are; the first is meant where nobody names one.
  ///   - caFile: the `--cacert` option, which takes precedence over `TW_CA_FILE`.
  ///   - account: the `--account` option; `nil` if it is not given.
  ///   - example: a command that shows the tool to a person without an account, in the service of `tw-local --demo`.
  ///   - mayBeAnonymous: whether the tool can do something without an account, at a service that is open.
  ///   - other: the service that the tool works for now, whatever the settings say; `nil` for theirs. An account that
  ///     the settings name is that of their own service.
  ///   - own: the address of the service that a variable of its own has.
  ///   - preferred: the account to take if the command line does not name one.
  ///   - accounts: reads the accounts; called only where it is needed.
  /// - Throws: `ToolError.notAllowed` without a token or an account, `ToolError.configuration` for a variable or a file
  ///   that cannot be used, `ToolError.noInput` for certificate authorities that cannot be read.
  package static func fromEnvironment(
    _ apis: [any ServiceAPI], caFile: String?, account option: String?, example: String, mayBeAnonymous: Bool = false,
    of other: String? = nil, endpoint own: String? = nil, preferring preferred: String? = nil, _ settings: Settings,
    accounts: () throws(ToolError) -> CredentialsFile = CredentialsFile.load
  ) throws(ToolError) -> ServiceAccess {
    let named = option.flatMap { knownAccount($0, in: try? accounts()) }
    let option = named?.name ?? option
    let usual = apis[0].service.name
    let set = serviceName(account: option, in: try? accounts(), settings) ?? usual
    let wanted = named?.service ?? other ?? set
    guard let api = apis.lazy.compactMap({ $0.named(wanted) }).first else {
      let names = apis.map(\.service.name).joined(separator: ", ")
      throw .configuration("TW_SERVICE: service '\(wanted)' is not one this version knows (\(names))")
    }
    let service = api.service.name
    let variables = ServiceVariables(settings, of: service, usual: usual)
    let given = try (own ?? variables.endpoint).map { (text) throws(ToolError) in try checkedBase(text) }
    let authorities = caFile ?? settings.variable("TW_CA_FILE")
    if let authorities { try checkReadable(authorities) }
    let name = option ?? preferred ?? (other == nil || other == set ? settings.variable("TW_ACCOUNT") : nil)
    if option == nil, let token = try givenToken(variables) {
      guard let base = given ?? api.service.usualBase else { throw withoutAddress(api.service) }
      return ServiceAccess(
        api, base: base, token: token, account: name, app: app(of: token, api.service, accounts),
        caFile: authorities)
    }
    let file = try accounts()
    if let account = file.account(name, service: service, base: given) {
      let base = try checkedBase(account.base)
      return try ServiceAccess(
        api, account, base: base, credential: try account.credential(api.signIn(at: base), caFile: authorities),
        caFile: authorities)
    }
    guard given != nil || api.service.usualBase != nil else { throw withoutAddress(api.service) }
    if mayBeAnonymous, api.isOpen, name == nil, let base = given ?? api.service.usualBase {
      return ServiceAccess(anonymous: api, base: base, caFile: authorities)
    }
    throw notSignedIn(variables, name, given, file, example, usual: usual)
  }

  /// The application of a token that an account has which is signed in: it has one bill, whoever has the token in hand.
  private static func app(
    of token: Secret, _ service: any ServiceKind, _ accounts: () throws(ToolError) -> CredentialsFile
  ) -> String? {
    // Where nothing is billed it does not matter. A file that cannot be read must not stop who has a token beside it.
    guard service.prices != nil, let known = try? accounts() else { return nil }
    return known.accounts.first { account in
      guard account.name.service == service.name, account.clientID != nil else { return false }
      if case .text(let text) = account.token, Secret(bearer: text.exposed) == token { return true }
      return account.method == .oauth2 && (try? TokenFile(account.name).read())?.access == token
    }?.clientID
  }

  private static func withoutAddress(_ service: any ServiceKind) -> ToolError {
    .configuration("TW_ENDPOINT: service '\(service.name)' needs its address, \(service.addressAdvice)")
  }

  private static func notSignedIn(
    _ variables: ServiceVariables, _ name: String?, _ base: String?, _ file: CredentialsFile, _ example: String,
    usual: String
  ) -> ToolError {
    let service = variables.service
    if let name {
      // The account may be there, for another service or at another address.
      if let other = file.accounts.first(where: { $0.name.name == name }) {
        let place = base.map { " at \($0)" } ?? ""
        return .notAllowed(
          "account '\(name)' is not one of service '\(service)'\(place), but of '\(other.name.service)' at "
            + "\(other.base): set TW_SERVICE or TW_ENDPOINT to that")
      }
    }
    let who = name.map { " as '\($0)'" } ?? ""
    if name != nil, !file.accounts.isEmpty {
      let names = file.accounts.map { $0.name.service == service ? $0.name.name : $0.name.description }
      return .notAllowed(
        "not signed in to service '\(service)'\(who): the accounts are \(names.joined(separator: ", ")); 'tw-auth login' "
          + "adds one")
    }
    let foreign = variables.hasForeignToken ? ", and the token of the environment is not for it (TW_SERVICE)" : ""
    let setting = Settings.Key.tokenFile.rawValue + (service == usual ? "" : ".\(service)")
    return .notAllowed(
      "not signed in to service '\(service)'\(who)\(foreign): \(signInAdvice(setting)); or try it all without an account: "
        + "tw-local --demo -- \(example)")
  }

  /// Checks a service's address.
  ///
  /// - Returns: the URL without a slash at its end.
  package static func checkedBase(_ endpoint: String) throws(ToolError) -> String {
    guard let address = WebAddress(endpoint), address.query == nil, !address.url.contains("#") else {
      throw .configuration("TW_ENDPOINT: '\(endpoint)' is not an http or https address")
    }
    // Every context record contains the address.
    guard !address.hasCredentials else {
      throw .configuration("TW_ENDPOINT: no user name or password may stand in the address; tokens go into TW_TOKEN")
    }
    guard address.scheme == "https" || address.isLoopback else {
      throw .configuration("TW_ENDPOINT: credentials go only over https or to this machine, not to '\(endpoint)'")
    }
    var base = address.url
    while base.hasSuffix("/") { base.removeLast() }
    return base
  }

  /// Checks what libcurl would report only at the first connection, as a fault of the service's certificate.
  private static func checkReadable(_ path: String) throws(ToolError) {
    if Descriptor(path, O_RDONLY) == nil { throw .noInput("cannot open '\(path)'", errno) }
  }
}

extension ServiceAccess {
  /// The service that a tool works for: the one that a variable or setting names, else the one that is implied; `nil`
  /// for the usual one. The parameters are those of ``impliedService(account:in:_:)``.
  package static func serviceName(
    account option: String?, in accounts: @autoclosure () -> CredentialsFile? = try? CredentialsFile.load(),
    _ settings: Settings
  ) -> String? {
    settings.variable("TW_SERVICE") ?? impliedService(account: option, in: accounts(), settings)
  }

  /// The account that is named as the tools print it: `bluesky:alice.example`.
  static func knownAccount(
    _ text: String, in accounts: @autoclosure () -> CredentialsFile?
  ) -> ServiceAccount.Name? {
    text.contains(":") ? accounts()?.accounts.first { $0.name.description == text }?.name : nil
  }

  /// The service that is meant where neither a variable nor a setting names one: that of all accounts, or of all that
  /// have the name that is asked for.
  ///
  /// - Parameter accounts: those that are signed in.
  /// - Returns: `nil` if they are of several services, or if there are none; or if a token or an address is given
  ///   beside them.
  package static func impliedService(
    account option: String?, in accounts: @autoclosure () -> CredentialsFile? = try? CredentialsFile.load(),
    _ settings: Settings
  ) -> String? {
    guard ["TW_TOKEN", "TW_TOKEN_FILE", "TW_ENDPOINT"].allSatisfy({ settings.variable($0) == nil }) else { return nil }
    // A file that cannot be read is told of by what needs it.
    guard let known = accounts()?.accounts.map(\.name) else { return nil }
    let name = option ?? settings.variable("TW_ACCOUNT")
    let services = Set(known.filter { name == nil || $0.name == name }.map(\.service))
    return services.count == 1 ? services.first : nil
  }
}

extension ServiceAccess {
  /// Milliseconds after which a request is given up.
  package static var requestTimeout: Int { 60_000 }

  /// A request to the service with what authorizes it, and with the limits of all of them: an answer comes within a
  /// minute and is not silent for half of one. A page of posts has some hundred kilobytes, so 32 MB bound what a broken
  /// server can make us hold.
  ///
  /// - Parameters:
  ///   - pathAndQuery: begins with a slash.
  ///   - other: another server's URL without a slash at its end, which gets no credential and which the person or the
  ///     kit has chosen; `nil` for the service's own.
  package func request(_ method: HTTPMethod, _ pathAndQuery: String, at other: String? = nil) -> HTTPRequest {
    var request = HTTPRequest(method, (other ?? base) + pathAndQuery, reaching: other == nil ? addresses : .any)
    request.credential = other == nil ? credential : nil
    request.caFile = caFile
    request.totalTimeout = Self.requestTimeout
    request.silenceTimeout = 30_000
    request.maxBody = 32 << 20
    return request
  }
}
