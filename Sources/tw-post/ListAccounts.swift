import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices

/// The accounts at which what a list names is changed: that of the run, and for records and numbers of tweets of other
/// services the ones in use there.
final class ListAccounts {
  private let change: PostChange
  private let targets: CrossTargets?
  private var numbers = ShortNumbers()
  /// By the services of records: `nil` where no account is.
  private var places: [String: Int?] = [:]
  private let posts: NamedPosts
  private(set) var all: [ServiceAccess]
  /// Which of them the last item belongs to.
  private(set) var current = 0
  /// How a person knows what numbers mean, by what stands in their place.
  private(set) var labels: [String: String] = [:]

  /// - Parameter targets: finds the other accounts; `nil` if the person has named the only one that is meant.
  init(_ access: ServiceAccess, _ targets: CrossTargets?, _ change: PostChange, waits: Bool) {
    (all, self.targets, self.change, posts) = ([access], targets, change, NamedPosts(access, waits: waits))
  }

  /// Why a service did not answer.
  var failure: ToolError? { posts.failure }

  /// Reads standard input.
  func reader() throws(ToolError) -> IDReader {
    let reader = try posts.reader(ofNames: change.isOfAccount)
    // What the account's own server knows of other servers.
    let near = reader.foreign
    reader.foreign = { [self] record, service, line in
      read(record, of: service, line) ?? near?(record, service, line)
    }
    reader.expand = { [self] (word) throws(ToolError) in try records(ofNumbers: word) }
    return reader
  }

  /// The next item, and the account that it belongs to.
  func next(_ reader: IDReader) -> IDReader.Item? {
    current = 0
    return change.isOfAccount ? reader.nextName() : reader.next()
  }

  /// Records of the tweets that a number or a range means on this terminal.
  private func records(ofNumbers word: String) throws(ToolError) -> [String]? {
    try numbers.targets(word)?.map { target in
      labels[change.isOfAccount ? target.username ?? "" : target.id] = target.label
      Diagnostics.note("\(change.rawValue): \(target.label)")
      var record = ByteBuffer()
      record.object { out in
        out.member("tw", "tweet")
        out.member("service", target.service)
        out.member("id", target.id)
        out.member("url", target.url)
        out.member("username", target.username)
      }
      return record.string
    }
  }

  /// Reads a record at its own service.
  /// - Returns: `nil` if no account is there.
  private func read(_ record: JSONDocument, of service: String, _ line: Int) -> IDReader.Item? {
    guard let index = place(of: service) else { return nil }
    let access = all[index]
    let reader = IDReader(texts: [record.rawText], service: access.api.service, base: access.base)
    switch change.isOfAccount ? reader.nextName() : reader.next() {
    case .id(let name, _):
      current = index
      return .id(name, line: line)
    case .bad(let reason, _): return .bad(reason, line: line)
    case nil: return nil
    }
  }

  private func place(of service: String) -> Int? {
    if let known = places[service] { return known }
    var index: Int?
    if let targets, ServiceAPIs.named(service) != nil, let access = try? allowed(targets.target(service).access) {
      index = all.count
      all.append(access)
    }
    places[service] = .some(index)
    return index
  }

  private func allowed(_ access: ServiceAccess) throws(ToolError) -> ServiceAccess {
    try access.require(access.writing().scopes(for: .change(change, "")), for: "'\(change.rawValue)'")
    return access
  }
}
