import Libc
package import TweetCore

/// A program file that holds several tools: all but one of them are links to it, and each is started by its own name.
package enum ProgramFile {
  /// Runs the tool that the process was started as; never returns.
  /// - Parameter tools: their names and what they do.
  package static func run(_ tools: KeyValuePairs<String, () -> Void>) -> Never {
    for name in names {
      guard let tool = tools.first(where: { $0.key == name }) else { continue }
      tool.value()
      exit(ExitStatus.done.rawValue)
    }
    let known = tools.map(\.key).joined(separator: ", ")
    Diagnostics.warn("a program of this file is chosen by its name, which must be one of: \(known)")
    exit(ExitStatus.usage.rawValue)
  }

  /// The names that the process may have been started by: that which the caller gave, then that of the file that was
  /// executed, and those of the links that lead from there to the program.
  private static var names: [String] {
    var names = [Paths.split(ProgramWords.texts.first ?? "").name]
    guard var path = Programs.executed else { return names }
    names.append(Paths.split(path).name)
    // As many as the kernel follows (path_resolution(7)).
    for _ in 0..<40 {
      guard let target = Paths.linkTarget(of: path) else { break }
      path = target.hasPrefix("/") ? target : Paths.split(path).folder + target
      names.append(Paths.split(path).name)
    }
    return names
  }
}

extension Programs {
  /// The path of a tool that another one needs.
  /// - Parameter name: without `tw-`.
  /// - Throws: ``ToolError/configuration(_:)`` if it is not installed.
  package func required(_ name: String) throws(ToolError) -> String {
    if let path = path(of: name) { return path }
    throw .configuration("cannot find tw-\(name): it is neither beside \(Diagnostics.toolName) nor on PATH")
  }
}
