// swift-format-ignore-file: NeverForceUnwrap

import Foundation
import TestSupport
import Testing

/// Checks the offsets of the entities of a post, in scalars of its text as it was sent.
func expectOffsets(in post: LooseJSON) throws {
  for (text, entities) in [
    (post["text"].text, post["entities"]), (post["note_tweet"]["text"].text, post["note_tweet"]["entities"]),
  ] {
    let scalars = Array(text.unicodeScalars)
    for (kind, mark, key) in [
      ("hashtags", "#", "tag"), ("mentions", "@", "username"), ("cashtags", "$", "tag"), ("urls", "", "url"),
    ] {
      for entity in entities[kind].array {
        let range = entity["start"].number..<entity["end"].number
        try #require(range.lowerBound >= 0 && range.upperBound <= scalars.count)
        var part = String.UnicodeScalarView()
        part.append(contentsOf: scalars[range])
        #expect(String(part).lowercased() == (mark + entity[key].text).lowercased())
      }
    }
  }
}

/// A tw-local that runs as long as this object lives.
final class LocalService {
  let tool: RunningTool
  let base: String
  let port: UInt16
  let token: String
  /// Those of its own program, for OAuth 1.0a.
  let key: String
  let secret: String

  /// - Parameter descriptors: as many as it may open; `nil` for as many as this process may.
  init(_ arguments: [String] = [], descriptors: Int? = nil) throws {
    tool =
      if let descriptors {
        try RunningTool(
          "/bin/sh",
          ["-c", "ulimit -n \(descriptors); exec \"$0\" \"$@\"", Tool.path("tw-local")] + arguments)
      } else {
        try RunningTool("tw-local", arguments)
      }
    var values: [Substring: String] = [:]
    // Standard output ends after the variables; the service continues.
    while let line = try tool.line() {
      let halves = line.split(separator: " ").last?.split(separator: "=") ?? []
      if halves.count == 2 { values[halves[0]] = halves[1].filter { $0 != "'" } }
    }
    base = try #require(values["TW_ENDPOINT"])
    token = try #require(values["TW_TOKEN"])
    key = try #require(values["TW_LOCAL_KEY"])
    secret = try #require(values["TW_LOCAL_SECRET"])
    port = try #require(base.split(separator: ":").last.flatMap { UInt16($0) })
  }

  /// Leads a tool to it.
  var environment: [String: String] {
    [
      "TW_SERVICE": "local", "TW_ENDPOINT": base, "TW_TOKEN": token, "TW_ALLOW_PRIVATE": "127.0.0.1:\(port)",
    ]
  }

  /// Ends it and waits for that, so that its file may be read.
  func stop() throws {
    tool.signal(SIGTERM)
    _ = try tool.finish()
  }

  /// Posts as its owner.
  /// - Returns: the id of the post.
  @discardableResult func post(_ text: String) throws -> String {
    let answer = try ask("POST", "/2/tweets", body: ["text": text])
    #expect(answer.status == 201)
    return answer["data"]["id"].text
  }

  /// Sends a request and reads the complete answer.
  /// - Parameter token: `nil` for none, `""` for the owner's.
  func ask(
    _ method: String, _ path: String, token: String? = "", headers: [String: String] = [:], body: Any? = nil,
    raw: [UInt8]? = nil
  ) throws -> LocalAnswer {
    let bytes = try raw ?? body.map { try Array(JSONSerialization.data(withJSONObject: $0)) }
    return try open(method, path, token: token, headers: headers, body: bytes).answer(to: method)
  }

  func search(_ query: String, _ rest: String = "") throws -> LocalAnswer {
    let allowed = CharacterSet.alphanumerics
    let encoded = query.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    return try ask("GET", "/2/tweets/search/recent?query=\(encoded)" + (rest.isEmpty ? "" : "&" + rest))
  }

  func open(
    _ method: String, _ path: String, token: String? = "", headers: [String: String] = [:], body: [UInt8]? = nil,
    from source: UInt8 = 1
  ) throws -> LocalClient {
    var head = "\(method) \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n"
    if let token { head += "Authorization: Bearer \(token.isEmpty ? self.token : token)\r\n" }
    for (name, value) in headers { head += "\(name): \(value)\r\n" }
    if let body { head += "Content-Length: \(body.count)\r\n" }
    let client = try LocalClient(port: port, from: source)
    try client.send(Array((head + "\r\n").utf8) + (body ?? []))
    return client
  }

  func open(_ request: String) throws -> LocalClient {
    let client = try LocalClient(port: port)
    try client.send(Array(request.utf8))
    return client
  }
}

/// A plain HTTP client that shows answers as they were sent.
final class LocalClient {
  private var descriptor: Int32
  private var received: [UInt8] = []
  private(set) var endedWithLastChunk = false

  private struct Silence: Error {}

  init(port: UInt16, from source: UInt8 = 1, receives: Int32? = nil) throws {
    descriptor = try LoopbackSocket.connected(to: Int(port), from: source, receives: receives)
  }

  deinit { close() }

