import TweetAccounts
import TweetCore

/// Passwords are checked and accounts are made here, for each way to sign in.
extension Service {
  private static let passwordLength = 8...128
  /// Names that paths of the site have.
  private static let reservedNames: Set = ["i"]
  /// Far more than a team needs; each has a row, and its posts.
  private static let maxAccounts = 10_000

  /// The account of a name and its password.
  /// - Parameter address: the IP address that they come from.
  nonisolated func signIn(
    _ username: String, _ password: String, from address: String
  ) async throws(SignInFault) -> LocalAccount {
    // What no account can have is wrong, and costs nothing: it is not remembered, and not hashed.
    guard Self.isUsername(username), Self.passwordLength.contains(password.utf8.count) else { throw .wrongPassword }
    let (account, hash) = try await beginTry(username, address)
    let isRight: Bool
    do throws(SignInFault) {
      // A name that does not exist takes as long as a wrong password.
      isRight = try await passwords.run(isStranger: account == nil) { () throws(ToolError) in
        try (hash ?? .demo).isHash(of: password)
      }
    } catch {
      await endTry { $0.uncount(username, from: address) }
      throw error
    }
    guard isRight, hash != nil, let account else { throw .wrongPassword }
    await endTry { $0.forget(username, from: address) }
    return account
  }

  private func beginTry(_ username: String, _ address: String) throws(SignInFault) -> (LocalAccount?, PasswordHash?) {
    try signInState.tries.count(username, from: address, now: .now)
    return try reading { () throws(ToolError) in
      guard let account = try store.account(named: username) else { return (nil, nil) }
      return (account, try store.passwordHash(of: account))
    }
  }

  private func endTry(_ change: @Sendable (inout SignInTries) -> Void) { change(&signInState.tries) }

  /// Makes an account, and its first post.
  /// - Parameters:
  ///   - name: what people see; empty for the user name.
  ///   - address: the IP address that they come from.
  nonisolated func signUp(
    _ username: String, _ password: String, name: String, from address: String
  ) async throws(SignInFault) -> LocalAccount {
    guard Self.isUsername(username), !Self.reservedNames.contains(username.lowercased()) else { throw .badName }
    guard Self.passwordLength.contains(password.utf8.count) else { throw .badPassword }
    // Before the password, which takes time.
    try await requireFreeName(username)
    try await countAccount(address)
    let hash = try await passwords.run(isStranger: true) { () throws(ToolError) in try PasswordHash(of: password) }
    return try await addAccount(username, hash, name: name)
  }

  private func countAccount(_ address: String) throws(SignInFault) {
    try signInState.tries.countAccount(from: address, now: .now)
  }

  private func requireFreeName(_ username: String) throws(SignInFault) {
    let (isTaken, count) = try reading { () throws(ToolError) in
      (try store.account(named: username) != nil, try store.accountCount())
    }
    if isTaken { throw .nameTaken }
    if count >= Self.maxAccounts { throw .tooManyAccounts }
  }

  private func addAccount(_ username: String, _ hash: PasswordHash, name: String) throws(SignInFault) -> LocalAccount {
    // Somebody may have taken the name while the password was hashed.
    try requireFreeName(username)
    let now = Timestamp.now
    let shown = String(name.unicodeScalars.filter { $0.properties.generalCategory != .control }.prefix(50))
    let account = LocalAccount(
      id: store.newID(at: now), username: username, name: shown.isEmpty ? username : shown, description: "",
      location: "", url: "", isVerified: false, createdAt: now, followers: 0, following: 0)
    let post = try reading { () throws(ToolError) in
      try store.write { () throws(ToolError) in
        try store.add(account)
        try store.setPassword(hash, of: account)
        return try store.create(Draft(author: account.id, text: "just setting up my tw"), at: now)
      }
    }
    do {
      try deliver(post)
    } catch {
      throw .failed("\(error)")
    }
    return account
  }

  /// Errors of the store as faults.
  func reading<Result>(_ body: () throws(ToolError) -> Result) throws(SignInFault) -> Result {
    do throws(ToolError) {
      return try body()
    } catch {
      throw SignInFault(error)
    }
  }
}
