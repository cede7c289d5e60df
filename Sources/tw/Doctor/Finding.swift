import TweetCore

/// What `tw doctor` has found out about one thing.
struct Finding {
  /// What it is about, in the order of the checks.
  enum Topic: String, CaseIterable {
    case tools, libraries, programs, settings, credentials, accounts, services, clock, store, disk, outbox, sources,
      cron
    case terminal
  }

  enum State: String {
    case ok
    /// Something is missing that not everybody needs.
    case note
    /// Something does not work.
    case fault
  }

  let topic: Topic
  let state: State
  let message: String
  /// The command that mends it; `nil` where nothing is to be done, or no command can do it.
  let mend: String?

  static func ok(_ topic: Topic, _ message: String) -> Finding {
    Finding(topic: topic, state: .ok, message: message, mend: nil)
  }

  static func note(_ topic: Topic, _ message: String, mend: String?) -> Finding {
    Finding(topic: topic, state: .note, message: message, mend: mend)
  }

  static func fault(_ topic: Topic, _ message: String, mend: String?) -> Finding {
    Finding(topic: topic, state: .fault, message: message, mend: mend)
  }

  private static let topicWidth = Topic.allCases.map(\.rawValue.utf8.count).max() ?? 0

  /// Appends a line, and another one with the command.
  func appendText(to buffer: inout ByteBuffer) {
    func filled(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: width - text.utf8.count)
    }
    let head = filled(state.rawValue, 5) + "  " + filled(topic.rawValue, Self.topicWidth) + "  "
    buffer.append(head + Printable.line(message) + "\n")
    if let mend { buffer.append(filled("", head.utf8.count) + "mend: " + Printable.line(mend) + "\n") }
  }

  func appendJSON(to buffer: inout ByteBuffer) {
    buffer.object { out in
      out.member("topic", topic.rawValue)
      out.member("state", state.rawValue)
      out.member("message", message)
      out.member("mend", mend)
    }
    buffer.append("\n")
  }
}
