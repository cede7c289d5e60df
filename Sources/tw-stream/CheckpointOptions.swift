import ArgumentParser
import Services
import TweetCLI
import TweetCore
import TweetServices

/// Where checkpoints come from and go to.
struct CheckpointOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Keep in this file how far each source was delivered, and continue from there.", valueName: "file"),
    completion: .file())
  var state: String?

  @Option(
    help: ArgumentHelp(
      "Continue as with --state, but let 'tw-cache add --state' save what it has stored.", valueName: "file"),
    completion: .file())
  var resume: String?

  func validate() throws {
    if state != nil, resume != nil { throw ValidationError("--state and --resume exclude each other") }
  }

  /// The checkpoints of the file of `--resume`, which is read once: it may be a pipe.
  func resumed() throws(ToolError) -> CheckpointList? {
    guard let resume else { return nil }
    return try CheckpointFile(resume).read()
  }

  /// - Parameter resumed: what ``resumed()`` gave.
  func checkpoints(_ access: ServiceAccess, resumed: CheckpointList?) -> Checkpoints? {
    (resume ?? state).map { Checkpoints($0, for: access, resumed: resumed) }
  }

  /// Those of a source plugin.
  func checkpoints(ofPlugin name: String, account: String?, resumed: CheckpointList?) -> Checkpoints? {
    (resume ?? state).map { Checkpoints($0, service: name, base: nil, account: account, resumed: resumed) }
  }
}
