/// A family of metrics in Prometheus' text format, version 0.0.4 (prometheus.io, "Exposition formats"): numbers of one
/// kind, which their labels tell apart.
package struct PrometheusFamily {
  package enum Kind: String {
    case gauge, counter
  }

  /// Labels, and a number as it is written.
  package typealias Sample = (labels: [(name: String, value: String)], value: String)

  private let name: String
  private let kind: Kind
  private let help: String
  private let samples: [Sample]

  /// - Parameters:
  ///   - name: of ASCII letters, digits and underscores.
  ///   - help: a line of text without a backslash.
  package init(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    (self.name, self.kind, self.help, self.samples) = (name, kind, help, samples)
  }

  /// Appends its lines; none if it has no samples.
  package func append(to buffer: inout ByteBuffer) {
    if samples.isEmpty { return }
    buffer.append("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    for sample in samples {
      let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
      buffer.append("\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.value)\n")
    }
  }

  /// The value of a label.
  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}

/// `0`, `0.25`, `5`: milliseconds as seconds, without needless zeros.
package func seconds(_ milliseconds: Int) -> String {
  let fraction = String(1000 + milliseconds % 1000).dropFirst()
  guard let last = fraction.lastIndex(where: { $0 != "0" }) else { return String(milliseconds / 1000) }
  return "\(milliseconds / 1000).\(fraction[...last])"
}
