import Services
import TweetCore
import TweetNet
import TweetServices

/// Standard input as `tw-stream -` reads it: a SOURCE a line.
struct SourceInput {
  private let feeds: SourceFeeds
  /// Whether a source is replaced only when it is over (`--once`).
  let waitsForEnd: Bool
  private var splitter = MessageSplitter(.lines, maxMessage: 64 << 10)
  private var lines: [String] = []
  private var isOpen = true
  private var hasLines = false

  init(waitsForEnd: Bool, _ feeds: SourceFeeds) {
    self.feeds = feeds
    self.waitsForEnd = waitsForEnd
  }

  /// Reads the SOURCE of a line.
  func source(_ line: String) throws(ToolError) -> Source {
    let source = try feeds.source(line)
    if source.readsInput {
      throw .usage("'\(source.feed)' cannot be one of the sources that standard input names, which it reads itself")
    }
    return source
  }

  func access(of source: Source) throws(ToolError) -> ServiceAccess? { try feeds.access(of: source) }

  func feeds(of source: Source) throws(ToolError) -> [RunningFeed] { try feeds.feeds(of: [source]) }

  /// More is read when all lines of what was read before have begun: a program that writes sources faster than they are
  /// polled waits, as it would for any other reader.
  var descriptors: [Int32] { isOpen && lines.isEmpty ? [0] : [] }
  /// Whether no more sources come.
  var isExhausted: Bool { !isOpen && lines.isEmpty }

  /// Removes and returns the next line, without the white space around it; `nil` when none is due.
  ///
  /// - Parameter isIdle: whether the source before it is over.
  mutating func removeNext(isIdle: Bool) -> String? {
    if lines.isEmpty || waitsForEnd && !isIdle { return nil }
    return lines.removeFirst()
  }

  mutating func handle(_ event: TransferLoop.Event) throws(ToolError) {
    guard isOpen, case .readable(0) = event else { return }
    guard let bytes = try readSome(0, name: "standard input") else { return }
    isOpen = !bytes.isEmpty
    // The last line may lack its end.
    append(isOpen ? bytes : splitter.isMidMessage ? [UInt8(ascii: "\n")] : [])
    if !isOpen, !hasLines { throw .usage("no source on standard input") }
  }

  private mutating func append(_ bytes: [UInt8]) {
    var found: [String] = []
    splitter.append(bytes) { (piece) throws(Never) in
      switch piece {
      case .message(let line):
        let text = String(decoding: line, as: UTF8.self)
        found.append(String(text.drop(while: \.isWhitespace).trimmingEnd))
      case .keepAlive: found.append("")
      // No SOURCE is so long; its beginning alone would be another SOURCE.
      case .tooLong, .wrongLength: found.append(":")
      }
    }
    hasLines = hasLines || found.contains { !$0.isEmpty }
    lines += found
  }
}

extension Substring {
  fileprivate var trimmingEnd: Substring {
    lastIndex { !$0.isWhitespace }.map { self[...$0] } ?? ""
  }
}
