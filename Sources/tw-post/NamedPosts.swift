import Services
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// The posts of a service that people name. Some addresses only the service can read, so it is asked what they mean.
final class NamedPosts {
  private let access: ServiceAccess
  private let waits: Bool
  private var exchange: Exchange?
  /// What addresses mean that were asked about.
  private var known: [String: AddressAnswer] = [:]
  /// Why a service did not answer.
  private(set) var failure: ToolError?

  init(_ access: ServiceAccess, waits: Bool) { (self.access, self.waits) = (access, waits) }

  /// The id that an operand names.
  func id(_ text: String) throws(ToolError) -> String {
    let item = reader(of: [text]).next()
    if let failure { throw failure }
    switch item {
    case .id(let id, _): return id
    case .bad(let reason, _): throw .usage(reason)
    case nil: throw .usage("'\(text)' names no tweet")
    }
  }

  private func reader(of texts: [String]) -> IDReader {
    let reader = IDReader(texts: texts, service: access.api.service, base: access.base)
    reader.unread = read
    return reader
  }

  /// Reads from standard input.
  ///
  /// - Parameter names: whether names of accounts are read.
  func reader(ofNames names: Bool) throws(ToolError) -> IDReader {
    let reader = try IDReader("-", service: access.api.service, base: access.base)
    reader.unread = read
    reader.foreign = names ? name : post
    return reader
  }

  /// What an address means which only the service can read; `nil` for another text.
  private func read(_ word: String, _ line: Int) -> IDReader.Item? {
    do throws(ToolError) {
      let api = try access.writing()
      guard !isOfOtherNetwork(word), let request = api.question(ofPostAt: word) else {
        guard word.contains("://"), PostPage(word) == nil else { return nil }
        return .bad("'\(word)' is not an address of a post that service '\(access.service)' knows", line: line)
      }
      let answer: AddressAnswer
      if let old = known[word] { answer = old } else { answer = try ask(request, word, api) }
      known[word] = answer
      switch answer {
      case .post(let id): return .id(id, line: line)
      case .noPost(let reason): return .bad("'\(word)' is not a post: \(reason)", line: line)
      }
    } catch {
      failure = failure ?? error
      return .bad(error.message ?? "'\(word)' cannot be read now", line: line)
    }
  }

  /// Whether an address is a page of another network, whose posts no server of this one knows.
  private func isOfOtherNetwork(_ address: String) -> Bool {
    Services.all.contains { kind in
      if isOfKind(kind.name) { return false }
      if kind.post(at: address, base: nil) != nil { return true }
      // A page that it knows, and that is not a source, is refused by it.
      do throws(ToolError) { return try kind.source(address) != nil } catch { return true }
    }
  }

  /// Whether a service is this one, or another server of its kind.
  private func isOfKind(_ service: String) -> Bool {
    service.split(separator: ":").first == access.service.split(separator: ":").first
  }

  /// A post that another server of the same kind has shown. Each has an id of its own for it.
  private func post(_ record: JSONDocument, _ service: String, _ line: Int) -> IDReader.Item? {
    guard isOfKind(service) else { return nil }
    let address = record["extra"]?["uri"]?.nonEmptyString ?? record["url"]?.nonEmptyString
    guard let address else { return .bad("the record does not say the address of the post", line: line) }
    let reader = reader(of: [address])
    switch reader.next() {
    case .id(let id, _): return .id(id, line: line)
    case .bad(let reason, _): return .bad(reason, line: line)
    case nil: return .bad("'\(address)' is not a post", line: line)
    }
  }

  /// An account that another server has shown.
  private func name(_ record: JSONDocument, _ service: String, _ line: Int) -> IDReader.Item? {
    let name = record["username"]?.nonEmptyString ?? record["author"]?["username"]?.nonEmptyString
    guard let name, let api = try? access.writing() else { return nil }
    return api.userName(name, of: service).map { .id($0, line: line) }
  }

  private func ask(
    _ request: HTTPRequest, _ word: String, _ api: any WriteAPI
  ) throws(ToolError) -> AddressAnswer {
    let exchange: Exchange
    if let open = self.exchange { exchange = open } else { exchange = try Exchange(waits: waits) }
    self.exchange = exchange
    return try exchange.askForAny(request, refusal: api.refusal) { api.post(at: word, in: $0) }
  }
}
