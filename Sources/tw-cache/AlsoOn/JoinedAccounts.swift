import TweetCLI
import TweetCore

/// Accounts of two networks whose profiles have links to each other. One link alone joins nothing: everybody can link
/// to anybody.
struct JoinedAccounts {
  /// An account that has links in its profile.
  struct Account {
    var service: String
    var id: String
    var username: String?
    var url: String?
    fileprivate var names: [String]
    fileprivate var links: [(link: ProfileLink, names: [String])]
    /// Whether the server where the account is has said so, and not another one.
    fileprivate var isFromHome: Bool
  }

  struct Pair {
    var one: Account
    var other: Account
    /// The links of each to the other.
    var links: [ProfileLink]
    var linksBack: [ProfileLink]
  }

  private var accounts: [Account] = []
  /// By the first name of an account, its place: several servers know one account.
  private var places: [String: Int] = [:]

  /// Adds a `user` record. Only one with links can be joined with another.
  mutating func add(_ user: JSONValue) {
    let names = ProfileAddress.names(ofAccount: user)
    guard let first = names.last, let service = user["service"]?.string, let id = user["id"]?.nonEmptyString else {
      return
    }
    let links = ProfileLink.all(of: user).map { ($0, ProfileAddress.names(ofLink: $0.url)) }
      .filter { link in !link.1.isEmpty && !link.1.contains(where: names.contains) }
    if links.isEmpty { return }
    let host = user["url"]?.nonEmptyString.map { $0.split(separator: "/").dropFirst().first.map(String.init) ?? "" }
    let account = Account(
      service: service, id: id, username: user["username"]?.nonEmptyString, url: user["url"]?.nonEmptyString,
      names: names, links: links, isFromHome: host.map { service == "mastodon:" + $0 } ?? true)
    guard let place = places[first] else {
      places[first] = accounts.count
      accounts.append(account)
      return
    }
    if account.isFromHome, !accounts[place].isFromHome { accounts[place] = account }
  }

  /// The pairs, in the order in which their first accounts were added.
  var pairs: [Pair] {
    var owners: [String: [Int]] = [:]
    for (place, account) in accounts.enumerated() {
      for name in account.names { owners[name, default: []].append(place) }
    }
    func links(_ one: Account, to other: Account) -> [ProfileLink] {
      one.links.filter { $0.names.contains(where: other.names.contains) }.map(\.link)
    }
    var found: [Pair] = []
    for (place, account) in accounts.enumerated() {
      let linked = Set(account.links.flatMap(\.names).flatMap { owners[$0] ?? [] })
      for other in linked.sorted() where other > place {
        let target = accounts[other]
        if ProfileAddress.network(of: target.service) == ProfileAddress.network(of: account.service) { continue }
        let back = links(target, to: account)
        if back.isEmpty { continue }
        found.append(Pair(one: account, other: target, links: links(account, to: target), linksBack: back))
      }
    }
    return found
  }
}

extension JoinedAccounts.Account {
  /// As a person names it.
  var text: String { "\(service):\(username ?? id)" }

  fileprivate func append(to out: inout ByteBuffer) {
    out.member("service", service)
    out.member("id", id)
    out.member("username", username)
    out.member("url", url)
  }
}

extension JoinedAccounts.Pair {
  /// The same pair, seen from the other account.
  var reversed: Self { Self(one: other, other: one, links: linksBack, linksBack: links) }

  /// A line for a person: both accounts and, for each, the link that leads to the other one.
  var line: String {
    [one.text, other.text, links.first?.url ?? "", linksBack.first?.url ?? ""].map { Printable.line($0) }
      .joined(separator: "\t") + "\n"
  }

  /// Appends an `also_on` record, a line of tweet(5).
  func append(to out: inout ByteBuffer) {
    out.record("also_on") { out in
      out.object("user") { one.append(to: &$0) }
      out.object("also_on") { other.append(to: &$0) }
      Self.append("links", links, to: &out)
      Self.append("links_back", linksBack, to: &out)
    }
  }

  private static func append(_ key: StaticString, _ links: [ProfileLink], to out: inout ByteBuffer) {
    out.array(key) { out in
      for link in links {
        out.element { out in
          out.member("url", link.url)
          out.member("in", link.place.rawValue)
          out.member("verified_at", link.verifiedAt)
        }
      }
    }
  }
}
