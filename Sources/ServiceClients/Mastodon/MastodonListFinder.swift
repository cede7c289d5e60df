import Services
import TweetCore
import TweetNet
import TweetServices

/// Finds the lists of the account that asks. One answer has all of them.
struct MastodonListFinder: ListFinder {
  private let requests: MastodonRequests
  private var isDone = false
  private(set) var lists: [ServiceList] = []

  init(_ requests: MastodonRequests) { self.requests = requests }

  var request: HTTPRequest? { isDone ? nil : requests.lists }
  var billed: (kind: BilledKind, count: Int) { (.posts, 1) }

  mutating func read(_ answer: HTTPResponse) throws(ToolError) -> [String] {
    guard let document = answer.document, document.isArray else {
      throw .refused("the server's answer has no lists")
    }
    isDone = true
    lists = document.elements.compactMap { list in
      guard let id = list["id"]?.text, let title = list["title"]?.string else { return nil }
      return ServiceList(id: id, name: title, members: nil)
    }
    return []
  }
}
