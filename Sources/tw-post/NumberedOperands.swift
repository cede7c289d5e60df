import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore

/// The operands of a command, of which some may be the numbers of tweets on this terminal. A number says more than an
/// id: of which service the tweet is, and which account saw it.
struct NumberedOperands {
  /// The operands with ids, or names of authors, in place of the numbers.
  private(set) var operands: [String] = []
  /// How people know what the numbers mean, by what stands in their place.
  private(set) var labels: [String: String] = [:]
  private(set) var service: String?
  private var account: String?
  /// What the environment and the config file say; their token and address are those of their own service.
  private let settings: Settings

  /// - Parameter names: whether names of accounts are wanted: a number then means the tweet's author.
  init(_ words: [String], asNames names: Bool, _ settings: Settings) throws(ToolError) {
    self.settings = settings
    var numbers = ShortNumbers()
    for word in words {
      guard let targets = try numbers.targets(word) else {
        if !names, try numbers.isUnknown(word) {
          Diagnostics.note("no tweet is numbered \(word) on this terminal today, so \(word) is taken for an id")
        }
        operands.append(word)
        continue
      }
      for target in targets { try append(target, names, word) }
    }
  }

  private mutating func append(_ target: TweetTarget, _ names: Bool, _ word: String) throws(ToolError) {
    guard ServiceAPIs.named(target.service) != nil else {
      throw .usage("tweet \(word) is of service '\(target.service)', to which tw-post cannot write (\(Services.names))")
    }
    let home = home(of: target)
    let owner = home ?? target.service
    if let service, service != owner {
      throw .usage("tweet \(word) is of service '\(target.service)', another one of '\(service)': name those of one")
    }
    guard let operand = names ? name(of: target, at: owner) : home == nil ? target.id : target.url else {
      throw .noInput("the author of tweet \(word) is not known")
    }
    service = owner
    account = account ?? target.account
    if labels[operand] == nil { operands.append(operand) }
    labels[operand] = names ? "@\(operand)" : target.label
  }

  /// The server of a person's account which is of the same kind as the one that has shown a tweet, if there is no
  /// account at that one: it knows the tweet by its address.
  private func home(of target: TweetTarget) -> String? {
    guard target.url != nil, let colon = target.service.firstIndex(of: ":") else { return nil }
    let kind = target.service[...colon]
    let wanted = settings.variable("TW_SERVICE")
    // A file that cannot be read is told of by what needs it.
    let services = (try? CredentialsFile.load())?.accounts.map(\.name.service) ?? []
    if wanted == target.service || services.contains(target.service) { return nil }
    if let wanted, wanted.hasPrefix(kind) { return wanted }
    let homes = Set(services.filter { $0.hasPrefix(kind) })
    return homes.count == 1 ? homes.first : nil
  }

  /// What the author of a tweet is called at a server.
  private func name(of target: TweetTarget, at owner: String) -> String? {
    guard owner != target.service, let name = target.username, !name.contains("@") else { return target.username }
    return Services.named(owner)?.userName("\(name)@\(target.service.split(separator: ":", maxSplits: 1).last ?? "")")
  }

  /// Who acts, unless an option says otherwise: the account that the environment names, else the one that saw the
  /// tweet. Of a token nobody knows whose it is. `nil` for that of the settings.
  func actingAccount() throws(ToolError) -> String? {
    guard let service else { return nil }
    if let named = Paths.environment("TW_ACCOUNT") { return named }
    guard let account, !ServiceVariables(settings, of: service, usual: Services.usual.name).hasToken else { return nil }
    return try CredentialsFile.load().account(account, service: service, base: nil) == nil ? nil : account
  }

  /// Says what the numbers mean, before anything is done.
  func announce(_ verb: String, as account: String?) {
    let who = account.map { " as @\($0)" } ?? ""
    for operand in operands { if let label = labels[operand] { Diagnostics.note("\(verb)\(who): \(label)") } }
  }
}
