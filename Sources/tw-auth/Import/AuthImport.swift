import ArgumentParser
import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

extension ImportSource: ExpressibleByArgument {}

/// `tw-auth import`: takes over accounts of X from other tools.
struct AuthImport: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take over the accounts of another tool: twurl, xurl or twarc.",
    usage: "tw-auth import [<options>] [<tool>] [<file>]",
    discussion: """
      EXAMPLES:
        tw-auth import
        tw-auth import twurl ~/old/.twurlrc

      Without a tool, the configurations of all three are looked for in your home directory. They stay as they are.
      """)

  @Argument(help: "The tool: twurl, xurl or twarc.")
  var tool: ImportSource?

  @Argument(help: "Its configuration, if it is not in the usual place.", completion: .file())
  var file: String?

  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    var count = 0
    var isIncomplete = false
    for source in tool.map({ [$0] }) ?? ImportSource.allCases {
      guard let (path, text) = try read(source) else { continue }
      for imported in source.accounts(ConfigTree(text)) {
        do throws(ToolError) {
          let name = try keep(imported, of: source)
          count += 1
          Diagnostics.note("\(name) is taken over from '\(path)'")
        } catch {
          isIncomplete = true
          Diagnostics.warn("'\(path)': \(error.message ?? "an account cannot be taken over")")
        }
      }
    }
    if count > 0, let used = try CredentialsFile.load().account(nil, service: Self.service, base: nil)?.name {
      Diagnostics.note("'\(used)' is the account in use; 'tw-auth use' changes that")
    }
    if isIncomplete { return .someBad }
    guard count > 0 else {
      let place =
        file.map { "'\($0)'" }
        ?? (tool?.paths ?? ImportSource.allCases.flatMap(\.paths))
        .map { "~/\($0)" }.joined(separator: ", ")
      throw .noInput("no account found in \(place)")
    }
    return .done
  }

  private func read(_ source: ImportSource) throws(ToolError) -> (path: String, text: String)? {
    if let file {
      guard let bytes = try StateFile.read(file) else { throw .noInput("cannot open '\(file)': no such file") }
      return (file, String(decoding: bytes, as: UTF8.self))
    }
    guard let home = Paths.environment("HOME") else { throw .noInput("HOME is not set: name the file") }
    for path in source.paths.map({ "\(home)/\($0)" }) {
      // `.xurl` may be a directory.
      if let bytes = try? StateFile.read(path) { return (path, String(decoding: bytes, as: UTF8.self)) }
    }
    return nil
  }

  /// The tools whose files are read know X alone.
  private static let service = "x"

  private func keep(_ imported: ImportedAccount, of tool: ImportSource) throws(ToolError) -> ServiceAccount.Name {
    let settings = try Settings.load()
    // The setting belongs to the service that is set.
    let endpoint = settings.value(.service) ?? Services.usual.name == Self.service ? settings.value(.endpoint) : nil
    let base = try ServiceAccess.checkedBase(endpoint ?? Services.named(Self.service)?.usualBase ?? "")
    func named(_ name: String, _ method: ServiceAccount.Method) -> ServiceAccount {
      ServiceAccount(ServiceAccount.Name(service: Self.service, name: name), base: base, method: method)
    }
    var account: ServiceAccount
    var tokens: TokenFile.Tokens?
    switch imported {
    case .signing(let name, let signature):
      account = named(name ?? "user", .oauth1)
      // The token begins with the user's id.
      account.userID = signature.token.flatMap { $0.split(separator: "-").first.map(String.init) }
      if name == nil { account.name.name = ask(account, signature) ?? account.userID ?? "user" }
      account.clientID = signature.consumerKey
      account.clientSecret = .text(signature.consumerSecret)
      account.token = signature.token.map { .text(Secret($0)) }
      account.tokenSecret = signature.tokenSecret.map { .text($0) }
    case .bearer(let token, let name, let key):
      account = named(name, .app)
      account.clientID = key
      account.token = .text(Secret(bearer: token))
    case .renewing(let name, let clientID, let secret, let access, let refresh, let seconds):
      guard let clientID else {
        throw .configuration("account '\(name)' has no client_id there: sign in with 'tw-auth login --client-id ID'")
      }
      account = named(name, .oauth2)
      account.clientID = clientID
      account.clientSecret = secret.map { .text(Secret($0)) }
      tokens = TokenFile.Tokens(
        access: Secret(access), refresh: refresh.map { Secret($0) },
        expiresAt: seconds.map { Timestamp(milliseconds: $0 * 1000) })
    }
    return try CredentialsFile.change { (file) throws(ToolError) in
      // Two tools may call different accounts the same.
      if let other = file.accounts.first(where: { $0.name == account.name }), !other.isSame(as: account) {
        account.name.name += "-\(tool.rawValue)"
      }
      if let tokens {
        let file = TokenFile(account.name)
        try file.lock { () throws(ToolError) in
          // What was imported before may have been renewed since, and a refresh token works once.
          if let known = try file.read()?.expiresAt, let new = tokens.expiresAt, known >= new { return }
          try file.write(tokens)
        }
      }
      // Who has an account keeps acting as that one.
      file.insert(account, replacesUsed: false)
      return account.name
    }
  }

  /// The name of the user whose tokens they are, as the service says; `nil` if it cannot be asked.
  private func ask(_ account: ServiceAccount, _ signature: OAuth1Signature) -> String? {
    guard let api = ServiceAPIs.named(account.name.service) else { return nil }
    do throws(ToolError) {
      let access = try ServiceAccess(
        api, account, base: account.base, credential: SigningCredential(signature, at: account.base), caFile: nil)
      return try ServiceUser.findCounted(access)?.name
    } catch {
      Diagnostics.note("the name of an account is not known: \(error.message ?? "the service does not say it")")
      return nil
    }
  }
}

extension ServiceAccount {
  /// Whether two accounts of one name are of one user and one sign-in, so that one may replace the other.
  fileprivate func isSame(as other: ServiceAccount) -> Bool {
    method == other.method && clientID == other.clientID && (method == .oauth2 || token == other.token)
  }
}
