import Services
import TweetCore
import TweetNet
import TweetServices

/// Finds the lists that an account has made, a hundred at a time. Lists of whom to mute or block are no lists to read.
struct BlueskyListFinder: ListFinder {
  private let requests: BlueskyRequests
  /// Its handle or DID; `nil` until the server has said whose token it is.
  private var account: String?
  private var token: String?
  private var isDone = false
  private(set) var lists: [ServiceList] = []

  init(_ requests: BlueskyRequests, of account: String?) { (self.requests, self.account) = (requests, account) }

  static let endpoint = "app.bsky.graph.getLists"

  var request: HTTPRequest? {
    if isDone { return nil }
    guard let account else { return requests.session }
    return requests.get(
      Self.endpoint, [("actor", account), ("limit", "100")] + (token.map { [("cursor", $0)] } ?? []))
  }

  var billed: (kind: BilledKind, count: Int) { (.posts, 1) }

  mutating func read(_ answer: HTTPResponse) throws(ToolError) -> [String] {
    guard account != nil else {
      guard let did = (try? JSONDocument(answer.body))?["did"]?.nonEmptyString else {
        throw .refused("the server's answer does not say whose token it is")
      }
      account = did
      return []
    }
    guard let document = answer.document, document["lists"]?.isArray == true else {
      throw .refused("the server's answer has no lists")
    }
    lists += document.list("lists").compactMap { list in
      guard list["purpose"]?.equals("app.bsky.graph.defs#curatelist") == true, let uri = list["uri"]?.nonEmptyString,
        let name = list["name"]?.string
      else { return nil }
      return ServiceList(id: uri, name: name, members: list["listItemCount"]?.integer)
    }
    let next = document["cursor"]?.nonEmptyString
    isDone = next == nil || next == token
    token = next
    return []
  }
}
