package import ArgumentParser

/// How a service is reached, and which account requests are made for.
package struct AccessOptions: ParsableArguments {
  @Option(
    name: [.customLong("ca-file"), .customLong("cacert")],
    help: ArgumentHelp("Trust the certificate authorities in this file, not the system's.", valueName: "file"),
    completion: .file())
  package var caFile: String?

  @OptionGroup package var identity: AccountOptions

  package init() {}
}
