package import TweetCore

/// The tweets that people name by the numbers which they have on this terminal: `3`, `3-7`. The tool that shows tweets
/// gives the numbers (``TweetNumbers``); each tool that takes a TWEET reads them here.
package struct ShortNumbers {
  private var file: NumberFile?
  private var isLoaded = false
  /// Whether there is a terminal.
  private let hasTerminal: Bool

  package init() {
    file = TerminalSession.name.map { NumberFile(session: $0) }
    hasTerminal = file != nil
  }

  /// The tweets that an operand names by numbers, in their order.
  ///
  /// - Returns: `nil` if the operand is to be read as it stands: it is not a number, or one that no tweet has here.
  /// - Throws: `ToolError.noInput` for a range with a number that no tweet has here.
  package mutating func targets(_ operand: String) throws(ToolError) -> [TweetTarget]? {
    guard let numbers = Self.numbers(operand) else { return nil }
    try load()
    var found: [TweetTarget] = []
    for number in numbers {
      if let target = file?.target(number) {
        found.append(target)
      } else if operand.contains("-") {
        throw .noInput("no tweet is numbered \(number) \(Self.place(hasTerminal))")
      }
    }
    return found.isEmpty ? nil : found
  }

  /// The tweet that an operand names by its number; as ``targets(_:)`` for one tweet.
  package mutating func target(_ operand: String) throws(ToolError) -> TweetTarget? {
    guard let targets = try targets(operand) else { return nil }
    guard targets.count == 1 else {
      throw .usage("'\(operand)' names \(targets.count) tweets: only one can be named here")
    }
    return targets[0]
  }

  /// What operands name: the tweets of numbers, each as `service:id`, and the other operands as they stand.
  ///
  /// - Parameter announces: whether to say what each number means.
  package mutating func names(_ operands: [String], announces: Bool = false) throws(ToolError) -> [String] {
    var names: [String] = []
    for operand in operands {
      guard let targets = try targets(operand) else {
        names.append(operand)
        continue
      }
      for target in targets {
        if announces { Diagnostics.note(target.label) }
        names.append("\(target.service):\(target.id)")
      }
    }
    return names
  }

  /// The same for an operand that names one tweet.
  package mutating func name(_ operand: String) throws(ToolError) -> String {
    try target(operand).map { "\($0.service):\($0.id)" } ?? operand
  }

  /// A SOURCE, in which `conversation:3` and `post:3` name a tweet by its number: with the tweet's own id, or that of
  /// the tweet which its conversation began with.
  package mutating func source(_ text: String) throws(ToolError) -> String {
    for kind in ["conversation:", "post:"] where text.hasPrefix(kind) {
      guard let target = try target(String(text.dropFirst(kind.utf8.count))) else { return text }
      let id = kind == "post:" ? target.id : target.conversation ?? target.id
      return "\(kind)\(target.service):\(id)"
    }
    return text
  }

  /// Whether an operand may be meant as a number of a person who uses them here, and no tweet has it.
  package mutating func isUnknown(_ operand: String) throws(ToolError) -> Bool {
    guard Self.numbers(operand) != nil, try targets(operand) == nil else { return false }
    return file?.isEmpty == false
  }

  /// What a message about an operand ends with that found no tweet: nothing, unless it may have been meant as a number.
  package mutating func hint(_ operand: String) -> String {
    guard Self.numbers(operand) != nil else { return "" }
    return "; no tweet is numbered \(operand) \(Self.place(hasTerminal))"
  }

  private static func place(_ hasTerminal: Bool) -> String {
    hasTerminal ? "on this terminal today: 'tw-render --numbers' numbers what it shows" : "here: there is no terminal"
  }

  private mutating func load() throws(ToolError) {
    if isLoaded { return }
    isLoaded = true
    try file?.load()
  }

  /// The numbers that an operand consists of: of up to three digits, without a zero before them.
  /// - Returns: `nil` for another text, which is an id, an address or a name.
  private static func numbers(_ operand: String) -> ClosedRange<Int>? {
    let parts = operand.split(separator: "-", omittingEmptySubsequences: false)
    let ends = parts.compactMap { part -> Int? in
      guard (1...3).contains(part.utf8.count), part.utf8.allSatisfy(\.isASCIIDigit), part.first != "0" else {
        return nil
      }
      return Int(part)
    }
    guard (1...2).contains(parts.count), ends.count == parts.count, ends[0] <= ends[ends.count - 1] else { return nil }
    return ends[0]...ends[ends.count - 1]
  }
}

/// Gives tweets that are shown their numbers on this terminal.
package struct TweetNumbers {
  private var file: NumberFile

  /// - Returns: `nil` where there is no terminal.
  package init?() {
    guard let session = TerminalSession.name else { return nil }
    file = NumberFile(session: session)
  }

  /// The number of a tweet, which every tool on this terminal knows when this returns; `nil` for a tweet without an id.
  package mutating func number(of tweet: JSONValue) throws(ToolError) -> Int? {
    guard let target = TweetTarget(tweet) else { return nil }
    return try file.number(of: target)
  }
}
