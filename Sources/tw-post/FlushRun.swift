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
  private let accounts: CrossTargets
  /// The writes that this run has dealt with.
  private var seen: Set<Int> = []
  private var failure: ToolError?

  init(_ way: WritingWay, _ accounts: CrossTargets) { (self.way, self.accounts) = (way, accounts) }

  /// The address that the environment leads to: other services are left alone then.
  private var wantedBase: String? {
    get throws(ToolError) {
      guard let endpoint = Paths.environment("TW_ENDPOINT") else { return nil }
      return try ServiceAccess.checkedBase(endpoint)
    }
  }

  private var isNarrowed: Bool {
    get throws(ToolError) { accounts.options.identity.account != nil ? true : try wantedBase != nil }
  }

  /// - Returns: the status of the first failure. What the service refuses stays in the list, with the reason, until it
  ///   is dropped; what one account may not do does not stop the others.
  mutating func run() throws(ToolError) -> ExitStatus {
    guard Database.exists(Outbox.usualPath) else { return .done }
    if let named = accounts.options.identity.account {
      try send(accounts.access(named))
    } else {
      for service in accounts.settings.servicesWithTokens(usual: Services.usual.name)
      where ServiceAPIs.named(service) != nil {
        try send(accounts.access(nil, of: service))
      }
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
    let outbox = try Outbox(
      of: Outbox.Owner(service: account.name.service, base: account.base, account: account.name.name))
    guard try outbox.open(at: .now).contains(where: { !seen.contains($0) }) else { return }
    let access: ServiceAccess
    do throws(ToolError) {
      access = try accounts.access(signedIn: account)
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
    let session = try WritingSession(access, way, accounts.settings)
    defer { session.removeUnusedFiles() }
    let open = try session.outbox.open(at: session.clock.now()).filter { seen.insert($0).inserted }
    var records = WrittenRecords(session)
    do throws(ToolError) {
      for id in open {
        if Interruption.signal != nil { throw Exchange.interrupted }
        switch try session.carryOut(id) {
        case .done:
          // Of several that flush at a time, the one that has sent a write prints it.
          let isOurs = session.finished.contains(id) ? true : try session.outbox.claim(id, at: session.clock.now())
          if isOurs { try records.report(id) }
        case .refused(let error):
          if session.finished.contains(id) { note(error, "write \(id)") }
        }
      }
    } catch {
      if Interruption.signal != nil || error == .readerGone { throw error }
      try note(error, "account '\(Outbox.Owner(access).name)'")
    }
  }

  /// Says what waits for accounts that cannot send it now.
  private mutating func reportOthers() throws(ToolError) {
    var counts: [(owner: Outbox.Owner, count: Int)] = []
    for write in try Outbox().unfinished() where write.state != .refused && !seen.contains(write.id) {
      if let due = write.dueAt, due > .now { continue }
      if let index = counts.firstIndex(where: { $0.owner == write.owner }) {
        counts[index].count += 1
      } else {
        counts.append((write.owner, 1))
      }
    }
    for (owner, count) in counts {
      let text =
        "\(count) \(count == 1 ? "write waits" : "writes wait") for account '\(owner.name)' at \(owner.base)"
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
