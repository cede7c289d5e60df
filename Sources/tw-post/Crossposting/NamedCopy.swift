import SQLite
import ServiceClients
import Services
import TweetCLI
import TweetCore
import TweetServices

/// Finds the copy of a crosspost that a person names: by an address, an id, or `SERVICE:ID`, of any of its services.
struct NamedCopy {
  private let operand: String
  /// The service whose posts ids without a service name.
  private let usual: String?

  init(_ operand: String, usual: String?) { (self.operand, self.usual) = (operand, usual) }

  /// - Returns: the write that made it; `nil` if the post is none of a crosspost that the outbox knows.
  /// - Throws: `ToolError.usage` if posts of several services have the id.
  func find(in outbox: borrowing Outbox) throws(ToolError) -> Int? {
    if let id = try outbox.copy(at: operand.hasSuffix("/") ? String(operand.dropLast()) : operand) { return id }
    var found: [Int] = []
    for (service, base) in try outbox.servers() {
      guard let kind = ServiceAPIs.named(service)?.service, mayName(service) else { continue }
      guard case .id(let id, _) = IDReader(texts: [operand], service: kind, base: base).next(),
        let write = try outbox.copy(ofPost: id, service, base)
      else { continue }
      found.append(write)
    }
    guard found.count > 1 else { return found.first }
    throw .usage("'\(operand)' is the id of posts of several services: name the post by its address")
  }

  /// Whether the text may name a post of a service: a bare id is one of the usual service alone.
  private func mayName(_ service: String) -> Bool {
    operand.contains("://") || operand.hasPrefix(service + ":") || usual == nil || service == usual
  }
}
