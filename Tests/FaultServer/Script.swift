import Libc
import TweetCore

/// What the server answers: for each kind of request a list of answers in order, of which the last is repeated.
///
/// A script is text. A line that does not begin with a space names a kind of request (`add`, `list`, `delete`, `stream`,
/// `search`, or a method and a path) and begins an answer; the lines below it are the answer's steps. Kinds without an
/// answer get the usual one. `rule VALUE TAG` is a rule that is there already. The steps:
///
///     status 503 Busy    header NAME: VALUE     of the head; `{now+5}` in it becomes that moment in Unix seconds
///     headers 10M                               fields of this many bytes
///     body TEXT                                 a whole answer, with its length
///     usual                                     the service's usual answer
///     text TEXT    line TEXT    bytes 0d 0a     some of a stream; `line` ends it with CR LF
///     post 3    post 3..9    away 4..6          numbered posts; those away are only in the search
///     live 3..9                                 posts, 50 ms apart, that the stream brings only while somebody's rule is there
///     pad 4K                                    posts of this answer are longer by this many bytes
///     keep-alive    keep-alive 10 every 200ms   0: until the client leaves
///     garbage 4K                                random bytes, the same each time
///     gzip    split 1    raw                    from here on: compressed; pieces of this many bytes; no HTTP of ours
///     cut 37                                    a reset after this many more bytes
///     pause 200ms    hold                       `hold` waits until the client leaves
///     refuse 300ms                              connections are refused for so long
///     end    close    reset                     in good order; without the end of the answer; hard
///     soak 5000 cuts 20 seed 7                  see Soak
struct Script {
  enum Step {
    case status(String)
    case header(String)
    case padding(Int)
    case body(String)
    case usual
    case bytes([UInt8])
    case posts(ClosedRange<Int>)
    case away(ClosedRange<Int>)
    case live(ClosedRange<Int>)
    case longer(Int)
    case keepAlive(count: Int, every: Int)
    case garbage(Int)
    case gzip
    case split(Int)
    case raw
    case cut(Int)
    case pause(Int)
    case hold
    case refuse(Int)
    case end, close, reset
    case soak(Soak)
  }

  struct Fault: Error {
    let line: String
  }

  private(set) var answers: [String: [[Step]]] = [:]
  private(set) var rules: [(value: String, tag: String)] = []

  init(_ text: String) throws(Fault) {
    var kind: String?
    for line in text.split(separator: "\n") {
      let isStep = line.hasPrefix(" ")
      let words = line.drop { $0 == " " }
      if words.isEmpty { continue }
      if !isStep, words.hasPrefix("rule ") {
        let parts = words.split(separator: " ", maxSplits: 2).map(String.init)
        rules.append((parts[1], parts.count > 2 ? parts[2] : ""))
      } else if !isStep {
        kind = String(words)
        answers[String(words), default: []].append([])
      } else {
        guard let kind, let last = answers[kind]?.indices.last, let step = Step(words) else {
          throw Fault(line: String(words))
        }
        answers[kind]?[last].append(step)
      }
    }
  }
}

extension Script.Step {
  fileprivate init?(_ line: Substring) {
    let parts = line.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count > 1 ? String(parts[1]) : ""
    let words = rest.split(separator: " ").map(String.init)
    switch parts[0] {
    case "status": self = .status(rest)
    case "header": self = .header(rest)
    case "body": self = .body(rest)
    case "usual": self = .usual
    case "text": self = .bytes(Array(rest.utf8))
    case "line": self = .bytes(Array((rest + "\r\n").utf8))
    case "bytes":
      let bytes = words.compactMap { UInt8($0, radix: 16) }
      guard bytes.count == words.count else { return nil }
      self = .bytes(bytes)
    case "gzip": self = .gzip
    case "raw": self = .raw
    case "hold": self = .hold
    case "end": self = .end
    case "close": self = .close
    case "reset": self = .reset
    case "keep-alive":
      guard let interval = words.count == 3 ? Self.milliseconds(words[2]) : 0 else { return nil }
      self = .keepAlive(count: words.first.flatMap { Int($0) } ?? 1, every: interval)
    case "soak":
      guard let soak = Soak(words) else { return nil }
      self = .soak(soak)
    default:
      guard words.count == 1 else { return nil }
      self.init(String(parts[0]), words[0])
    }
  }

  /// The steps with one number, range, size or duration.
  private init?(_ name: String, _ word: String) {
    let numbers = word.split(separator: ".").compactMap { Int($0) }
    let size = Self.size(word)
    let time = Self.milliseconds(word)
    switch name {
    case "post", "away", "live":
      guard let first = numbers.first, let last = numbers.last, first <= last else { return nil }
      self = name == "post" ? .posts(first...last) : name == "away" ? .away(first...last) : .live(first...last)
    case "pad": if let size { self = .longer(size) } else { return nil }
    case "headers": if let size { self = .padding(size) } else { return nil }
    case "garbage": if let size { self = .garbage(size) } else { return nil }
    case "split": if let size { self = .split(size) } else { return nil }
    case "cut": if let size { self = .cut(size) } else { return nil }
    case "pause": if let time { self = .pause(time) } else { return nil }
    case "refuse": if let time { self = .refuse(time) } else { return nil }
    default: return nil
    }
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
