import Libc
import TweetCore

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
    var names = [lastPart(ProgramWords.texts.first ?? "")]
    guard var path = Programs.executed else { return names }
    names.append(lastPart(path))
    // As many as the kernel follows (path_resolution(7)).
    for _ in 0..<40 {
      guard let target = Paths.linkTarget(of: path) else { break }
      path = target.hasPrefix("/") ? target : "\(path.dropLast(lastPart(path).utf8.count))\(target)"
      names.append(lastPart(path))
    }
    return names
  }

  private static func lastPart(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }
}
