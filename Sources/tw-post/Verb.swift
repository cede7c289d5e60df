import ArgumentParser
import TweetCore
import TweetServices

/// What the first operand can ask for.
enum Verb: RawRepresentable, CaseIterable, Equatable {
  case reply, quote, edit, undo, flush, outbox, length
  case change(PostChange)

  static var allCases: [Verb] {
    [.reply, .quote, .edit] + PostChange.allCases.map { .change($0) } + [.undo, .flush, .outbox, .length]
  }

  /// Whether its operands name accounts.
  var isOfAccounts: Bool { if case .change(let change) = self { change.isOfAccount } else { false } }

  /// Those of its operands that name tweets or accounts.
  func tweets(_ operands: [String]) -> [String] {
    switch self {
    case .reply, .quote, .edit: Array(operands.prefix(1))
    case .change: operands
    case .undo, .flush, .outbox, .length: []
    }
  }

  var rawValue: String {
    switch self {
    case .reply: "reply"
    case .quote: "quote"
    case .edit: "edit"
    case .undo: "undo"
    case .length: "length"
    case .flush: "flush"
    case .outbox: "outbox"
    case .change(let change): change.rawValue
    }
  }

  init?(rawValue: String) {
    guard let verb = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
    self = verb
  }
}

extension PostDraft.Repliers: ExpressibleByArgument {}
extension PostDraft.Visibility: ExpressibleByArgument {}

/// How the writes of a run are made.
struct WritingWay {
  /// Whether it waits for rate limits and a lost service.
  let waits: Bool
  let isLater: Bool
  /// When what is for later is to be sent; `nil` for as soon as can be.
  var dueAt: Timestamp?
  let isDryRun: Bool
  var needsNoQuestion: Bool
  /// Whether pictures and videos are posted with what they say about their owner.
  let keepsMetadata: Bool
  /// Whether a post is made without its card if the page cannot be read.
  var needsNoCard = false
  /// After this time what is for later is not sent any more.
  var notAfter: Timestamp?
  /// Whether a list is done again that was done before.
  var repeats = false

  /// When it is sent, as a line of ``DryRun``.
  var sendingWords: String { "sent: " + (isLater ? "by 'tw-post flush'\(dueWords)" : "at once") }

  /// What a message about what is for later ends with.
  var dueWords: String {
    (dueAt.map { " from \(LocalMoment.text($0)) on" } ?? "")
      + (notAfter.map { ", and not after \(LocalMoment.text($0))" } ?? "")
  }
}
