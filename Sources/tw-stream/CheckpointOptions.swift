import ArgumentParser
import TweetServices

/// Where checkpoints are saved.
struct CheckpointOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Keep in this file how far each source was delivered, and continue from there.", valueName: "file"),
    completion: .file())
  var state: String?

  func file(_ access: ServiceAccess) -> CheckpointFile? { state.map { CheckpointFile($0, for: access) } }
}
