import TweetCore
import TweetNet

/// Prints requests instead of making them, without their secrets.
enum DryRun {
  /// Prints the posts that would be made, for people.
  ///
  /// - Parameter target: where, if there are several places.
  static func print(
    _ texts: [String], _ limit: TextLimit, at target: String? = nil
  ) throws(ToolError) -> ExitStatus {
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
    }
    try output.flush()
    return .done
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
