package import Services
package import TweetCore
package import TweetNet
package import TweetServices

/// Finds the lists of the account that asks: first those that it has made, then those that it follows.
package struct XListFinder: ListFinder {
  private enum Step {
    case account, owned, followed, over
  }

  /// Lists a page. As many are reserved of the budget, before it is known how many there are.
  private static let pageSize = 25

  private let requests: XRequests
  private var step: Step
  private var accountID: String?
  private var token: String?
  package private(set) var lists: [ServiceList] = []

  package init(_ requests: XRequests) {
    self.requests = requests
    accountID = requests.userID
    step = accountID == nil ? .account : .owned
  }

  /// Whether all of those that the account has made, or all of those that it follows too, are found.
  var hasAllOfOneKind: Bool { token == nil && step != .account && step != .owned }

  var endpoint: String {
    switch step {
    case .account, .over: "users/me"
    case .owned: V2Endpoint.ownedLists.rawValue
    case .followed: V2Endpoint.followedLists.rawValue
    }
  }

  /// A list that is read costs what a post costs, or less (docs.x.com, "Pricing").
  package var billed: (kind: BilledKind, count: Int) { step == .account ? (.users, 1) : (.posts, Self.pageSize) }

  package var request: HTTPRequest? {
    var range = PageRange()
    (range.size, range.token) = (Self.pageSize, token)
    return switch step {
    case .account: requests.me()
    case .owned: requests.page(.ownedLists, of: accountID ?? "", range)
    case .followed: requests.page(.followedLists, of: accountID ?? "", range)
    case .over: nil
    }
  }

  package mutating func read(_ answer: HTTPResponse) throws(ToolError) -> [String] {
    guard let document = answer.document, document.isObject else {
      throw .refused("the service's answer has no lists: \(ServiceProblem(answer).text)")
    }
    if step == .account {
      guard let id = document["data"]?["id"]?.nonEmptyString else {
        throw .refused("the service does not say whose token this is: \(ServiceProblem(answer).text)")
      }
      (accountID, step) = (id, .owned)
      return [id]
    }
    let (page, next) = document.read { root in
      (root.list("data").compactMap { list($0) }, root["meta"]?["next_token"]?.nonEmptyString)
    }
    // The same list may come again where pages move.
    lists += page.filter { new in !lists.contains { $0.id == new.id } }
    token = next == token ? nil : next
    if token == nil { step = step == .owned ? .followed : .over }
    return page.map(\.id)
  }

  private func list(_ value: JSONValue) -> ServiceList? {
    guard let id = value["id"]?.nonEmptyString, let name = value["name"]?.string else { return nil }
    return ServiceList(id: id, name: name, members: value["member_count"]?.integer, isFollowed: step == .followed)
  }
}
