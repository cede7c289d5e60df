import Libc
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// One sign-in, from the person's answer to the account on disk.
struct Login {
  let service: SignInService
  let options: LoginOptions
  private let wantedName: String?
  let caFile: String?
  private let file: CredentialsFile

  init(
    _ service: SignInService, _ options: LoginOptions, account: String?, caFile: String?, _ file: CredentialsFile
  ) {
    (self.service, self.options, wantedName, self.caFile, self.file) = (service, options, account, caFile, file)
  }

  /// - Returns: the name that the account is kept under.
  func run(_ method: LoginMethod) throws(ToolError) -> ServiceAccount.Name {
    switch method {
    case .oauth2:
      if let oauth2 = service.oauth2 { return try signIn(by: oauth2) }
      if let found = service.found { return try signIn(by: found) }
    case .oauth1: if let oauth1 = service.oauth1 { return try signIn(by: oauth1) }
    case .xauth: if let oauth1 = service.oauth1 { return try signInByPassword(oauth1) }
    case .app: if let application = service.application { return try signIn(by: application) }
    case .token: return try token()
    case .password: if let session = service.session { return try signIn(by: session) }
    }
    throw .bug("a sign-in by \(method.rawValue), which service '\(service.name)' does not know")
  }

  // MARK: OAuth 2.0

  private func signIn(by oauth2: OAuth2Service) throws(ToolError) -> ServiceAccount.Name {
    let (clientID, stored) = try client(oauth2)
    let secret = try stored?.reveal("the client secret")
    let signIn = try OAuth2SignIn(
      oauth2, at: service, clientID: clientID, clientSecret: secret,
      redirect: options.noBrowser ? oauth2.codePage ?? options.redirect : options.redirect,
      scopes: options.wantedScopes(service), caFile: caFile)
    if let name = options.create ?? options.user {
      guard oauth2.takesPasswords else {
        throw .usage("service '\(service.name)' takes no password by OAuth 2.0: --method xauth, or its page")
      }
      let password = try options.secrets.password(of: name)
      return try keep(signIn.answerPage(name, password: password, creates: options.create != nil), clientID, stored)
    }
    return try askPerson(page: signIn.page, signIn.read(pasted:), signIn.read) { (code) throws(ToolError) in
      try keep(signIn.exchange(code), clientID, stored)
    }
  }

  private func keep(
    _ answer: TokenAnswer, _ clientID: String, _ clientSecret: StoredSecret?
  ) throws(ToolError) -> ServiceAccount.Name {
    let user = try user(FixedCredential(bearer: answer.tokens.access, at: service.base), clientID)
    var account = ServiceAccount(name(user), base: service.base, method: .oauth2)
    account.userID = user?.id
    account.scopes = answer.scopes ?? options.wantedScopes(service)
    account.clientID = clientID
    account.clientSecret = clientSecret
    let tokens = TokenFile(account.name)
    try tokens.lock { () throws(ToolError) in try tokens.write(answer.tokens) }
    return try keep(account)
  }

  /// The client id and its secret: of the options, of an account that is signed in, registered, or typed.
  private func client(_ oauth2: OAuth2Service) throws(ToolError) -> (id: String, secret: StoredSecret?) {
    let secret = try options.secrets.clientSecret()
    if let id = options.clientId { return (id, secret) }
    let known = file.accounts.first {
      $0.name.service == service.name && $0.base == service.base && $0.method == .oauth2
    }
    // A registration is for the redirect and the scopes that it was made with.
    var isRegistered = false
    if case .registered = oauth2.client { isRegistered = options.redirectUri != nil || options.scopes != nil }
    if !isRegistered, let known, let id = known.clientID { return (id, secret ?? known.clientSecret) }
    switch oauth2.client {
    case .known(let id): return (id, secret)
    case .registered(let registration): return try register(registration)
    case .ofPerson: break
    }
    let place = service.portal.map { " (\($0) gives you one)" } ?? ""
    guard let id = try Prompt.ask("client id of your application\(place)", isSecret: false), !id.isEmpty else {
      throw .usage("--client-id: service '\(service.name)' needs the client id of your application\(place)")
    }
    return (id, secret)
  }

