import Services
import TweetCore
import TweetServices

/// What a plugin is started with, and what tw-stream does for it (tw-source(7)).
struct PluginSetup {
  /// The SOURCE.
  let feed: String
  /// The part before its colon: the plugin's name, and that of its service.
  let name: String
  /// The only argument of the program.
  let argument: String
  /// The file that is the program's standard input, `-` for that of this process; `nil` for nothing.
  let input: String?
  /// Variables of its environment that do not change; `nil` removes one.
  var variables: [String: String?] = [:]
  /// The token of the plugin's account. It is asked for at each start, since tokens expire.
  var token: () throws(ToolError) -> Secret? = { () throws(ToolError) in nil }
  /// Whether it makes one poll round. If not, it is started again after a failure that may pass.
  var isOnce = false
  var checkpoints: Checkpoints?
  /// What bounds the posts, if the plugin's service bills them; `nil` for no bound and no count.
  var budget: PluginBudget?
  /// Whether the kit itself knows a service of that name.
  private let isKnown: @Sendable (String) -> Bool

  /// What comes after the plugin's name if it is to look posts up: `ids:FILE`.
  private static let lookUp = "ids:"

  /// - Parameters:
  ///   - feed: the SOURCE `name:rest`.
  ///   - isKnown: whether the kit itself knows a service of that name.
  /// - Throws: `ToolError.usage` for `ids:` without a file.
  init(
    feed: String, name: String, rest: String, isKnown: @escaping @Sendable (String) -> Bool
  ) throws(ToolError) {
    self.feed = feed
    self.isKnown = isKnown
    self.name = name
    guard rest.hasPrefix(Self.lookUp) else {
      (argument, input) = (rest, nil)
      return
    }
    let path = String(rest.dropFirst(Self.lookUp.count))
    if path.isEmpty { throw .usage("'\(feed)' needs a file; '\(name):ids:-' is standard input") }
    (argument, input) = (Self.lookUp + "-", path)
  }

  /// What its records may concern.
  var authority: RecordAuthority { RecordAuthority(ofPlugin: name, feed: feed, isKnown: isKnown) }

  /// Whether it is started again after a failure that may pass. What it has read of its input is gone.
  var isRestarted: Bool { !isOnce && input == nil }

  /// The name of its program.
  var program: String { "tw-source-\(name)" }

  /// The path of its program.
  /// - Throws: `ToolError.usage` when there is no such program.
  func path() throws(ToolError) -> String {
    if let path = Programs().path(of: "source-\(name)") { return path }
    throw .usage("source '\(feed)' needs the program '\(program)', which is neither beside this one nor on PATH")
  }
}

/// How many posts of a plugin's service may be read.
struct PluginBudget: Sendable {
  /// What the user wants; `nil` for the default.
  let wanted: BudgetBound?
  /// Whether it bounds the plugin although it names no price, since the command line says so.
  let isWanted: Bool
  private let bill: Ledger.Bill
  /// A day, where nobody says a bound: what posts cost is known only when the plugin runs.
  private static let usualPosts = 1_000

  /// - Parameters:
  ///   - account: what the reads are counted by; empty for an account without a name.
  init(_ wanted: BudgetBound?, isWanted: Bool, service: String, account: String) {
    self.wanted = wanted
    self.isWanted = isWanted
    // Nothing tells which application a plugin is, so each account has a bill of its own.
    bill = Ledger.Bill(service: service, app: account, account: account)
  }

  /// - Parameter price: of a post, as the plugin says it; `nil` if it says none.
  func budget(price: Money?) -> ReadBudget? {
    guard wanted != nil || price != nil else { return nil }
    return ReadBudget(wanted ?? .posts(Self.usualPosts, .day), bill, prices: price.map { PriceTable(post: $0) })
  }
}
