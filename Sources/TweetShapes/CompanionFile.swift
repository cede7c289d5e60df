import TweetCore

/// academictwitteR's folders: `data_1.json` has tweets without their authors, and `users_1.json` what X included with
/// them.
struct CompanionFile: Equatable, Sendable {
  /// What the names of the two files have in common.
  private var name = ""
  private var json: [UInt8] = []
  /// Whether it belongs to the current file.
  private(set) var isOpen = false

  /// Begins a file.
  mutating func begin(_ file: Substring) {
    if file.hasPrefix("users_") {
      self = CompanionFile()
      name = String(file.dropFirst("users_".count))
    }
    isOpen = !json.isEmpty && file.hasPrefix("data_") && file.dropFirst("data_".count) == name
  }

  mutating func keep(_ document: JSONValue) { if !name.isEmpty { json = Array(document.raw) } }

  /// What X included; `nil` if it is not known.
  func document() -> JSONDocument? { isOpen ? try? JSONDocument(json) : nil }
}

extension TweetMapper {
  /// Appends the users of a document that has only what X includes with tweets, and keeps it for the file of these.
  /// - Returns: `nil` for another document.
  mutating func mapV2(included document: JSONValue, into out: inout ByteBuffer) -> MappedDocument? {
    guard let users = document["users"], users.elements.first(where: { _ in true })?["username"] != nil else {
      return nil
    }
    guard !isPart else {
      isHeldBack = true
      return MappedDocument(reason: nil)
    }
    shape = .v2
    state.companion.keep(document)
    let reason = mapEach(of: users, into: &out) { mapper, user, out in mapper.mapV2(user: user, into: &out) }
    return MappedDocument(reason: reason)
  }
}

/// A document that was mapped, and what is wrong with it.
struct MappedDocument {
  let reason: String?
}
