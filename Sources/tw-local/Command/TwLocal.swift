import ArgumentParser
import Libc
import TweetAccounts
import TweetCLI
import TweetCore

/// `tw-local`, as its program starts it.
package enum TwLocal {
  package static func main() { LocalCommand.main() }
}

/// Starts the service and, if one is named, a command that uses it. Ends as the command did, or by a signal.
struct LocalCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-local",
    abstract: "Run a small service that answers as X, Mastodon and Bluesky do, and a command that uses it.",
    usage: "tw-local [<options>] [-- <command> ...]",
    discussion: """
      EXAMPLES:
        tw-local --demo -- bash
        tw-local --demo -- sh -c 'tw-stream -n 5 "#swift" | tw-parse | tw-render'

      With a command, it runs the command with an environment that names the service and a temporary store, and ends with \
      the status of the command. Without one, it prints variables that name the service, as assignments for a shell, and \
      serves until a signal comes.
      """,
    version: Version.number)

  @Option(help: ArgumentHelp("Listen on this port of 127.0.0.1; 0 means any free port.", valueName: "n"))
  var port: UInt16 = 0

  @Flag(help: "Fill an empty service with a conversation, and continue it.")
  var demo = false

  @Option(
    help: ArgumentHelp("How fast the demo continues: 20, 20/s, 30/m, 100/h; 0 for no new posts.", valueName: "rate"))
  var rate = Rate.slow

  @Option(
    help: ArgumentHelp(
      "How often a keep-alive is sent on a stream (default: 20s, and 30s for v1.1).", valueName: "duration"),
    transform: DurationOption.parse)
  var keepAlive: Int?

  @Option(
    help: ArgumentHelp("The length of a rate-limit window (default: 15m).", valueName: "duration"),
    transform: DurationOption.parse)
  var rateWindow = 900_000

  @Option(
    help: ArgumentHelp("Allow this many requests of each kind per window, instead of X's own numbers.", valueName: "n"))
  var rateLimit: Int?

  @Option(
    help: ArgumentHelp("Wait this long before a new stream rule takes effect (default: 0s).", valueName: "duration"),
    transform: DurationOption.parse)
  var ruleDelay = 0

  @Option(
    help: ArgumentHelp("Hold each answer back for this long (default: 0s).", valueName: "duration"),
    transform: DurationOption.parse)
  var latency = 0

  @Option(
    help: ArgumentHelp(
      "Let requests fail: 'POST /2/tweets=503:2' the first two of these. Instead of a status: \(Fault.causes).",
      valueName: "request=what[:times]"))
  var fault: [Fault] = []

  @Option(
    help: ArgumentHelp(
      "How long an access token of OAuth 2.0 lives before it must be refreshed (default: 2h).", valueName: "duration"),
    transform: DurationOption.parse)
  var tokenLife = 7_200_000

  @Option(
    help: ArgumentHelp(
      "Keep the data of the service in this file; without it they are removed at the end.", valueName: "file"))
  var db: String?

  @Argument(parsing: .postTerminator, help: ArgumentHelp("A command to run, with its arguments.", valueName: "command"))
  var command: [String] = []

  func validate() throws {
    if !rate.isPossible { throw ValidationError("--rate must be \(Rate.bounds)") }
    if let rateLimit, rateLimit < 0 { throw ValidationError("--rate-limit must not be below 0") }
  }

  @OptionGroup var messages: MessageOptions

  mutating func execute() throws(ToolError) -> ExitStatus {
    try Descriptors.requireEnough()
    let inherited = Descriptors.open()
    let events = try EventPipe()
    events.catchSignals()
    let folder = try WorkFolder()
    let ending: Ending
    do throws(ToolError) {
      ending = try serve(in: folder, events, keeping: inherited)
    } catch {
      folder.remove()
      throw error
    }
    folder.remove()
    switch ending {
    // Not an `ExitStatus`: a command's status may be one that is not in the kit's table.
    case .status(let status): Libc.exit(status)
    case .signal(let number): EventPipe.endProcess(bySignal: number)
    }
  }

  /// How the process ends: as its command did, or by the signal that ended the service.
  private enum Ending {
    case status(Int32)
    case signal(Int32)
  }

  private func serve(in folder: WorkFolder, _ events: EventPipe, keeping inherited: Set<Int32>) throws(ToolError)
    -> Ending
  {
    ProcessMemory.hide()
    let limit = Descriptors.raiseLimit()
    // What is removed at the end need not survive a crash of the machine.
    let store = try LocalStore(path: db ?? folder.path + "/service.db", syncs: db != nil)
    let (access, run) = try addAccounts(to: store)
    let listener = try Listener(port: port)
    let address = "127.0.0.1:\(listener.port)"
    let places = Descriptors.places
    let service = try Service(
      store: store, site: SiteAddress(base: "http://\(address)"), keepAlive: keepAlive.map { .milliseconds($0) },
      mostStreams: places.streams, limits: RateLimits(window: Int64(rateWindow), limit: rateLimit),
      ruleDelay: .milliseconds(ruleDelay),
      signInState: SignInState(run: run, tokenLife: Int64(tokenLife), app: access.app))
    let answers = FaultyAnswers(latency: .milliseconds(latency), faults: fault)
    let running = RunningService(
      service, listener, clients: places.clients, answers: answers, feed: feed, events: events)
    defer { running.stop() }
    if command.isEmpty {
      try printVariables(access, at: address)
      return try awaitSignal(events)
    }
    Descriptors.closeOnExec(except: inherited)
    var variables = folder.variables(access, at: address)
    try folder.write(access.accounts(at: address))
    let shell = try InteractiveShell(command, folder: folder.path)
    if let shell {
      variables.merge(shell.variables) { $1 }
      Diagnostics.note("this shell uses the service at http://\(address), as @\(access.username); 'exit' leaves it")
    }
    let child = try Descriptors.withLimit(limit) { [variables] () throws(ToolError) in
      try ChildCommand(shell?.command ?? command, variables: variables, events: events)
    }
    defer { child.returnTerminal() }
    return try awaitEnd(of: child, events)
  }

  private var feed: DemoFeed? {
    guard demo, let interval = rate.interval else { return nil }
    return DemoFeed(interval: interval)
  }

  /// Stores the demo's accounts and posts, if wanted, and the owner's account.
  /// - Returns: how commands use the owner's account, and what the service keeps of their token.
  private func addAccounts(to store: LocalStore) throws(ToolError) -> (LocalAccess, RunToken) {
    let now = Timestamp.now
    let demo = demo
    return try store.write { () throws(ToolError) in
      if demo, try store.account(named: Cast.members[0].username) == nil {
        try Conversation.store(in: store, now: now)
      }
      try Cast.addOwner(to: store, now: now, isDemo: demo)
      guard let owner = try store.account(named: Cast.owner.username) else {
        throw .bug("there is no account '\(Cast.owner.username)'")
      }
      let token = "local-" + (try Crypto.newToken())
      return (
        LocalAccess(username: owner.username, id: owner.id, token: token, app: try store.app()),
        try RunToken(token, account: owner.id)
      )
    }
  }

  /// Prints shell assignments that lead to the service, as ssh-agent(1) does. Then closes standard output, so that
  /// `eval "$(tw-local &)"` continues.
  private func printVariables(_ access: LocalAccess, at address: String) throws(ToolError) {
    var file = stat()
    let isOwn = fstat(1, &file) == 0 && file.st_mode & S_IFMT == S_IFREG && file.st_uid == geteuid()
    if isOwn, file.st_mode & 0o077 != 0 {
      // It gets tokens.
      guard fchmod(1, file.st_mode & 0o700) == 0 else {
        throw .cannotCreate("cannot keep the variables from other users: \(describe(errno: errno))")
      }
    }
    var output = RecordWriter()
    for (name, value) in access.variables(at: address) {
      output.buffer.append("export \(name)='\(value)'")
      try output.endLine()
    }
    output.buffer.append("TW_LOCAL_PID=\(getpid())")
    try output.endLine()
    try output.flush()
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    if null >= 0 {
      dup2(null, 1)
      close(null)
    }
  }

  private func awaitSignal(_ events: EventPipe) throws(ToolError) -> Ending {
    while true {
      switch try events.next() {
      case .signal(let number, _): return .signal(number)
      case .serviceFailed: throw .inputOutput("the service cannot accept connections any more")
      case .commandStopped, .commandEnded: break
      }
    }
  }

  /// Waits for the end of the command, and meanwhile forwards signals to it.
  private func awaitEnd(of child: ChildCommand, _ events: EventPipe) throws(ToolError) -> Ending {
    while true {
      switch try events.next() {
      case .signal(let number, let isFromTerminal): child.forward(number, isFromTerminal: isFromTerminal)
      case .commandStopped(let number): child.resume(after: number)
      case .serviceFailed:
        child.forward(SIGTERM, isFromTerminal: false)
        throw .inputOutput("the service cannot accept connections any more")
      case .commandEnded:
        switch child.ending {
        case .exited(let status): return .status(status)
        case .killed(let number): return .signal(number)
        }
      }
    }
  }
}

