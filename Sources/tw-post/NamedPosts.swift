import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// The posts of a service that people name. Some addresses only the service can read, so it is asked what they mean.
final class NamedPosts {
  private let access: ServiceAccess
  private let waits: Bool
  private var exchange: Exchange?
  /// The ids that addresses mean; `nil` for those that mean none.
  private var known: [String: String?] = [:]
  /// Why a service did not answer.
  private(set) var failure: ToolError?

  init(_ access: ServiceAccess, waits: Bool) { (self.access, self.waits) = (access, waits) }

  /// The id that an operand names.
  func id(_ text: String) throws(ToolError) -> String {
    let reader = IDReader(texts: [text], service: access.api.service, base: access.base)
    reader.unread = read
    let item = reader.next()
    if let failure { throw failure }
    switch item {
    case .id(let id, _): return id
    case .bad(let reason, _): throw .usage(reason)
    case nil: throw .usage("'\(text)' names no tweet")
    }
  }

  /// Reads from standard input.
  func reader() throws(ToolError) -> IDReader {
    let reader = try IDReader("-", service: access.api.service, base: access.base)
    reader.unread = read
    return reader
  }

  /// What an address means which only the service can read; `nil` for another text.
  private func read(_ word: String, _ line: Int) -> IDReader.Item? {
    do throws(ToolError) {
      let api = try access.writing()
      guard let request = api.question(ofPostAt: word) else { return nil }
      if known[word] == nil { known[word] = .some(try ask(request, word, api)) }
      if let id = known[word] ?? nil { return .id(id, line: line) }
      return .bad("'\(word)' is no post: there is no account of that name", line: line)
    } catch {
      failure = failure ?? error
      return .bad(error.message ?? "'\(word)' cannot be read now", line: line)
    }
  }

  private func ask(_ request: HTTPRequest, _ word: String, _ api: any WriteAPI) throws(ToolError) -> String? {
    let exchange: Exchange
    if let open = self.exchange { exchange = open } else { exchange = try Exchange(waits: waits) }
    self.exchange = exchange
    return try exchange.ask(request) { answer in
      if answer.isSuccess {
        return api.post(at: word, in: answer).map { .answer($0) }
          ?? .unreadable("the service's answer is not what was asked for")
      }
      let refusal = api.refusal(answer)
      return [400, 404].contains(answer.status) && refusal.error.status == .refused
        ? .answer(nil) : .refused(refusal)
    }
  }
}
