import Libc
import Synchronization
package import TweetCore

/// What a tool tells people, on standard error: `tool: message`, one line each, harmless on a terminal.
package enum Diagnostics {
  private static let quiet = Atomic<Bool>(false)

  /// The name the program was called by.
  package static let toolName: String = {
    let path = CommandLine.arguments.first ?? "tw"
    return String(path.split(separator: "/").last ?? "tw")
  }()

  /// Whether ``note(_:)`` is silent (`--quiet`).
  package static var isQuiet: Bool {
    get { quiet.load(ordering: .relaxed) }
    set { quiet.store(newValue, ordering: .relaxed) }
  }

  /// Tells of something that went wrong.
  package static func warn(_ message: String) {
    var line = ByteBuffer(capacity: 256)
    line.append("\(toolName): \(Printable.line(message))\n")
    // Nothing can be done where standard error itself cannot be written.
    line.withBytes { _ = writeAll($0, to: 2) }
  }

  /// Tells of something worth knowing, unless `--quiet` was given.
  package static func note(_ message: String) {
    if !isQuiet { warn(message) }
  }

  /// Tells an error that ends the tool, if there is anything to tell.
  package static func report(_ error: ToolError) {
    if let message = error.message { warn(message) }
  }
}