  func close() {
    if descriptor >= 0 { Foundation.close(descriptor) }
    descriptor = -1
  }

  /// Bytes that have come and were not read.
  var waiting: Int {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : 0
  }

  /// Whether the service has closed the connection; what has come is not read by that.
  var isGone: Bool {
    var byte: UInt8 = 0
    let count = recv(descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
    return count == 0 || count < 0 && errno != EAGAIN
  }

  func send(_ bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      // The service has refused the request before reading all of it.
      if count <= 0 { return }
      sent += count
    }
  }

  /// Receives some bytes; false at the end of the connection.
  private func receive() throws -> Bool {
    var piece = [UInt8](repeating: 0, count: 16_384)
    let count = recv(descriptor, &piece, piece.count, 0)
    // The service has closed the connection with some of the request unread.
    if count < 0, errno == ECONNRESET { return false }
    guard count >= 0 else { throw Silence() }
    received += piece[..<count]
    return count > 0
  }

  /// Receives bytes up to and including `end`; `nil` where the connection ends before.
  private func receive(through end: [UInt8]) throws -> [UInt8]? {
    while true {
      if let range = received.firstRange(of: end) {
        defer { received.removeFirst(range.upperBound) }
        return Array(received[..<range.upperBound])
      }
      guard try receive() else { return nil }
    }
  }

  func head() throws -> LocalAnswer {
    let lines = String(decoding: try receive(through: Array("\r\n\r\n".utf8)) ?? [], as: UTF8.self)
      .split(separator: "\r\n")
    var answer = LocalAnswer(status: lines.first.flatMap { Int($0.split(separator: " ")[1]) } ?? 0)
    for line in lines.dropFirst() {
      let halves = line.split(separator: ":", maxSplits: 1)
      answer.headers[halves[0].lowercased()] = halves[1].trimmingCharacters(in: .whitespaces)
    }
    return answer
  }

  /// An answer with a length, on a connection that stays open.
  func answer() throws -> LocalAnswer {
    var answer = try head()
    let length = try #require(answer.headers["content-length"].flatMap { Int($0) })
    while received.count < length { try #require(try receive()) }
    answer.body = Array(received.prefix(length))
    received.removeFirst(length)
    return answer
  }

  /// All that comes until the service closes the connection.
  func rest() throws -> [UInt8] {
    while try receive() {}
    return received
  }

  /// Whether the service closes the connection and has sent nothing more.
  func isClosed() throws -> Bool {
    while try receive() {}
    return received.isEmpty
  }

  /// The answer to the last request on a connection.
  func answer(to method: String) throws -> LocalAnswer {
    var answer = try head()
    while try receive() {}
    answer.body = received
    let length = answer.headers["content-length"].flatMap { Int($0) }
    if method != "HEAD", ![204, 304].contains(answer.status) { #expect(length == answer.body.count) }
    return answer
  }

  /// The next chunk of a stream, which is a line; `nil` after the last one.
  func line() throws -> String? {
    guard
      let size = try receive(through: [13, 10]).flatMap({
        Int(String(decoding: $0.dropLast(2), as: UTF8.self), radix: 16)
      }
      )
    else { return nil }
    while received.count < size + 2 { try #require(try receive()) }
    defer { received.removeFirst(size + 2) }
    endedWithLastChunk = size == 0
    return size == 0 ? nil : String(decoding: received[..<size], as: UTF8.self)
  }

  /// The next line of a stream that is not a keep-alive.
  func message() throws -> LooseJSON {
    while let line = try line() {
      if line != "\r\n" { return LooseJSON(try JSONSerialization.jsonObject(with: Data(line.utf8))) }
    }
    throw Silence()
  }
}

struct LocalAnswer {
  var status: Int
  var headers: [String: String] = [:]
  var body: [UInt8] = []

  var text: String { String(decoding: body, as: UTF8.self) }
  private var json: LooseJSON { LooseJSON(try? JSONSerialization.jsonObject(with: Data(body))) }
  subscript(key: String) -> LooseJSON { json[key] }
}

/// JSON for tests: a member that does not exist is an empty value.
struct LooseJSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, Equatable {
  let value: Any?

  init(_ value: Any?) { self.value = value }
  init(stringLiteral text: String) { value = text }
  init(booleanLiteral flag: Bool) { value = flag }

  subscript(key: String) -> LooseJSON { LooseJSON(object[key]) }
  subscript(index: Int) -> LooseJSON { LooseJSON(array.indices.contains(index) ? array[index].value : nil) }
  var object: [String: Any] { value as? [String: Any] ?? [:] }
  var array: [LooseJSON] { (value as? [Any] ?? []).map { LooseJSON($0) } }
  var text: String { value as? String ?? "" }
  var number: Int { value as? Int ?? 0 }

  static func == (left: LooseJSON, right: LooseJSON) -> Bool {
    switch (left.value, right.value) {
    case (nil, nil): true
    case (let left as String, let right as String): left == right
    case (let left as Bool, let right as Bool): left == right
    default: false
    }
  }
}
