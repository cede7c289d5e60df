import SQLite
import ServiceClients
import Services
import TweetCLI
import TweetCore
import TweetServices

/// Finds the copies of crossposts that a person names: by an address, an id, or `SERVICE:ID`, of any of their services.
struct NamedCopies {
  /// The accounts whose copies alone are meant; `nil` for all.
  private let wanted: [CrossTarget]?

  init(_ wanted: [CrossTarget]?) { self.wanted = wanted }

  private func isWanted(_ copy: OutboxEntry) -> Bool { wanted.map { $0.contains { $0.owner == copy.owner } } ?? true }

  /// The copies, at the accounts, of a post that is to be answered or quoted.
  ///
  /// - Parameter service: the service whose posts ids without a service name.
  func link(_ verb: Verb, _ tweet: String, _ service: String?) throws(ToolError) -> PostRun.Link {
    let outbox = try Outbox()
    guard let copy = try find(tweet, usual: service, in: outbox) else {
      throw .noInput("'\(tweet)' is not a crosspost that the outbox knows: answer it at its own service, without --to")
    }
    let copies = try counterparts(of: copy, isEnd: verb == .reply, in: outbox) ?? []
    return PostRun.Link(verb: verb, copies: Dictionary(copies.map { ($0.owner, $0) }) { $1 })
  }

  /// The copies of the posts that are to be deleted.
  ///
  /// - Returns: `nil` if no post that is named is one of several copies.
  func ofDeletion(_ named: NumberedOperands, _ accounts: CrossTargets) throws(ToolError) -> [OutboxEntry]? {
    let isNamed = !named.operands.isEmpty && named.operands != ["-"]
    guard isNamed, Database.exists(Outbox.usualPath) else {
      if wanted == nil { return nil }
      throw .usage("with --to, 'delete' needs the address or the id of a copy of a crosspost")
    }
    let outbox = try Outbox()
    let usual = wanted == nil ? named.service ?? accounts.usualService : named.service
    var all: [OutboxEntry] = []
    var others: [String] = []
    for operand in named.operands {
      guard let copy = try find(operand, usual: usual, in: outbox) else {
        others.append(operand)
        continue
      }
      guard let found = try counterparts(of: copy, in: outbox) else {
        throw .usage(
          "the threads of '\(operand)' have different numbers of posts: 'undo' takes all of them back, and --to names one "
            + "account")
      }
      let those = found.filter(isWanted)
      if let missing = wanted?.first(where: { target in !those.contains { $0.owner == target.owner } }) {
        throw .usage("'\(operand)' has no copy at \(missing.name)")
      }
      all += those.filter { copy in !all.contains { $0.id == copy.id } }
    }
    // Posts whose copies are all gone, or that are none, are named as ever.
    if wanted == nil, all.allSatisfy({ $0.isGone || $0.state == .refused }) { return nil }
    if let other = others.first {
      throw .usage("'\(other)' is not a crosspost that the outbox knows: delete it by itself")
    }
    return all
  }

  /// The copies that stand where one stands, at the accounts that are wanted and at its own.
  private func counterparts(
    of copy: OutboxEntry, isEnd: Bool = false, in outbox: borrowing Outbox
  ) throws(ToolError) -> [OutboxEntry]? {
    let copies = try outbox.copies(of: copy.group ?? copy.id).filter { $0.owner == copy.owner || isWanted($0) }
    return CopyThreads(copies).counterparts(of: copy.id, isEnd: isEnd)
  }

  /// - Parameter usual: the service whose posts ids without a service name.
  /// - Returns: the write that made a copy; `nil` if the post is none of a crosspost that the outbox knows.
  /// - Throws: `ToolError.usage` if posts of several services have the id.
  private func find(
    _ operand: String, usual: String?, in outbox: borrowing Outbox
  ) throws(ToolError) -> OutboxEntry? {
    if let copy = try outbox.copy(at: operand.hasSuffix("/") ? String(operand.dropLast()) : operand) { return copy }
    var found: [OutboxEntry] = []
    for (service, base) in try outbox.servers() {
      // A bare id is one of the usual service alone.
      let mayName = operand.contains("://") || operand.hasPrefix(service + ":") || usual == nil || service == usual
      guard mayName, let kind = ServiceAPIs.named(service)?.service,
        case .id(let id, _) = IDReader(texts: [operand], service: kind, base: base).next(),
        let copy = try outbox.copy(ofPost: id, service, base)
      else { continue }
      found.append(copy)
    }
    guard found.count > 1 else { return found.first }
    throw .usage("'\(operand)' is the id of posts of several services: name the post by its address")
  }
}
