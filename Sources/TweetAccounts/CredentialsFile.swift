import Libc
package import TweetCore

/// The accounts of `$XDG_CONFIG_HOME/tw/credentials.json`: `{"accounts":[{…},…]}`, a line an account.
///
/// Of the accounts of a service the first is the one in use. Members that this version does not know are kept.
package struct CredentialsFile: Sendable {
  package private(set) var accounts: [ServiceAccount]
  private var unknown: [ServiceAccount.Member]
  private let path: String

  /// The accounts in the file; none when there is no file.
  ///
  /// - Throws: `ToolError.configuration` for a file that others may read, or that is no such file.
  package static func load() throws(ToolError) -> CredentialsFile {
    let path = Paths.credentials
    return try CredentialsFile(bytes: PrivateFile.read(path) ?? [], path: path)
  }

  /// - Parameter path: what messages call the file, and where it is saved.
  package init(bytes: [UInt8], path: String) throws(ToolError) {
    self.path = path
    accounts = []
    unknown = []
    if bytes.isEmpty { return }
    let document: JSONDocument
    do throws(JSONFault) {
      document = try JSONDocument(bytes)
    } catch {
      throw .configuration("'\(path)' is not JSON: \(error.reason)")
    }
    let root = document.root
    guard root.isObject, let list = root["accounts"], list.isArray else {
      throw .configuration("'\(path)' has no list 'accounts'")
    }
    for (key, value) in root.members where !key.equals("accounts") {
      unknown.append(ServiceAccount.Member(name: key.string ?? "", json: value.rawText))
    }
    for (index, object) in list.elements.enumerated() {
      guard let account = ServiceAccount(object) else {
        throw .configuration(
          "'\(path)': account \(index + 1) lacks its service, name, base or method, or has one that is unknown")
      }
      accounts.append(account)
    }
  }

  /// Changes the file: reads it, has `body` change it, and replaces it, all under a lock, so that changes by two programs
  /// at a time are both kept.
  package static func change<Result>(
    _ body: (inout CredentialsFile) throws(ToolError) -> Result
  ) throws(ToolError) -> Result {
    try FileLock.hold(Paths.stateDirectory + "/credentials.lock") { (_) throws(ToolError) in
      var file = try load()
      let result = try body(&file)
      var buffer = ByteBuffer()
      file.append(to: &buffer)
      try PrivateFile.replace(file.path, with: buffer)
      return result
    }
  }

  /// Adds an account, or replaces the one of its name, and makes it the one in use of its service. An application's becomes
  /// that only if it was, or if it is the only one: it has no home timeline, and cannot write.
  package mutating func insert(_ account: ServiceAccount) {
    var account = account
    let service = account.name.service
    let used = self.account(nil, service: service, base: nil)?.name
    if let old = remove(account.name) { account.unknown = old.unknown }
    let isUsed = account.method != .app || used == nil || used == account.name
    accounts.insert(account, at: isUsed ? 0 : accounts.count)
  }

  /// - Returns: the account that was removed; `nil` when there is none of that name.
  @discardableResult
  package mutating func remove(_ name: ServiceAccount.Name) -> ServiceAccount? {
    accounts.firstIndex { $0.name == name }.map { accounts.remove(at: $0) }
  }

  /// Makes an account the one in use of its service.
  package mutating func use(_ name: ServiceAccount.Name) {
    if let account = remove(name) { accounts.insert(account, at: 0) }
  }

  /// The account that a person means.
  ///
  /// - Parameters:
  ///   - name: `jack`, `@jack` or `x:jack`; `nil` is the account in use.
  ///   - service: the service in use.
  ///   - base: the address that requests go to, if it is not the accounts' own to say: a credential goes to no other.
  /// - Returns: `nil` when no account fits.
  package func account(_ name: String?, service: String, base: String?) -> ServiceAccount? {
    let fitting = accounts.filter { $0.name.service == service && (base == nil || $0.base == base) }
    guard let name else { return fitting.first }
    let bare = name.hasPrefix("@") ? String(name.dropFirst()) : name
    return fitting.first { $0.name.name == bare } ?? fitting.first { $0.name.description == bare }
      // Names on X and most other services are the same in small and capital letters.
      ?? fitting.first { $0.name.name.lowercased() == bare.lowercased() }
  }

  private func append(to buffer: inout ByteBuffer) {
    buffer.append("{\"accounts\":[")
    for (index, account) in accounts.enumerated() {
      buffer.append(index == 0 ? "\n" : ",\n")
      account.append(to: &buffer)
    }
    buffer.append("\n]")
    for member in unknown {
      buffer.append(",\n")
      buffer.appendJSONString(member.name)
      buffer.append(":\(member.json)")
    }
    buffer.append("}\n")
  }
}
