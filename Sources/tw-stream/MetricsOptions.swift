import ArgumentParser
import TweetCore

/// Where a long run says how it goes.
struct MetricsOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Write each minute to this file how the run goes.", valueName: "file"), completion: .file())
  var metrics: String?

  @Option(help: ArgumentHelp("The format of the file of --metrics.", valueName: "format"))
  var metricsFormat: MetricsFormat?

  func validate() throws {
    if metricsFormat != nil, metrics == nil { throw ValidationError("--metrics-format needs --metrics") }
  }

  /// - Returns: `nil` if nobody wants to know.
  func file() throws(ToolError) -> MetricsFile? {
    guard let metrics else { return nil }
    return MetricsFile(metrics, metricsFormat ?? .records)
  }
}

enum MetricsFormat: String, CaseIterable, ExpressibleByArgument {
  /// A JSON object a line, appended each time.
  case records
  /// Prometheus' text format, of the last time alone: for a folder of node_exporter's textfile collector.
  case prometheus
}
