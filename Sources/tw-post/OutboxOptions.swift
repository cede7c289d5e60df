import ArgumentParser
import TweetCLI
import TweetCore

/// The options for what waits in the outbox, and for what it knows as done.
struct OutboxOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "With --at or --later: do not send it after this time.", valueName: "time"),
    transform: DueTime.parse)
  var notAfter: Timestamp?

  @Flag(help: "Do what a list on standard input names also where it was done before.")
  var again = false
}