  private func register(
    _ registration: any ClientRegistration
  ) throws(ToolError) -> (id: String, secret: StoredSecret?) {
    var request = registration.request(redirect: options.redirect, scopes: options.wantedScopes(service))
    request.caFile = caFile
    let answer = try SignInRequest.send(request)
    guard answer.isSuccess, let client = registration.client(in: answer) else {
      throw SignInRequest.refusal(answer, "the service registers no application: \(OAuthProblem(answer).text)")
    }
    return (client.id, client.secret.map { .text($0) })
  }

  // MARK: OAuth 1.0a

  private func signIn(by oauth1: OAuth1Service) throws(ToolError) -> ServiceAccount.Name {
    let (key, stored) = try keyAndSecret()
    if options.secrets.tokenFile != nil { return try readyTokens(key, stored) }
    let signIn = OAuth1SignIn(oauth1, key: key, secret: try stored.reveal("the API key's secret"), caFile: caFile)
    let wish = try signIn.begin(callback: options.noBrowser ? "oob" : options.redirect)
    return try askPerson(page: wish.page, wish.read(pasted:), wish.read) { (verifier) throws(ToolError) in
      try keep(signIn.exchange(wish, verifier), key, stored)
    }
  }

  private func signInByPassword(_ oauth1: OAuth1Service) throws(ToolError) -> ServiceAccount.Name {
    guard let name = options.user else {
      let advice = "--create makes an account at a tw-local, such as that of 'tw-local --demo -- bash'"
      throw .usage(options.create == nil ? "--method xauth needs --user" : advice)
    }
    let (key, stored) = try keyAndSecret()
    let signIn = OAuth1SignIn(oauth1, key: key, secret: try stored.reveal("the API key's secret"), caFile: caFile)
    let password = try options.secrets.password(of: name)
    return try keep(try signIn.signIn(name, password: password), key, stored)
  }

  private func keyAndSecret() throws(ToolError) -> (key: String, secret: StoredSecret) {
    guard let key = options.clientId else {
      throw .usage("--client-id: this method needs the API key of your application")
    }
    return (key, try options.secrets.requiredClientSecret())
  }

  private func keep(
    _ access: OAuth1SignIn.Access, _ key: String, _ secret: StoredSecret
  ) throws(ToolError) -> ServiceAccount.Name {
    var account = ServiceAccount(name(access.name), base: service.base, method: .oauth1)
    account.userID = access.userID
    account.clientID = key
    account.clientSecret = secret
    account.token = .text(access.token)
    account.tokenSecret = .text(access.tokenSecret)
    return try keep(account)
  }

  /// The token and its secret that X's portal shows for one's own account.
  private func readyTokens(_ key: String, _ secret: StoredSecret) throws(ToolError) -> ServiceAccount.Name {
    let lines = try options.secrets.tokenLines()
    guard lines.count == 2 else {
      throw .badData("for OAuth 1.0a the file has two lines: the access token and its secret")
    }
    let signature = OAuth1Signature(
      consumerKey: key, consumerSecret: try secret.reveal("the API key's secret"), token: lines[0].exposed,
      tokenSecret: lines[1])
    let user = try user(SigningCredential(signature, at: service.base), key)
    return try keep(
      OAuth1SignIn.Access(token: lines[0], tokenSecret: lines[1], userID: user?.id, name: user?.name), key, secret)
  }

  // MARK: Sessions

  private func signIn(by session: any SessionService) throws(ToolError) -> ServiceAccount.Name {
    let name = try personsName()
    let password = try options.secrets.password(of: name, called: session.passwordName)
    let opened = try session.begin(name, password: password, at: service.base, caFile: caFile)
    var account = ServiceAccount(self.name(opened.user), base: opened.base, method: .password)
    account.userID = opened.user.id
    let tokens = TokenFile(account.name)
    try tokens.lock { () throws(ToolError) in try tokens.write(opened.tokens) }
    return try keep(account)
  }

