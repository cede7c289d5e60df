import TweetCore
import TweetNet

/// Prints requests instead of making them, without their secrets.
enum DryRun {
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
