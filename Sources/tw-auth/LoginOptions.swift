import ArgumentParser
import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices

/// Ways to sign in.
enum LoginMethod: String, CaseIterable, ExpressibleByArgument {
  /// OAuth 2.0 with PKCE, and with DPoP where the service asks for it.
  case oauth2
  /// OAuth 1.0a, with a redirect or a PIN.
  case oauth1
  /// OAuth 1.0a with a password.
  case xauth
  /// The token of an application alone.
  case app
  /// A token that came from elsewhere.
  case token
  /// A name and a password of an app, for which the service gives a session.
  case password
}

extension SignInService {
  /// The ways to sign in that the service knows, the usual one first.
  var methods: [LoginMethod] {
    let own: [(LoginMethod, Bool)] = [
      (.oauth2, oauth2 != nil), (.oauth1, oauth1 != nil), (.xauth, oauth1 != nil), (.app, application != nil),
      (.password, session != nil), (.oauth2, found != nil),
    ]
    return own.filter(\.1).map(\.0) + [.token]
  }
}

/// Where to sign in, and how.
struct LoginOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The service: x, local, mastodon:HOST or bluesky (default: $TW_SERVICE, or x).", valueName: "name"),
    completion: .list(Services.all.map(\.name).filter { !$0.contains(":") }))
  var service: String?

  @Option(help: ArgumentHelp("The address of the service, if it is not the usual one.", valueName: "url"))
  var endpoint: String?

  @Option(
    help: ArgumentHelp(
      "How to sign in (default: what the other options allow; at Bluesky a password, since oauth2 ends after two weeks).",
      valueName: "method"))
  var method: LoginMethod?

  @Option(help: ArgumentHelp("The client id of your application, or its API key.", valueName: "id"))
  var clientId: String?

  @Option(
    help: ArgumentHelp(
      "Where the browser comes back to, as your application has registered it (default: \(Self.usualRedirect)).",
      valueName: "url"))
  var redirectUri: String?

  @Option(
    help: ArgumentHelp(
      "What to ask for, separated by spaces or commas (default: all that the tools can use).", valueName: "list"))
  var scopes: String?

  @Flag(help: "The account owns the application: at X it pays less for reading its own posts and mentions.")
  var ownsApp = false

  @Flag(help: "Only print the address of the page, and read the answer from standard input.")
  var noBrowser = false

  @Option(help: ArgumentHelp("Sign in with this name and its password.", valueName: "name"))
  var user: String?

  @Option(help: ArgumentHelp("Make an account of this name at a tw-local, and sign in with it.", valueName: "name"))
  var create: String?

  @OptionGroup var secrets: SecretOptions

  static let usualRedirect = "http://127.0.0.1:8080/callback"

  func validate() throws {
    if user != nil, create != nil { throw ValidationError("--user and --create exclude each other") }
    for (option, value) in [("--user", user), ("--create", create), ("--client-id", clientId), ("--scopes", scopes)]
    where value?.isEmpty == true {
      throw ValidationError("\(option) is empty")
    }
  }

  var redirect: String { redirectUri ?? Self.usualRedirect }

  func wantedScopes(_ service: SignInService) -> [String] {
    scopes?.split { $0 == " " || $0 == "," }.map(String.init) ?? service.oauth2?.scopes
      ?? service.found?.scopes ?? []
  }

  /// The service to sign in to.
  ///
  /// - Parameter file: the accounts there are: a service on this machine is where it was before.
  func target(_ settings: Settings, _ file: CredentialsFile) throws(ToolError) -> SignInService {
    let wanted = service ?? settings.value(.service) ?? Services.usual.name
    guard let api = ServiceAPIs.named(wanted) else {
      throw .usage("--service: '\(wanted)' is not a service (\(Services.names))")
    }
    let name = api.service.name
    let known = api.findsServers ? nil : file.account(nil, service: name, base: nil)?.base
    let set = ServiceVariables(settings, of: name, usual: Services.usual.name).endpoint
    let own = settings.variable("TW_ENDPOINT_", of: name)
    guard let base = endpoint ?? own ?? set ?? known ?? api.service.usualBase else {
      throw .usage("--endpoint: service '\(name)' needs its address, \(api.service.addressAdvice)")
    }
    return api.signIn(at: try ServiceAccess.checkedBase(base))
  }

  /// The method, if no option says it.
  ///
  /// - Parameter service: services with a page that programs may answer take passwords by OAuth 2.0.
  /// - Throws: `ToolError.usage` for a method that the service does not know.
  func chosenMethod(_ service: SignInService) throws(ToolError) -> LoginMethod {
    let isPassword = user != nil || create != nil
    let chosen =
      if let method {
        method
      } else if secrets.tokenFile != nil || secrets.tokenCommand != nil {
        LoginMethod.token
      } else if service.session != nil, service.oauth2 == nil {
        LoginMethod.password
      } else if isPassword, service.oauth2?.takesPasswords != true, service.oauth1 != nil {
        LoginMethod.xauth
      } else {
        service.methods[0]
      }
    if service.methods.contains(chosen) { return chosen }
    let names = service.methods.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    throw .usage("--method: service '\(service.name)' has no sign-in by '\(chosen.rawValue)', only by \(names)")
  }
}
