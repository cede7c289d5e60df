import ArgumentParser

/// How a live connection is held.
struct LiveOptions: ParsableArguments {
  @Flag(help: "Leave the stream rules at the service when ending.")
  var keepRules = false
}
