import Libc
package import Services
package import TweetCore

/// Reads ids of posts, or names of accounts, from a descriptor, one a line: `123`, `x:123`, a post's URL, or a record
/// with an `id`. Holds no more than a line and the bytes of one read.
package final class IDReader {
  package enum Item: Equatable {
    case id(String, line: Int)
    /// A line that names no post of the service; the text says why.
    case bad(String, line: Int)
  }

  package let descriptor: Int32
  private let name: String
  private let service: any ServiceKind
  private let base: String
  private var buffer: [UInt8] = []
  private var start = 0
  private var line = 0
  private var hasEnded = false
  /// The record that the last item was read from; `nil` if it stood on a line by itself.
  package private(set) var record: [UInt8]?

  /// Reads a word that is not an id by itself, such as an address that only the service can read; `nil` for what it
  /// does not know either.
  package var unread: ((_ word: String, _ line: Int) -> Item?)?

  /// Reads a record of another service; `nil` for one that names nothing here.
  package var foreign: ((_ record: JSONDocument, _ service: String, _ line: Int) -> Item?)?

  /// What stands for a word by itself, a line each, such as the records of a range of numbers; `nil` for a word that
  /// stands for itself.
  package var expand: ((_ word: String) throws(ToolError) -> [String]?)?
  /// What such a word stands for and was not returned yet.
  private var expanded: [String] = []

  /// As long as the longest record that tw-parse accepts by default.
  private static let longestLine = 16 << 20

  /// - Parameters:
  ///   - path: a file, or `-` for standard input.
  ///   - service: whose ids they are.
  ///   - base: its address: posts may be named by addresses there.
  package init(_ path: String, service: any ServiceKind, base: String) throws(ToolError) {
    if path == "-" {
      (descriptor, name) = (0, "standard input")
    } else {
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      name = "'\(path)'"
      if descriptor < 0 { throw .noInput("cannot open '\(path)'", errno) }
    }
    (self.service, self.base) = (service, base)
  }

  /// Reads ids from texts in place of a descriptor.
  package init(texts: [String], service: any ServiceKind, base: String) {
    (descriptor, name) = (-1, "the command line")
    (self.service, self.base) = (service, base)
    buffer = Array(texts.joined(separator: "\n").utf8)
    hasEnded = true
  }

  deinit { if descriptor > 0 { close(descriptor) } }

  /// Whether ``next()`` has returned all.
  package var isAtEnd: Bool { hasEnded && start == buffer.count && expanded.isEmpty }

  /// Whether a read does not wait.
  package var isReady: Bool {
    var state = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) != 0
  }

  /// Reads what is there; waits if nothing is.
  package func fill() throws(ToolError) {
    buffer.removeFirst(start)
    start = 0
    guard buffer.count < Self.longestLine else {
      throw .badData("line \(line + 1) of \(name) is too long for an id")
    }
    guard let bytes = try readSome(descriptor, name: name) else { return }
    if bytes.isEmpty { hasEnded = true }
    buffer += bytes
  }

  /// The next line that says something; `nil` when a read is needed, or at the end.
  package func next() -> Item? { next { parse($0) } }

  private func next(_ parse: (ArraySlice<UInt8>) -> Item?) -> Item? {
    while true {
      if !expanded.isEmpty {
        let item = parse(Array(expanded.removeFirst().utf8)[...])
        // Nobody gave it.
        record = nil
        if let item { return item }
        continue
      }
      guard start < buffer.count else { return nil }
      let newline = buffer[start...].firstIndex(of: UInt8(ascii: "\n"))
      guard newline != nil || hasEnded else { return nil }
      let end = newline ?? buffer.count
      line += 1
      defer { start = min(end + 1, buffer.count) }
      if let expand {
        let word = String(decoding: buffer[start..<end].prefix(Self.longestWord), as: UTF8.self).trimmed
        do throws(ToolError) { expanded = try expand(String(word)) ?? [] } catch {
          record = nil
          return .bad(error.message ?? "'\(word)' cannot be read", line: line)
        }
        if !expanded.isEmpty { continue }
      }
      if let item = parse(buffer[start..<end]) { return item }
    }
  }

  /// Far longer than what stands for something else.
  private static let longestWord = 100

  /// The same for names of accounts: `@name`, `name`, or a record of a profile or a post, which names its author.
  package func nextName() -> Item? { next { parseName($0) } }

  private func parseName(_ bytes: ArraySlice<UInt8>) -> Item? {
    if bytes.first == UInt8(ascii: "{") {
      guard let document = try? JSONDocument(Array(bytes)) else {
        return .bad("it is neither a name nor a record", line: line)
      }
      if let type = document["tw"], !type.equals("tweet"), !type.equals("user") { return nil }
      if let owner = document["service"]?.string, owner != service.name {
        return foreign?(document, owner, line)
          ?? .bad("the record is of service '\(owner)', not '\(service.name)'", line: line)
      }
      guard let name = document["username"]?.nonEmptyString ?? document["author"]?["username"]?.nonEmptyString else {
        return .bad("the record has no user name", line: line)
      }
      return .id(name, line: line)
    }
    let words = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isWhitespace)
    guard let word = words.first, !word.hasPrefix("#") else { return nil }
    guard words.count == 1, let name = service.userName(word) else {
      return .bad("'\(words.joined(separator: " "))' is not the name of an account", line: line)
    }
    return .id(name, line: line)
  }

  /// `nil` for a line that says nothing: empty, a comment, a record that is not a post.
  private func parse(_ bytes: ArraySlice<UInt8>) -> Item? {
    record = nil
    if bytes.first(where: { $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: "\t") }) == UInt8(ascii: "{") {
      return parseRecord(Array(bytes))
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let word = words.first, !word.hasPrefix("#") else { return nil }
    guard words.count == 1 else { return .bad("'\(text)' is not an id", line: line) }
    if let id = id(word) { return .id(id, line: line) }
    if let id = service.post(at: String(word), base: base) { return .id(id.description, line: line) }
    let named = Self.split(word)
    if let (owner, rest) = named, owner == service.name || rest.contains("://") {
      return item(of: String(owner), id(rest), text)
    }
    if let item = unread?(String(word), line) { return item }
    if let page = PostPage(word) {
      guard id(page.id[...]) != nil else { return .bad("'\(text)' is not an id", line: line) }
      return .bad("'\(text)' is a page of '\(page.host)', not of service '\(service.name)'", line: line)
    }
    if let (owner, rest) = named { return item(of: String(owner), id(rest), text) }
    return .bad("'\(text)' is not an id", line: line)
  }

  /// The parts of `service:id`; `nil` for another text. An id may be an address, which has colons of its own, and so
  /// may a service.
  private static func split(_ word: Substring) -> (service: Substring, id: Substring)? {
    let end = word.firstRange(of: "://")?.lowerBound ?? word.endIndex
    guard let colon = word[..<end].lastIndex(of: ":") else { return nil }
    return (word[..<colon], word[word.index(after: colon)...])
  }

  private func parseRecord(_ bytes: [UInt8]) -> Item? {
    guard let document = try? JSONDocument(bytes) else { return .bad("it is neither an id nor a record", line: line) }
    record = bytes
    if let type = document["tw"], !type.equals("tweet") { return nil }
    let post = document["data"].flatMap { $0.isObject ? $0 : nil } ?? document
    guard let id = post["id_str"]?.nonEmptyString ?? post["id"]?.string ?? post["id"]?.integer.map({ String($0) })
    else {
      return .bad("the record has no id", line: line)
    }
    let owner = document["service"]?.string ?? service.name
    if owner != service.name, let item = foreign?(document, owner, line) { return item }
    return item(of: owner, self.id(id[...]), id)
  }

  private func item(of owner: String, _ id: String?, _ text: String) -> Item {
    guard owner == service.name else {
      return .bad("'\(text)' is of service '\(owner)', not '\(service.name)'", line: line)
    }
    return id.map { .id($0, line: line) } ?? .bad("'\(text)' is not an id", line: line)
  }

  private func id(_ text: Substring) -> String? { service.postID(text)?.description }
}
