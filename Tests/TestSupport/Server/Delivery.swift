import TweetCore

/// What one answer has delivered: the posts and accounts in the bytes that went out, by a count of its own: `posts 17`,
/// `users 3`, and `posts -` for one whose id cannot be read.
struct Delivery {
  private let isStream: Bool
  /// Whether the answer has posts or accounts in it; rules are free.
  private let isBilled: Bool
  private let write: (String) -> Void
  /// The beginning of a message of a stream.
  private var begun: [UInt8] = []

  /// - Parameter write: gets a word and an id for each.
  init(of kind: String, write: @escaping (String) -> Void) {
    isStream = kind == "stream"
    isBilled = !["add", "list", "delete"].contains(kind)
    self.write = write
  }

  /// Counts a whole answer.
  func count(body: [UInt8]) {
    guard isBilled else { return }
    guard let document = try? JSONDocument(body), document.isObject else { return countParts(body) }
    guard let data = document["data"] else { return }
    for item in data.isArray ? data.elements : [data] where item.isObject {
      write("\(item["username"] == nil ? "posts" : "users") \(Self.id(of: item))")
    }
  }

  /// Counts some of an answer that is sent piece by piece.
  mutating func count(piece: [UInt8]) {
    guard isBilled else { return }
    guard isStream else { return countParts(piece) }
    begun += piece
    while let end = begun.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(begun[..<end])
      begun.removeSubrange(...end)
      if line.allSatisfy({ $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: " ") }) { continue }
      guard let document = try? JSONDocument(line), document.isObject else {
        write("posts -")
        continue
      }
      if let post = document["data"] { write("posts \(Self.id(of: post))") }
    }
  }

  /// Counts what looks like the beginnings of posts.
  private func countParts(_ bytes: [UInt8]) {
    for _ in String(decoding: bytes, as: UTF8.self).split(separator: "\"id\":").dropFirst() { write("posts -") }
  }

  private static func id(of item: JSONDocument) -> String {
    item["id"]?.nonEmptyString ?? item["id"]?.integer.map { String($0) } ?? "-"
  }
}
