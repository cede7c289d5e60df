import ArgumentParser
package import TweetCore

/// The options of a command that removes or replaces what cannot be made again.
package struct DestroyingOptions: ParsableArguments {
  @Flag(help: "Change nothing: say what would be done.")
  package var dryRun = false

  @Flag(help: "Do not ask first. Where no terminal is there to ask on, this is needed.")
  package var yes = false

  package init() {}

  /// Whether to go on: not with `--dry-run`, which prints what would be done, and not if the person who is asked says
  /// no.
  ///
  /// - Parameter action: what would be done, such as `remove query 'music'`.
  /// - Throws: `ToolError.usage` when nobody can be asked.
  package func allows(_ action: String) throws(ToolError) -> Bool {
    if !dryRun { return yes ? true : try Question.ask(action + "?") }
    var output = RecordWriter()
    output.buffer.append("would \(Printable.line(action))\n")
    try output.flush()
    return false
  }
}
