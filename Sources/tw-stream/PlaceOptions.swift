import ArgumentParser
import TweetServices

/// Where a run goes on from, and what is kept for the next.
struct PlaceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Keep in this file how far each source was delivered, and continue from there.", valueName: "file"),
    completion: .file())
  var state: String?

  func places(_ access: ServiceAccess) -> Places? { state.map { Places($0, for: access) } }
}
