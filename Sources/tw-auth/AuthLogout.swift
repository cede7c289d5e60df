import ArgumentParser
import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// `tw-auth logout`: ends the sign-in at the service where that is possible, then forgets it.
struct AuthLogout: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Revoke an account's tokens at the service, and forget the account.",
    usage: "tw-auth logout [<options>] [<name>]",
    discussion: """
      EXAMPLES:
        tw-auth logout
        tw-auth logout work

      Without a name it is the account in use. The account is forgotten also if the service cannot be reached; the status is \
      then 1.
      """)

  @Argument(help: "The account.")
  var name: String?

  @OptionGroup var identity: AccountOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let settings = try Settings.load()
    let file = try CredentialsFile.load()
    let wanted = name ?? identity.name(settings)
    let account: ServiceAccount
    if let wanted {
      account = try file.named(wanted, in: settings)
    } else {
      let service = settings.value(.service) ?? Services.usual.name
      guard let used = file.account(nil, service: service, base: nil) else {
        throw .noInput("no account of service '\(service)' is signed in; 'tw-auth list' lists them")
      }
      account = used
    }
    let caFile = settings.value(.caFile)
    let fault: ToolError?
    if account.method.isRenewed {
      let tokens = TokenFile(account.name)
      // Under the lock: a tool that renews the tokens meanwhile would leave new ones, which nothing revokes.
      fault = try tokens.lock { () throws(ToolError) in
        let fault = revoke(account, caFile: caFile)
        try tokens.remove()
        return fault
      }
    } else {
      fault = revoke(account, caFile: caFile)
    }
    try CredentialsFile.change { (file) throws(ToolError) in _ = file.remove(account.name) }
    try noteWaiting(account)
    guard let fault else {
      Diagnostics.note("signed out of \(account.name.service) as \(account.name.name)")
      return .done
    }
    Diagnostics.warn("forgotten here, but not revoked at the service: \(fault.message ?? "it failed")")
    return .someBad
  }

  /// Says what nobody sends any more.
  private func noteWaiting(_ account: ServiceAccount) throws(ToolError) {
    let name = account.name
    guard let post = Programs().path(of: "post"), let answer = try ProgramAnswer.of([post, "outbox", "--quiet"])
    else { return }
    let count = answer.rows.count { $0.count > 3 && $0[1] != "refused" && $0[3] == name.description }
    if count == 0 { return }
    let what = count == 1 ? "one write of \(name) waits" : "\(count) writes of \(name) wait"
    Diagnostics.note(
      "\(what) in the outbox until the account is signed in again; 'tw-post outbox drop' removes what shall not be sent"
    )
  }

  /// - Returns: why the tokens were not revoked.
  private func revoke(_ account: ServiceAccount, caFile: String?) -> ToolError? {
    do throws(ToolError) {
      try revokeTokens(of: account, caFile: caFile)
      return nil
    } catch {
      return error
    }
  }

  /// Tokens of OAuth 1.0a, and those that came from elsewhere, have no address where a program can revoke them.
  private func revokeTokens(of account: ServiceAccount, caFile: String?) throws(ToolError) {
    guard let service = ServiceAPIs.named(account.name.service)?.signIn(at: account.base) else { return }
    let addresses = try service.api.addresses(ofAccountAt: account.base)
    if account.method == .password {
      guard let session = service.session, let refresh = try TokenFile(account.name).read()?.refresh else { return }
      var request = session.end(by: refresh, at: account.base)
      (request.caFile, request.addresses) = (caFile, addresses)
      let answer = try SignInRequest.send(request)
      if !answer.isSuccess { throw SignInRequest.refusal(answer, OAuthProblem(answer).text) }
      return
    }
    guard let id = account.clientID else { return }
    let secret = try account.clientSecret?.reveal("the client secret of account '\(account.name)'")
    switch account.method {
    case .oauth2:
      guard let url = account.revokeURL ?? service.oauth2?.revokeURL, let tokens = try TokenFile(account.name).read()
      else { return }
      var endpoint = service.endpoint(
        url, clientID: id, clientSecret: secret, caFile: caFile, reaching: addresses)
      if let key = tokens.binding?.key { endpoint = endpoint.bound(to: key) }
      for token in [tokens.refresh, tokens.access].compactMap({ $0 }) { try OAuth2SignIn.revoke(token, endpoint) }
    case .app:
      guard let secret, let url = service.application?.invalidateURL,
        let token = try account.token?.reveal("the token of account '\(account.name)'")
      else { return }
      let endpoint = service.endpoint(
        url, clientID: id, clientSecret: secret, caFile: caFile, reaching: addresses)
      try ApplicationSignIn.invalidate(token, endpoint)
    case .oauth1, .token, .password: return
    }
  }
}
