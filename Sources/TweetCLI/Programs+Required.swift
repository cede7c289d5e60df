package import TweetCore

extension Programs {
  /// The path of a tool that another one needs.
  /// - Parameter name: without `tw-`.
  /// - Throws: ``ToolError/configuration(_:)`` if it is not installed.
  package func required(_ name: String) throws(ToolError) -> String {
    if let path = path(of: name) { return path }
    throw .configuration("cannot find tw-\(name): it is neither beside \(Diagnostics.toolName) nor on PATH")
  }
}
