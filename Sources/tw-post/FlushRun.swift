import Libc
import SQLite
import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices

/// Sends what waits in the outbox: of all accounts, in order, each with its own credential.
struct FlushRun {
  private let way: WritingWay
  private let settings: Settings
  private let options: AccessOptions
  /// The writes that this run has dealt with.
  private var seen: Set<Int> = []
  private var failure: ToolError?

  init(_ way: WritingWay, _ settings: Settings, _ options: AccessOptions) {
    (self.way, self.settings, self.options) = (way, settings, options)
  }

  /// The address that the environment leads to: other services are left alone then.
  private var wantedBase: String? {
    get throws(ToolError) {
      guard let endpoint = Paths.environment("TW_ENDPOINT") else { return nil }
      return try ServiceAccess.checkedBase(endpoint)
    }
  }

  private var isNarrowed: Bool {
    get throws(ToolError) { options.identity.account != nil ? true : try wantedBase != nil }
  }

  /// - Returns: the status of the first failure. What the service refuses stays in the list, with the reason, until it
  ///   is dropped; what one account may not do does not stop the others.
  mutating func run() throws(ToolError) -> ExitStatus {
    guard Database.exists(Outbox.usualPath) else { return .done }
    let owners = settings.servicesWithTokens(usual: Services.usual.name).filter { ServiceAPIs.named($0) != nil }
    for service in options.identity.account != nil ? [nil] : owners.map(Optional.some) {
      let access = try ServiceAccess.fromEnvironment(
        ServiceAPIs.all, caFile: options.caFile, account: options.identity.account, example: "tw-post 'Hello, world'",
        of: service, settings)
      try send(access)
    }
    if options.identity.account == nil {
      let base = try wantedBase
      for account in try CredentialsFile.load().accounts where base == nil || account.base == base {
        try send(account)
      }
    }
    try reportOthers()
    return failure?.status ?? .done
  }

  private mutating func send(_ account: ServiceAccount) throws(ToolError) {
    // Its secrets are asked for only if there is something to send.
    let outbox = try Outbox(service: account.name.service, base: account.base, account: account.name.name)
    guard try outbox.open(at: .now).contains(where: { !seen.contains($0) }) else { return }
    let access: ServiceAccess
    do throws(ToolError) {
      access = try ServiceAccess(signedIn: account, settings, caFile: options.caFile)
    } catch {
      seen.formUnion(try outbox.open(at: .now))
      return note(error, "account '\(account.name)'")
    }
    try send(access)
  }

  private mutating func note(_ error: ToolError, _ what: String) {
    Diagnostics.warn("\(what): \(error.message ?? "failed")")
    failure = failure ?? error
  }

  private mutating func send(_ access: ServiceAccess) throws(ToolError) {
    let session = try WritingSession(access, way, settings)
    defer { session.removeUnusedFiles() }
    let open = try session.outbox.open(at: session.clock.now()).filter { seen.insert($0).inserted }
    var records = WrittenRecords(access)
    do throws(ToolError) {
      for id in open {
        if Interruption.signal != nil { throw Exchange.interrupted }
        switch try session.carryOut(id) {
        case .done:
          // Of several that flush at a time, the one that has sent a write prints it.
          let isOurs = session.finished.contains(id) ? true : try session.outbox.claim(id, at: session.clock.now())
          if isOurs { try session.report(id, to: &records) }
        case .refused(let error):
          if session.finished.contains(id) { note(error, "write \(id)") }
        }
      }
    } catch {
      if Interruption.signal != nil || error == .readerGone { throw error }
      try note(error, "account '\(access.service):\(access.outboxAccount())'")
    }
  }

  /// Says what waits for accounts that cannot send it now.
  private mutating func reportOthers() throws(ToolError) {
    let outbox = try Outbox(service: "", base: "", account: "")
    var counts: [(name: String, base: String, count: Int)] = []
    for line in try outbox.lines() where line.state != Outbox.State.refused.rawValue && !seen.contains(line.id) {
      if let due = line.dueAt, due > .now { continue }
      let name = "\(line.service):\(line.account)"
      if let index = counts.firstIndex(where: { $0.name == name && $0.base == line.base }) {
        counts[index].count += 1
      } else {
        counts.append((name, line.base, 1))
      }
    }
    for (name, base, count) in counts {
      let text = "\(count) \(count == 1 ? "write waits" : "writes wait") for account '\(name)' at \(base)"
      if try isNarrowed {
        Diagnostics.note("\(text) and \(count == 1 ? "is" : "are") not sent by this flush")
      } else {
        Diagnostics.warn(
          "\(text), which is not signed in: 'tw-auth login' signs in, 'tw-post outbox drop' removes them")
        failure = failure ?? .notAllowed("not signed in")
      }
    }
  }
}