/// What a client needs to use an account.
struct LocalAccess {
  let username: String
  /// The id of the account.
  let id: Int
  let token: String
  /// The program that has a key and a secret.
  let app: Client

  /// The environment variables that lead the kit's tools to the service.
  /// - Parameter address: `127.0.0.1:PORT`.
  func variables(at address: String) -> [(name: String, value: String)] {
    [
      ("TW_SERVICE", "local"), ("TW_ENDPOINT", "http://\(address)"), ("TW_ACCOUNT", username), ("TW_TOKEN", token),
      ("TW_ALLOW_PRIVATE", address), ("TW_LOCAL_KEY", app.key), ("TW_LOCAL_SECRET", app.secret ?? ""),
      // What is read at Mastodon's server of this name, and at Bluesky, is read here.
      ("TW_ENDPOINT_MASTODON_\(MastodonView.host.uppercased())", "http://\(address)"),
      ("TW_ENDPOINT_BLUESKY", "http://\(address)"), ("TW_STREAM_BLUESKY", "http://\(address)"),
      ("TW_DIRECTORY_BLUESKY", "http://\(address)"),
    ]
  }

  /// The accounts of Mastodon and Bluesky, as the kit's file of accounts has them.
  /// - Parameter address: `127.0.0.1:PORT`.
  func accounts(at address: String) -> JSON {
    let accounts = [
      ("mastodon:\(MastodonView.host)", username, TimedID.mastodon(id)),
      ("bluesky", BlueskyName.handle(username), BlueskyName.did(id)),
    ]
    return [
      "accounts": .array(
        accounts.map { service, name, id in
          [
            "service": .string(service), "name": .string(name), "base": .string("http://\(address)"), "method": "token",
            "id": .string(id), "token": .string(token),
          ]
        })
    ]
  }
}

