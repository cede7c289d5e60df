import TweetCLI
import TweetCore
import TweetServices
import TweetSources

extension ServiceUser {
  /// Asks the service whose credential it is, and counts the look-up, which the service may bill. A person asks for it by hand:
  /// neither a budget nor a ledger that cannot be written refuses it.
  ///
  /// - Returns: as ``find(_:)``.
  static func findCounted(_ access: ServiceAccess) throws(ToolError) -> ServiceUser? {
    guard let budget = try ReadBudget(.unlimited, for: access) else { return try find(access) }
    var reservation: Ledger.Reservation?
    do throws(ToolError) {
      if case .granted(let granted) = try budget.reserve(1...1, of: .users) { reservation = granted }
    } catch {
      Diagnostics.warn("the look-up of the account is not counted: \(error.message ?? "")")
    }
    let found = Result { () throws(ToolError) in try find(access) }
    guard let reservation else { return try found.get() }
    do throws(ToolError) {
      let user = try? found.get()
      try budget.settle(reservation, read: user.map { [PostID.key(of: $0.id)] } ?? [], of: .users)
    } catch {
      Diagnostics.report(error)
    }
    return try found.get()
  }
}
