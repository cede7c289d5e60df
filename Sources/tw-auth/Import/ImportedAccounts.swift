import TweetAccounts
import TweetCore
import TweetServices

/// The tools whose accounts can be taken over.
enum ImportSource: String, CaseIterable {
  case twurl, xurl, twarc

  /// Where the tool keeps its configuration, below the home directory; the first that is there counts.
  var paths: [String] {
    switch self {
    case .twurl: [".twurlrc"]
    case .xurl: [".xurl/auth.yml", ".xurl"]
    case .twarc: [".config/twarc/config", ".twarc"]
    }
  }

  /// The accounts in the tool's configuration, the one first that it uses by default.
  func accounts(_ tree: ConfigTree) -> [ImportedAccount] {
    switch self {
    case .twurl: Self.twurl(tree)
    case .xurl: Self.xurl(tree)
    case .twarc: Self.twarc(tree)
    }
  }

  /// `profiles: NAME: KEY: {username, consumer_key, consumer_secret, token, secret}`, `bearer_tokens: KEY: TOKEN`
  /// (twurl's rcfile.rb).
  /// `configuration: default_profile: [NAME, KEY]` is the default.
  private static func twurl(_ tree: ConfigTree) -> [ImportedAccount] {
    var accounts: [ImportedAccount] = []
    let usual = tree["configuration"]?["default_profile"]
    for (name, keys) in first(usual?.text("0"), of: tree["profiles"]) {
      for (key, profile) in first(usual?.text("1"), of: keys) {
        let account = ImportedAccount.signing(
          profile.text("username") ?? name, key: profile.text("consumer_key") ?? key,
          profile.text("consumer_secret"), profile.text("token"), profile.text("secret"))
        if let account { accounts.append(account) }
      }
    }
    for (key, token) in tree["bearer_tokens"]?.members ?? [] {
      if case .text(let text) = token { accounts.append(.bearer(text, name: "app", key: key)) }
    }
    return accounts
  }

  /// One application, as older versions keep it, or a map `apps` (xurl's store/tokens.go); `default_app` and an
  /// application's `default_user` are the default.
  private static func xurl(_ tree: ConfigTree) -> [ImportedAccount] {
    guard tree["apps"] != nil else { return xurlApp(tree) }
    return first(tree.text("default_app"), of: tree["apps"]).flatMap { xurlApp($0.value) }
  }

  /// The members of a map, that of a name first.
  private static func first(_ name: String?, of map: ConfigTree?) -> [(name: String, value: ConfigTree)] {
    let members = map?.members ?? []
    return members.filter { $0.name == name } + members.filter { $0.name != name }
  }

  private static func xurlApp(_ app: ConfigTree) -> [ImportedAccount] {
    var accounts: [ImportedAccount] = []
    for (name, entry) in first(app.text("default_user"), of: app["oauth2_tokens"]) {
      guard let token = entry["oauth2"], let access = token.text("access_token") else { continue }
      accounts.append(
        .renewing(
          name, clientID: app.text("client_id"), secret: app.text("client_secret"), access: access,
          refresh: token.text("refresh_token"), expiresAt: token.text("expiration_time").flatMap { Int64($0) }))
    }
    for member in ["oauth1_token", "oauth1_tokens"] {
      guard let token = app[member]?["oauth1"], let key = token.text("consumer_key") else { continue }
      let account = ImportedAccount.signing(
        nil, key: key, token.text("consumer_secret"), token.text("access_token"), token.text("token_secret"))
      if let account { accounts.append(account) }
    }
    if let token = app["bearer_token"]?.text("bearer") { accounts.append(.bearer(token, name: "app", key: nil)) }
    return accounts
  }

  /// Names and values, in sections or without (twarc's client.py, twarc2's click configuration). The first section is
  /// the default.
  private static func twarc(_ tree: ConfigTree) -> [ImportedAccount] {
    let sections = [("", tree)] + tree.members.map { ($0.name, $0.value) }
    var accounts: [ImportedAccount] = []
    for (section, values) in sections {
      if let key = values.text("consumer_key") {
        let account = ImportedAccount.signing(
          nil, key: key, values.text("consumer_secret"), values.text("access_token"),
          values.text("access_token_secret"))
        if let account { accounts.append(account) }
      }
      if let token = values.text("bearer_token") {
        accounts.append(.bearer(token, name: ["", "main"].contains(section) ? "app" : section, key: nil))
      }
    }
    return accounts
  }
}

/// An account of another tool.
enum ImportedAccount {
  /// Its name is asked for at the service if the configuration does not say it.
  case signing(name: String?, OAuth1Signature)
  case bearer(String, name: String, key: String?)
  case renewing(
    String, clientID: String?, secret: String?, access: String, refresh: String?, expiresAt: Int64?)

  /// - Returns: `nil` if a part is missing.
  static func signing(
    _ name: String?, key: String, _ consumerSecret: String?, _ token: String?, _ secret: String?
  ) -> ImportedAccount? {
    guard let consumerSecret, let token, let secret else { return nil }
    return .signing(
      name: name,
      OAuth1Signature(
        consumerKey: key, consumerSecret: Secret(consumerSecret), token: token, tokenSecret: Secret(secret)))
  }
}