/// A temporary folder that only this user can read: for the data of the service and of the tools that the command runs.
struct WorkFolder {
  private let folder: TemporaryFolder
  var path: String { folder.path }

  init() throws(ToolError) { folder = try TemporaryFolder("tw-local") }

  /// Changes of the command's environment: the kit's tools use the service and keep their data in this folder. `nil`
  /// removes a variable that would lead them elsewhere.
  func variables(_ access: LocalAccess, at address: String) -> [String: String?] {
    var variables: [String: String?] = [
      "TW_TOKEN_FILE": nil, "TW_CONFIG": nil, "TW_AVATARS": nil, "TW_AVATAR_DIR": nil,
      "XDG_CONFIG_HOME": path + "/config", "XDG_DATA_HOME": path + "/data", "XDG_STATE_HOME": path + "/state",
      "TW_DB": path + "/data/tw/tw.db",
    ]
    for (name, value) in access.variables(at: address) { variables[name] = value }
    return variables
  }

  /// Writes the file of accounts that the tools of the command read.
  func write(_ accounts: JSON) throws(ToolError) {
    var buffer = ByteBuffer()
    buffer.append(accounts.bytes)
    try PrivateFile.replace(path + "/config/tw/credentials.json", with: buffer)
  }

  /// Removes the folder and everything in it.
  func remove() { folder.remove() }
}
