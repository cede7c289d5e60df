import ArgumentParser
import TweetCLI
import TweetCore

@main
struct TwCache: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "tw-cache",
    abstract: "Keep tweets in a store of your own.",
    version: Version.number,
    subcommands: [
      Add.self, List.self, Refresh.self, SourceCommand.self, Log.self, Show.self, Users.self, Top.self, Stats.self,
      Prune.self, Export.self, Import.self, Check.self,
    ])

  func execute() throws(ToolError) -> ExitStatus {
    throw .usage("say what to do: add, list, show, ... (see 'tw-cache --help')")
  }
}
