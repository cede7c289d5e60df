import ArgumentParser

/// What goes wrong with a request: the value of `--fault`.
///
/// `[METHOD ]PATH=WHAT[:TIMES]`, such as `POST /2/tweets=503:2`. In the path `*` stands for one part, and at its end
/// for all that follow.
struct Fault: ExpressibleByArgument, Sendable {
  enum Kind: Sendable, Equatable {
    /// The service answers with this status and does nothing.
    case status(Int)
    /// The connection is closed, and the service does nothing.
    case close
    /// The service does what it is asked, and the connection is closed without an answer.
    case lost
    /// The service does what it is asked, and its answer ends in the middle.
    case cut
    /// The service does what it is asked, and what it answers is no JSON.
    case garbled
    /// The service does nothing and says nothing.
    case silent
  }

  let kind: Kind
  /// `nil` for any.
  private let method: String?
  private let pattern: [Substring]
  /// How often it happens; `nil` means always.
  let times: Int?

  /// What can go wrong besides a status, for `--help`.
  static let causes = "close, lost, cut, garbled, silent"

  init?(argument: String) {
    guard let equals = argument.lastIndex(of: "=") else { return nil }
    let words = argument[..<equals].split(separator: " ")
    guard (1...2).contains(words.count), let path = words.last, path.hasPrefix("/") else { return nil }
    method = words.count == 2 ? words[0].uppercased() : nil
    pattern = path.split(separator: "/")
    let parts = argument[argument.index(after: equals)...].split(separator: ":", omittingEmptySubsequences: false)
    guard let kind = Self.kind(parts[0]), parts.count <= 2 else { return nil }
    self.kind = kind
    switch parts.count == 2 ? parts[1] : "1" {
    case "all": times = nil
    case let text:
      guard let number = Int(text), number > 0, !text.hasPrefix("+") else { return nil }
      times = number
    }
  }

  private static func kind(_ text: Substring) -> Kind? {
    switch text {
    case "close": .close
    case "lost": .lost
    case "cut": .cut
    case "garbled": .garbled
    case "silent": .silent
    default: Int(text).flatMap { (400...599).contains($0) && text.utf8.count == 3 ? .status($0) : nil }
    }
  }

  func concerns(_ request: ServerRequest) -> Bool {
    if let method, method != request.method { return false }
    for (index, part) in pattern.enumerated() {
      if part == "*", index == pattern.count - 1 { return request.path.count > index }
      guard index < request.path.count, part == "*" || part == request.path[index] else { return false }
    }
    return pattern.count == request.path.count
  }
}
