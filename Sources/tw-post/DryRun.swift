import Libc
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// Prints requests instead of making them, without their secrets.
enum DryRun {
  /// Prints the posts that would be made, for people.
  ///
  /// - Parameters:
  ///   - target: where, if there are several places.
  ///   - particulars: what belongs to the first post besides its text, a line each.
  static func print(
    _ texts: [String], _ limit: TextLimit, at target: String?, _ particulars: [String]
  ) throws(ToolError) {
    var output = RecordWriter()
    let target = target.map { Printable.line($0) + ": " } ?? ""
    for (index, text) in texts.enumerated() {
      let place = texts.count > 1 ? "post \(index + 1) of \(texts.count), " : ""
      let length = try limit.length(of: text)
      let excess = target.isEmpty || length <= limit.longest ? "" : ", too long by \(length - limit.longest)"
      output.buffer.append("\(target)\(place)\(length) of \(limit.longest)\(excess)\n")
      for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
        output.buffer.append("  " + Printable.line(String(line), limit: .max) + "\n")
      }
      if index == 0 { for line in particulars { output.buffer.append("  \(line)\n") } }
    }
    try output.flush()
  }

  /// What belongs to a post, for a person at a terminal, with when it would be sent; nothing for a program.
  static func particulars(of draft: PostDraft?, at target: CrossTarget, _ way: WritingWay) -> [String] {
    guard isatty(1) == 1 else { return [] }
    return ["account: \(target.name)"] + (draft?.particulars(at: target.access.service) ?? []) + [way.sendingWords]
  }

  static func print(_ requests: [HTTPRequest]) throws(ToolError) {
    var output = RecordWriter()
    for request in requests {
      output.buffer.append("\(request.method.rawValue) \(request.url)\n")
      output.buffer.append("Authorization: (hidden)\n")
      for header in request.headers { output.buffer.append("\(header.name): \(header.value)\n") }
      if let body = request.body {
        output.buffer.append("\n")
        output.buffer.append(body)
        output.buffer.append("\n")
      }
      try output.endLine()
    }
    try output.flush()
  }
}
