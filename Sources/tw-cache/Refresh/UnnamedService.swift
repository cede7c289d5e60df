import Services
import TweetCLI
import TweetCore

/// The service of a source that names none: that of the settings; else that of the accounts, if all of them are of one;
/// else the usual one. Accounts are asked from `tw-auth`, which alone reads their file.
struct UnnamedService {
  let name: String
  /// What a person should know of the choice, after the source; `nil` if it was plain.
  let note: String?

  /// - Parameter account: of this name alone; `nil` for all.
  init(account: String?, _ settings: Settings) throws(ToolError) {
    let usual = Services.usual.name
    if let set = settings.value(.service) {
      (name, note) = (set, nil)
      return
    }
    let isGiven =
      Paths.environment("TW_TOKEN") != nil || settings.value(.tokenFile) != nil || settings.value(.endpoint) != nil
    let services = isGiven ? [] : try Self.services(account: account)
    if let only = services.first, services.count == 1 {
      name = only
      note = only == usual ? nil : "is read from service '\(only)', the only one with an account"
    } else if services.isEmpty {
      (name, note) = (usual, nil)
    } else {
      name = usual
      let others = services.filter { $0 != usual }.map { "'\($0)'" }.joined(separator: " and ")
      note = "is read from service '\(usual)'; there are accounts of \(others) too: --service names one"
    }
  }

  /// The services of the accounts, each once; none if `tw-auth` cannot tell.
  private static func services(account: String?) throws(ToolError) -> [String] {
    guard let auth = Programs().path(of: "auth"), let answer = try ProgramAnswer.of([auth, "list", "--quiet"]),
      answer.ending == .exited(0)
    else { return [] }
    var found: [String] = []
    for cells in answer.rows where cells.count > 1 && (account == nil || cells[1] == account) {
      if !found.contains(cells[0]) { found.append(cells[0]) }
    }
    return found
  }
}
