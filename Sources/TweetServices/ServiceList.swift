package import Services
package import TweetCore
package import TweetNet

/// A list of accounts, as its service names it.
package struct ServiceList: Sendable, Equatable {
  package let id: String
  package let name: String
  /// How many accounts are on it, where the service says so.
  package let members: Int?
  /// Whether somebody else made it.
  package let isFollowed: Bool

  package init(id: String, name: String, members: Int?, isFollowed: Bool = false) {
    (self.id, self.name, self.members, self.isFollowed) = (id, name, members, isFollowed)
  }
}

/// The lists that the signed-in account has made, and those that it follows. One request at a time finds them.
package protocol ListFinder: Sendable {
  /// The next request; `nil` after the last one.
  var request: HTTPRequest? { get }
  /// The most accounts or lists that its answer may bill, and as what.
  var billed: (kind: BilledKind, count: Int) { get }
  /// Reads the answer to it, which is 2xx.
  ///
  /// - Returns: the ids that the service may bill.
  mutating func read(_ answer: HTTPResponse) throws(ToolError) -> [String]
  /// Those that are found so far, in the service's order.
  var lists: [ServiceList] { get }
}

extension [ServiceList] {
  /// The list of an id or a name. Upper and lower case count only where two names differ in nothing else.
  ///
  /// - Returns: `nil` if none has it.
  /// - Throws: `ToolError.refused` if several have it.
  package func named(_ name: String) throws(ToolError) -> ServiceList? {
    if let list = first(where: { $0.id == name }) { return list }
    var found = filter { $0.name == name }
    if found.isEmpty {
      let lowercase = name.lowercased()
      found = filter { $0.name.lowercased() == lowercase }
    }
    guard found.count > 1 else { return found.first }
    let choices = found.map { "'list:\($0.id)'" }.joined(separator: ", ")
    throw .refused("\(found.count) lists are called '\(name)': name one by its id, \(choices)")
  }

  /// What is wrong with a name that none of them has.
  package func noList(_ name: String) -> ToolError {
    let shown = prefix(20).map { "'\($0.name)'" }.joined(separator: ", ")
    let names = count > 20 ? shown + ", …" : shown
    return .refused("there is no list '\(name)': " + (isEmpty ? "the account has none" : "yours are \(names)"))
  }
}