  /// The name that the person signs in with, of the options or typed.
  func personsName() throws(ToolError) -> String {
    if options.create != nil { throw .usage("service '\(service.name)' makes no accounts by this (--create)") }
    if let given = options.user { return given }
    guard let typed = try Prompt.ask("your name at \(service.name)", isSecret: false), !typed.isEmpty else {
      throw .usage("whose account? tw-auth login --service \(service.name) NAME")
    }
    return typed
  }

  // MARK: Tokens

  private func signIn(by application: ApplicationService) throws(ToolError) -> ServiceAccount.Name {
    let (key, stored) = try keyAndSecret()
    let secret = try stored.reveal("the API key's secret")
    let token = try ApplicationSignIn.token(
      service.endpoint(application.tokenURL, clientID: key, clientSecret: secret, caFile: caFile, reaching: .any))
    let name = ServiceAccount.Name(service: service.name, name: wantedName ?? "app")
    var account = ServiceAccount(name, base: service.base, method: .app)
    account.clientID = key
    account.clientSecret = stored
    account.token = .text(token)
    return try keep(account)
  }

  private func token() throws(ToolError) -> ServiceAccount.Name {
    let stored: StoredSecret
    let given = ServiceVariables(try Settings.load(), of: service.name, usual: Services.usual.name).token
    if let command = options.secrets.tokenCommand {
      stored = .command(command)
    } else if options.secrets.tokenFile == nil, let given {
      stored = .text(Secret(given))
    } else {
      stored = .text(try options.secrets.tokenLines()[0])
    }
    let token = Secret(bearer: try stored.reveal("the token").exposed)
    guard token.isToken else { throw .badData("the token has white space or other characters that no token has") }
    let user = try user(FixedCredential(bearer: token, at: service.base), nil)
    var account = ServiceAccount(
      ServiceAccount.Name(service: service.name, name: wantedName ?? user?.name ?? "app"), base: service.base,
      method: .token)
    account.userID = user?.id
    if case .command = stored { account.token = stored } else { account.token = .text(token) }
    return try keep(account)
  }

  // MARK: Parts

  /// Shows the page to the person, and finishes the sign-in while the browser waits.
  ///
  /// - Parameter finish: exchanges the code and keeps the account. The browser shows what came of it.
  func askPerson(
    page: String, _ readPasted: (String) -> OAuth2SignIn.Answer,
    _ read: ([(name: String, value: String)]) -> OAuth2SignIn.Answer,
    _ finish: (Secret) throws(ToolError) -> ServiceAccount.Name
  ) throws(ToolError) -> ServiceAccount.Name {
    if options.noBrowser {
      Prompt.show(page, "open this page in a browser, sign in, and allow it:")
      let text = try Prompt.pasted("the address that the browser ends at, or the code")
      switch readPasted(text) {
      case .code(let code): return try finish(code)
      case .foreign: throw .notAllowed("not signed in: that is the answer to another sign-in (another state)")
      case .refused(let reason): throw .notAllowed("not signed in: \(reason)")
      }
    }
    var listener = try RedirectListener(options.redirect)
    Prompt.show(page, "sign in on this page, and allow it:")
    // The page's address has been printed, so a failure costs nothing.
    WebBrowser.open(page)
    while true {
      let redirect = try listener.next(within: Self.patience)
      switch read(redirect.parameters) {
      case .foreign:
        redirect.answer(
          "This is not the sign-in that waits", "tw-auth waits for the answer to another page. Sign in on that one.",
          isGood: false)
        Diagnostics.warn("the browser brought the answer to another sign-in (another state): still waiting")
      case .refused(let reason):
        redirect.answer("You are not signed in", "\(reason). You can close this page.", isGood: false)
        throw .notAllowed("not signed in: \(reason)")
      case .code(let code):
        do throws(ToolError) {
          let name = try finish(code)
          redirect.answer("You are signed in", "You can close this page and go back to the terminal.", isGood: true)
          return name
        } catch {
          redirect.answer("You are not signed in", error.message ?? "The sign-in has failed.", isGood: false)
          throw error
        }
      }
    }
  }

