package import TweetCore

/// The address of a Bluesky record: `at://did:plc:…/app.bsky.feed.post/3k…`, or a page of bsky.app about it.
package struct RecordAddress: Sendable, Equatable {
  package static let post = "app.bsky.feed.post"
  package static let repost = "app.bsky.feed.repost"
  package static let like = "app.bsky.feed.like"
  package static let follow = "app.bsky.graph.follow"
  package static let feed = "app.bsky.feed.generator"
  package static let list = "app.bsky.graph.list"

  /// The DID of the account that the record belongs to, or its handle.
  package let authority: String
  package let collection: String
  package let key: String

  /// The at-uri.
  package var text: String { "at://\(authority)/\(collection)/\(key)" }

  package init(authority: String, collection: String, key: String) {
    (self.authority, self.collection, self.key) = (authority, collection, key)
  }

  /// - Returns: `nil` for a text that is no such address.
  package init?(_ text: some StringProtocol) {
    guard let scheme = text.firstRange(of: "://") else { return nil }
    let rest = String(text[scheme.upperBound...]).prefix { $0 != "?" && $0 != "#" }
    var parts: [String] = rest.split(separator: "/").map { String($0) }
    switch text[..<scheme.lowerBound].lowercased() {
    case "at": guard parts.count == 3 else { return nil }
    case "http", "https":
      // After the key there may be the name of a list: `/liked-by`.
      guard parts.count >= 5, Self.sites.contains(parts[0].lowercased()), parts[1] == "profile",
        let collection = Self.pages[parts[3]]
      else { return nil }
      parts = [parts[2], collection, parts[4]]
    default: return nil
    }
    guard let authority = AccountName(parts[0])?.text, Self.isKey(parts[2]), Self.isCollection(parts[1]) else {
      return nil
    }
    self.init(authority: authority, collection: parts[1], key: parts[2])
  }

  package static let sites: Set<String> = ["bsky.app", "www.bsky.app", "main.bsky.dev"]
  private static let pages = ["post": post, "feed": feed, "lists": list]

  /// AT Protocol, "Record Key".
  private static func isKey(_ text: String) -> Bool {
    text != "." && text != ".." && text.utf8.count <= 512
      && text.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || "._:~-".utf8.contains($0) }
  }

  private static func isCollection(_ text: String) -> Bool {
    text.utf8.count <= 317 && text.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || ".-".utf8.contains($0) }
  }
}

/// How an account is named: by its DID, or by its handle, which is a domain.
package struct AccountName: Sendable, Equatable {
  package let text: String
  package var isDID: Bool { text.hasPrefix("did:") }

  package init?(_ text: some StringProtocol) {
    let isDID = text.hasPrefix("did:plc:") || text.hasPrefix("did:web:")
    let bytes = text.utf8
    if isDID {
      guard bytes.count > 8, bytes.count <= 2048,
        bytes.allSatisfy({ $0.isASCIIDigit || $0.isASCIILetter || "._:%-".utf8.contains($0) })
      else { return nil }
      self.text = String(text)
      return
    }
    // AT Protocol, "Handle": two labels at least, and the last one is not a number.
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    let areLabels = labels.allSatisfy { label in
      (1...63).contains(label.utf8.count) && label.first != "-" && label.last != "-"
        && label.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIILetter || $0 == UInt8(ascii: "-") }
    }
    guard labels.count > 1, areLabels, bytes.count <= 253, labels.last?.utf8.first?.isASCIILetter == true else {
      return nil
    }
    self.text = text.lowercased()
  }
}

/// A record key that says when it was made: 13 characters, which are ordered as their times are (AT Protocol,
/// "Timestamp Identifiers").
package enum TimeKey {
  private static let digits = Array("234567abcdefghijklmnopqrstuvwxyz".utf8)

  package static func isOne(_ text: some StringProtocol) -> Bool {
    let bytes = Array(text.utf8)
    return bytes.count == 13 && bytes.allSatisfy(digits.contains) && digits.prefix(16).contains(bytes[0])
  }

  /// The first key that a record of that time can have.
  package static func first(at time: Timestamp) -> String { key(at: time, number: 0) }

  /// When the record was made, as its key says; `nil` for another kind of key.
  package static func time(of text: String) -> Timestamp? {
    guard isOne(text) else { return nil }
    var number: UInt64 = 0
    for byte in text.utf8 { number = number << 5 | UInt64(digits.firstIndex(of: byte) ?? 0) }
    return Timestamp(milliseconds: Int64((number >> 10) / 1000))
  }

  /// One of the keys that a record of that time can have: of a million, one for each number.
  package static func key(at time: Timestamp, number: Int) -> String {
    let microseconds = UInt64(max(0, time.milliseconds)) &* 1000 + UInt64(number / 1024 % 1000)
    let number = microseconds << 10 | UInt64(number % 1024)
    let key = (0..<13).map { digits[Int(number >> UInt64(60 - 5 * $0) & 31)] }
    return String(decoding: key, as: UTF8.self)
  }
}

extension UInt8 {
  fileprivate var isASCIILetter: Bool { (0x61...0x7A).contains(self | 0x20) }
}
