import ArgumentParser

/// The option of every command that has no ``InputOptions``, which have it too.
package struct MessageOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Print no messages except errors.")
  package var quiet = false

  package init() {}
}
