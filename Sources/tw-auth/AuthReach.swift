import ArgumentParser
import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// `tw-auth reach`: whether services answer at all. No credential is sent, so nothing is billed.
struct AuthReach: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "reach",
    abstract: "Ask whether services answer, without an account and at no cost.",
    usage: "tw-auth reach [<options>] [<address> ...]",
    discussion: """
      EXAMPLES:
        tw-auth reach
        tw-auth reach --timeout 2s https://api.x.com

      Each line has an address, 'ok' or 'failed', by how many seconds the clock of this machine is ahead of the service's, and \
      what went wrong, with tabs between them. Without an address, those of all accounts and of the service in use are asked. \
      The status is 75 if one of them does not answer.
      """)

  @Argument(help: ArgumentHelp("The address of a service.", valueName: "address"))
  var addresses: [String] = []

  @Option(
    help: ArgumentHelp("Wait at most this long for an answer (default: 5s).", valueName: "duration"),
    transform: DurationOption.parse)
  var timeout = 5000

  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let settings = try Settings.load()
    let asked = addresses.isEmpty ? try Self.known(settings) : addresses
    if asked.isEmpty { Diagnostics.note("there is no account; 'tw-auth login' makes one") }
    let answers = try answers(of: asked, caFile: settings.value(.caFile))
    let rows = zip(asked, answers).map { address, answer in
      [address, answer.fault == nil ? "ok" : "failed", answer.clock.map { seconds($0) } ?? "-", answer.fault ?? ""]
    }
    try RecordWriter.print(rows: rows)
    return answers.allSatisfy { $0.fault == nil } ? .done : .tryLater
  }

  /// The addresses of all accounts, and the one that a token of the environment goes to, each of them once.
  private static func known(_ settings: Settings) throws(ToolError) -> [String] {
    var found: [String] = []
    for base in try CredentialsFile.load().accounts.map(\.base) where !found.contains(base) { found.append(base) }
    let isGiven = !settings.tokenPaths.isEmpty || Paths.environment("TW_TOKEN") != nil
    if isGiven || settings.value(.endpoint) != nil,
      let api = ServiceAPIs.named(settings.value(.service) ?? Services.usual.name)
    {
      if let base = settings.value(.endpoint) ?? api.service.usualBase, !found.contains(base) { found.append(base) }
    }
    return found
  }

  /// What an address answers: by how many milliseconds this machine's clock is ahead, and what is wrong.
  private typealias Answer = (clock: Int?, fault: String?)

  /// Asks all addresses at a time.
  private func answers(of addresses: [String], caFile: String?) throws(ToolError) -> [Answer] {
    var loop = try TransferLoop()
    var places: [TransferID: Int] = [:]
    var answers = addresses.map { _ in Answer(nil, "no answer") }
    for (place, address) in addresses.enumerated() {
      guard let web = WebAddress(address) else { throw .usage("'\(address)' is not an http or https address") }
      guard !web.hasCredentials else {
        throw .usage("'\(WebAddress.withoutCredentials(address))': no user name or password may stand in an address")
      }
      var request = HTTPRequest(.head, to: web, reaching: .any)
      (request.connectTimeout, request.totalTimeout, request.caFile) = (timeout, timeout, caFile)
      places[loop.start(request)] = place
    }
    while loop.count > 0, Interruption.signal == nil {
      for case .finished(let id, let end) in try loop.wait() {
        guard let place = places[id] else { continue }
        switch end {
        case .success(let response): answers[place] = Self.answer(response)
        case .failure(let error): answers[place] = (nil, error.text)
        }
      }
    }
    return answers
  }

  /// A service that refuses the request is there; one that has trouble of its own is not.
  private static func answer(_ response: HTTPResponse) -> Answer {
    (
      response.clockDifference.map { Int($0) },
      response.status >= 500 ? "it is in trouble (HTTP \(response.status))" : nil
    )
  }
}
