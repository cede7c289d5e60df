import Services
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// Look-ups that a person asks for by hand: neither a budget nor a ledger that cannot be written refuses them. They are
/// counted, since the service may bill them.
enum CountedLookUp {
  /// - Parameters:
  ///   - billed: what it may bill, at most.
  ///   - look: asks the service.
  ///   - ids: of what the answer has, which may be billed.
  static func run<Found>(
    _ what: String, _ billed: (kind: BilledKind, count: Int), _ access: ServiceAccess,
    _ look: () throws(ToolError) -> Found, ids: (Found) -> [String]
  ) throws(ToolError) -> Found {
    guard let budget = try ReadBudget(.unlimited, for: access) else { return try look() }
    var reservation: Ledger.Reservation?
    do throws(ToolError) {
      if case .granted(let granted) = try budget.reserve(billed.count...billed.count, of: billed.kind) {
        reservation = granted
      }
    } catch {
      Diagnostics.warn("the look-up of \(what) is not counted: \(error.message ?? "")")
    }
    let found = Result { () throws(ToolError) in try look() }
    guard let reservation else { return try found.get() }
    do throws(ToolError) {
      let ids = (try? found.get()).map(ids) ?? []
      try budget.settle(reservation, read: ids.map(PostID.key(of:)), of: billed.kind)
    } catch {
      Diagnostics.report(error)
    }
    return try found.get()
  }
}

extension ServiceUser {
  /// Asks the service whose credential it is, and counts the look-up.
  ///
  /// - Returns: as ``find(_:)``.
  static func findCounted(_ access: ServiceAccess) throws(ToolError) -> ServiceUser? {
    try CountedLookUp.run("the account", (.users, 1), access) { () throws(ToolError) in
      try find(access)
    } ids: { user in
      [user?.id].compactMap { $0 }
    }
  }
}
