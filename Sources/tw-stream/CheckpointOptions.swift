import ArgumentParser
import TweetCLI
import TweetCore
import TweetServices
import TweetSources

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

  func checkpoints(_ access: ServiceAccess) throws(ToolError) -> Checkpoints? {
    guard let resume else { return state.map { Checkpoints($0, for: access) } }
    return Checkpoints(resume, for: access, resumed: try CheckpointFile(resume).read())
  }
}
