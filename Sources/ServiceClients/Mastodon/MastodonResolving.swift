import Services
import TweetCore
import TweetNet
import TweetServices

// Each server has ids of its own for the posts and accounts of all, and says them of an address.
extension MastodonWriting {
  func question(ofPostAt address: String) -> HTTPRequest? {
    MastodonStatusSearch.isAddress(address) ? requests.resolve(address, "statuses") : nil
  }

  func post(at address: String, in answer: HTTPResponse) -> AddressAnswer? {
    let server = requests.access.base.split(separator: "/").last.map(String.init) ?? ""
    if answer.status == 404 { return .noPost("'\(server)' has no search that finds it") }
    guard answer.isSuccess, let found = MastodonStatusSearch(answer, address) else { return nil }
    guard let id = found.id else { return .noPost("'\(server)' cannot fetch it, or does not show it to this account") }
    return .post(id: id)
  }

  func userSearch(named name: String) -> HTTPRequest? { name.contains("@") ? requests.resolve(name, "accounts") : nil }

  func account(named name: String, in answer: HTTPResponse) -> WritingAccount? {
    // Others that are similar may follow.
    (try? JSONDocument(answer.body))?.list("accounts").first {
      $0["acct"]?.string?.lowercased() == name.lowercased()
    }.flatMap { Self.account($0) }
  }

  func userName(_ name: String, of service: String) -> String? {
    guard let server = MastodonService(named: service) else { return nil }
    return requests.access.api.service.userName((name.contains("@") ? name : "\(name)@\(server.host)")[...])
  }
}

/// The post that a server has found at an address.
struct MastodonStatusSearch {
  /// What the server calls it; `nil` if it has found none.
  let id: String?

  /// - Returns: `nil` for an answer that is none of a search.
  init?(_ answer: HTTPResponse, _ address: String) {
    guard let document = answer.document, document["statuses"]?.isArray == true else {
      return nil
    }
    let found = document.list("statuses")
    let isNamed = { (status: JSONDocument) in [status["url"]?.string, status["uri"]?.string].contains(address) }
    // Its address at a third server is neither. But a search of texts brings posts with that address in them.
    let exact = found.first(where: isNamed)
    let only = found.count == 1 && found[0]["content"]?.string?.contains(address) == false ? found[0] : nil
    id = (exact ?? only)?["id"]?.text
  }

  /// Whether a text may be the address of a post at any server, of whatever software.
  static func isAddress(_ text: String) -> Bool {
    guard text.hasPrefix("https://") || text.hasPrefix("http://"), let address = WebAddress(text),
      !address.hasCredentials
    else { return false }
    guard let page = MastodonAddress(text) else {
      return text.split(separator: "/", omittingEmptySubsequences: true).count > 2
    }
    if case .post = page.place { return true }
    return false
  }
}