  /// Ten minutes: time to find a password, and a second factor.
  private static let patience = 600_000

  /// Whose credential it is; `nil` if it is of no user, or may not ask.
  ///
  /// - Parameter app: the application's client id or API key, if it is known.
  private func user(_ credential: any Credential, _ app: String?) throws(ToolError) -> ServiceUser? {
    var nobody = ServiceAccount(
      ServiceAccount.Name(service: service.name, name: wantedName ?? ""), base: service.base, method: .token)
    nobody.clientID = app
    let access = try ServiceAccess(service.api, nobody, base: service.base, credential: credential, caFile: caFile)
    return try ServiceUser.findCounted(access)
  }

  func name(_ user: ServiceUser?) -> ServiceAccount.Name { name(user?.name) }

  private func name(_ user: String?) -> ServiceAccount.Name {
    ServiceAccount.Name(service: service.name, name: wantedName ?? user ?? "user")
  }

  func keep(_ account: ServiceAccount) throws(ToolError) -> ServiceAccount.Name {
    var account = account
    account.ownsApp = options.ownsApp
    try CredentialsFile.change { (file) throws(ToolError) in file.insert(account) }
    // An account of this name whose tokens were renewed has left them.
    if !account.method.isRenewed {
      let tokens = TokenFile(account.name)
      try tokens.lock { () throws(ToolError) in try tokens.remove() }
    }
    return account.name
  }
}

/// OAuth 2.0 at a server that is found by the name of an account.
extension Login {
  func signIn(by found: any FoundOAuth) throws(ToolError) -> ServiceAccount.Name {
    let name = try personsName()
    let scopes = options.wantedScopes(service)
    let clientID =
      if let given = options.clientId { given } else { try found.clientID(redirect: options.redirect, scopes: scopes) }
    let server = try found.find(name, at: service.base, caFile: caFile)
    let key = try ES256Key()
    let signIn = try OAuth2SignIn(
      at: server, of: service, key: key, clientID: clientID, redirect: options.redirect, scopes: scopes, caFile: caFile)
    let page = try signIn.pushedPage(server.pushURL, name: server.user.name)
    return try askPerson(page: page, signIn.read(pasted:), signIn.read) { (code) throws(ToolError) in
      let answer = try signIn.exchange(code)
      let end = Timestamp(milliseconds: Timestamp.now.milliseconds + found.lifetime)
      let kept = try keep(answer, server, key, end, clientID)
      note(end, found, missing: scopes.filter { answer.scopes?.contains($0) == false })
      return kept
    }
  }

  private func keep(
    _ answer: TokenAnswer, _ server: AuthorizationServer, _ key: ES256Key, _ end: Timestamp, _ clientID: String
  ) throws(ToolError) -> ServiceAccount.Name {
    // Another account's server could sign a person in as somebody else.
    guard let user = answer.user, user == server.user.id else {
      throw .notAllowed(
        "not signed in: the server answers for \(answer.user ?? "nobody"), and not for \(server.user.id)")
    }
    guard answer.scopes?.contains("atproto") == true else {
      throw .notAllowed("not signed in: the server has allowed nothing that the tools can use")
    }
    var account = ServiceAccount(name(server.user), base: server.base, method: .oauth2)
    account.userID = user
    account.scopes = answer.scopes ?? []
    account.clientID = clientID
    (account.tokenURL, account.revokeURL) = (server.tokenURL, server.revokeURL)
    var bound = answer.tokens
    bound.binding = TokenFile.Binding(key: key, user: user, endsAt: end)
    let tokens = TokenFile(account.name)
    try tokens.lock { () throws(ToolError) in try tokens.write(bound) }
    return try keep(account)
  }

  private func note(_ end: Timestamp, _ found: any FoundOAuth, missing: [String]) {
    Diagnostics.note(
      "this sign-in ends on \(end.rfc3339.prefix(10)): run the same command then; \(found.lastingAdvice)")
    if !missing.isEmpty {
      Diagnostics.warn("not allowed, so that some commands will not work: \(missing.joined(separator: " "))")
    }
  }
}
