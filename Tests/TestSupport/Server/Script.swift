import TestNumbers

/// What a ``FaultyService`` answers: for each kind of request a list of answers in order, of which the last is
/// repeated.
///
/// A script is text. A line that does not begin with a space names a kind of request (`add`, `list`, `delete`,
/// `stream`, `search`, or a method and a path) and begins an answer; the lines below it are the answer's steps. Kinds
/// without an answer get the usual one. `rule VALUE TAG` is a rule that is there already. The steps:
///
///     status 503 Busy    header NAME: VALUE     of the head; `{now+5}` in it becomes that moment in Unix seconds
///     headers 10M                               fields of this many bytes
///     body TEXT                                 a whole answer, with its length
///     usual                                     the service's usual answer
///     text TEXT    line TEXT    bytes 0d 0a     some of a stream; `line` ends it with CR LF
///     post 3    post 3..9    away 4..6          numbered posts; those away are only in the search
///     live 3..9                                 posts, 50 ms apart, that the stream brings only while somebody's rule
///     is there
///     pad 4K                                    posts of this answer are longer by this many bytes
///     keep-alive    keep-alive 10 every 200ms   0: until the client leaves
///     garbage 4K                                random bytes, the same each time
///     gzip    split 1    raw                    from here on: compressed; pieces of this many bytes; no HTTP of ours
///     cut 37                                    a reset after this many more bytes
///     pause 200ms    hold                       `hold` waits until the client leaves
///     refuse 300ms                              connections are refused for so long
///     end    close    reset                     in good order; without the end of the answer; hard
///     soak 5000 cuts 20 seed 7                  see Soak
struct Script: Sendable {
  /// Says some of an answer.
  typealias Step = @Sendable (Exchange) -> Void

  struct Fault: Error {
    let line: String
  }

  private(set) var answers: [String: [[Step]]] = [:]
  private(set) var rules: [ServiceMemory.Rule] = []

  init(_ text: String) throws(Fault) {
    var kind: String?
    for line in text.split(separator: "\n") {
      let isStep = line.hasPrefix(" ")
      let words = line.drop { $0 == " " }
      if words.isEmpty { continue }
      if !isStep, words.hasPrefix("rule ") {
        let parts = words.split(separator: " ", maxSplits: 2).map(String.init)
        rules.append((String(rules.count + 1), parts[1], parts.count > 2 ? parts[2] : ""))
      } else if !isStep {
        kind = String(words)
        answers[String(words), default: []].append([])
      } else {
        guard let kind, let last = answers[kind]?.indices.last, let step = Self.step(words) else {
          throw Fault(line: String(words))
        }
        answers[kind]?[last].append(step)
      }
    }
  }

  private static func step(_ line: Substring) -> Step? {
    let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count > 1 ? String(parts[1]) : ""
    let words = rest.split(separator: " ").map(String.init)
    switch parts[0] {
    case "status": return { $0.connection.status = rest }
    case "header": return { $0.addField(rest) }
    case "body": return { $0.answer(Array(rest.utf8)) }
    case "usual": return { $0.answerAsUsual() }
    case "text": return { $0.chunk(Array(rest.utf8)) }
    case "line": return { $0.chunk(Array((rest + "\r\n").utf8)) }
    case "bytes":
      let bytes = words.compactMap { UInt8($0, radix: 16) }
      return with(bytes.count == words.count ? bytes : nil) { $0.chunk($1) }
    case "gzip": return { $0.connection.compress() }
    case "raw": return { $0.connection.goRaw() }
    case "hold": return { $0.hold() }
    case "end": return { $0.end() }
    case "close": return { $0.connection.close() }
    case "reset": return { $0.connection.reset() }
    case "keep-alive":
      guard let interval = words.count == 3 ? milliseconds(words[2]) : 0 else { return nil }
      let count = words.first.flatMap { Int($0) } ?? 1
      return { $0.keepAlive(count, every: interval) }
    case "soak": return with(Soak(words)) { $0.run($1) }
    default: return words.count == 1 ? step(String(parts[0]), words[0]) : nil
    }
  }

  /// The steps with one number, range, size or duration.
  private static func step(_ name: String, _ word: String) -> Step? {
    let numbers = word.split(separator: ".").compactMap { Int($0) }
    let range = numbers.first.flatMap { first in numbers.last.flatMap { first <= $0 ? first...$0 : nil } }
    let size = size(word)
    let time = milliseconds(word)
    return switch name {
    case "post": with(range) { $0.post($1) }
    case "away": with(range) { $0.memory.publish($1) }
    case "live": with(range) { $0.live($1) }
    case "pad": with(size) { $0.padding = $1 }
    case "headers": with(size) { $0.addFields(ofBytes: $1) }
    case "garbage": with(size) { $0.chunk(garbage($1)) }
    case "split": with(size) { $0.connection.pieceSize = $1 }
    case "cut": with(size) { $0.connection.bytesLeft = $1 }
    case "pause": with(time) { $0.connection.pause(Double($1) / 1000) }
    case "refuse": with(time) { $0.connection.refuseOthers(milliseconds: $1) }
    default: nil
    }
  }

  private static func with<Value: Sendable>(
    _ value: Value?, _ say: @escaping @Sendable (Exchange, Value) -> Void
  ) -> Step? {
    guard let value else { return nil }
    return { say($0, value) }
  }

  private static func garbage(_ size: Int) -> [UInt8] {
    var chance = Chance(seed: 1)
    return (0..<size).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
  }

  private static func size(_ word: String) -> Int? {
    if word.hasSuffix("M") { return Int(word.dropLast()).map { $0 << 20 } }
    if word.hasSuffix("K") { return Int(word.dropLast()).map { $0 << 10 } }
    return Int(word)
  }

  private static func milliseconds(_ word: String) -> Int? {
    if word.hasSuffix("ms") { return Int(word.dropLast(2)) }
    if word.hasSuffix("s") { return Int(word.dropLast()).map { $0 * 1000 } }
    return nil
  }
}
