import Libc
package import TweetCore

/// The accounts of `$XDG_CONFIG_HOME/tw/credentials.json`: `{"accounts":[{…},…]}`, a line an account.
///
/// Of the accounts of a service the first is the one in use. Members that this version does not know are kept, and so
/// are accounts of a method that it does not know, byte for byte and in their places.
package struct CredentialsFile: Sendable {
  private enum Entry: Sendable {
    case account(ServiceAccount)
    case unknown(ServiceAccount.Name, method: String, json: String)

    var name: ServiceAccount.Name {
      switch self {
      case .account(let account): account.name
      case .unknown(let name, _, _): name
      }
    }

    var account: ServiceAccount? { if case .account(let account) = self { account } else { nil } }
  }

  private var entries: [Entry] = []
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
    unknown = []
    if bytes.isEmpty { return }
    let document: JSONDocument
    do throws(JSONFault) {
      document = try JSONDocument(bytes)
    } catch {
      throw .configuration("'\(path)' is not JSON: \(error.reason)")
    }
    guard document.isObject, let list = document["accounts"], list.isArray else {
      throw .configuration("'\(path)' has no list 'accounts'")
    }
    for (key, value) in document.members where !key.equals("accounts") {
      unknown.append(ServiceAccount.Member(name: key.string ?? "", json: value.rawText))
    }
    for (index, object) in list.elements.enumerated() {
      if let account = ServiceAccount(object) {
        entries.append(.account(account))
      } else if let name = ServiceAccount.Name(object), let method = object["method"]?.nonEmptyString,
        ServiceAccount.Method(rawValue: method) == nil
      {
        entries.append(.unknown(name, method: method, json: object.rawText))
      } else {
        throw .configuration("'\(path)': account \(index + 1) lacks its service, name, base or method")
      }
    }
  }

  /// Those that this version can use.
  package var accounts: [ServiceAccount] { entries.compactMap(\.account) }

  /// Those of a method that this version does not know, which are left alone.
  package var unknownAccounts: [(name: ServiceAccount.Name, method: String)] {
    entries.compactMap { if case .unknown(let name, let method, _) = $0 { (name, method) } else { nil } }
  }

  /// Changes the file: reads it, has `body` change it, and replaces it, all under a lock, so that changes by two
  /// programs at a time are both kept.
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

  /// Adds an account, or replaces the one of its name, and makes it the one in use of its service. An application's
  /// becomes that only if it was, or if it is the only one: it has no home timeline, and cannot write.
  ///
  /// - Parameter replacesUsed: whether it takes the place of another user's account that is in use.
  package mutating func insert(_ account: ServiceAccount, replacesUsed: Bool = true) {
    var account = account
    let used = self.account(nil, service: account.name.service, base: nil)
    if let old = remove(account.name) { account.unknown = old.unknown }
    let isFirst = used == nil || used?.name == account.name
    let isUsed = isFirst || account.method != .app && (replacesUsed || used?.method == .app)
    entries.insert(.account(account), at: isUsed ? 0 : entries.count)
  }

  /// - Returns: the account that was removed; `nil` when there is none of that name, or one of an unknown method, which
  ///   is removed as well.
  @discardableResult
  package mutating func remove(_ name: ServiceAccount.Name) -> ServiceAccount? {
    entries.firstIndex { $0.name == name }.flatMap { entries.remove(at: $0).account }
  }

  /// Makes an account the one in use of its service.
  package mutating func use(_ name: ServiceAccount.Name) {
    guard let index = entries.firstIndex(where: { $0.account?.name == name }) else { return }
    entries.insert(entries.remove(at: index), at: 0)
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

  func append(to buffer: inout ByteBuffer) {
    buffer.append("{\"accounts\":[")
    for (index, entry) in entries.enumerated() {
      buffer.append(index == 0 ? "\n" : ",\n")
      switch entry {
      case .account(let account): account.append(to: &buffer)
      case .unknown(_, _, let json): buffer.append(json)
      }
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
