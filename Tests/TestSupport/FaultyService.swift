import Foundation

/// A running `FaultServer`: a service on a loopback port that follows a script and logs its requests.
package final class FaultyService {
  /// One request it got.
  package struct Request: Sendable {
    /// `add`, `list`, `delete` (of rules), `stream`, `search`, or the method and the path.
    package let kind: String
    /// When it came, in milliseconds of a clock that only goes forward.
    package let at: Int
    /// Request line and header fields.
    package let head: String
    package let body: String

    /// A header field's value.
    package subscript(_ name: String) -> String? {
      head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ": ") }
        .map { String($0.dropFirst(name.count + 2)) }
    }

    /// A parameter of the query as it was sent.
    package func parameter(_ name: String) -> String? {
      let target = head.split(separator: " ").dropFirst().first ?? ""
      let pairs = target.split(separator: "?").dropFirst().first?.split(separator: "&") ?? []
      return pairs.first { $0.hasPrefix(name + "=") }.map { String($0.dropFirst(name.count + 1)) }
    }
  }

  package let port: Int
  /// The id of post 0; post 7's is seven more.
  package let firstID: Int
  private let directory: TemporaryDirectory
  private let process: RunningTool

  /// - Parameter script: the steps are listed in Tests/FaultServer/Script.swift.
  package init(_ script: String) throws {
    directory = try TemporaryDirectory()
    try directory.write("script", script)
    process = try RunningTool("FaultServer", ["script", "log"], directory: directory.path)
    let words = try process.line()?.split(separator: " ").compactMap { Int($0) } ?? []
    guard words.count == 2 else {
      throw CocoaError(.featureUnsupported, userInfo: [NSLocalizedDescriptionKey: try process.finish().errors])
    }
    (port, firstID) = (words[0], words[1])
  }

  package var base: String { "http://127.0.0.1:\(port)" }

  /// What it has delivered so far, by its own count: `posts 17`, `users 3`, `posts -` for one without a readable id.
  package var delivered: [String] {
    get throws {
      String(decoding: try directory.read("log.delivered"), as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }

  /// The requests so far. A request is logged before it is answered.
  package var requests: [Request] {
    get throws {
      guard directory.exists("log") else { return [] }
      // The last line may be on its way.
      let lines = try directory.read("log").split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
      return try lines.map { line in
        let fields = try JSONSerialization.jsonObject(with: Data(line)) as? [String: Any] ?? [:]
        return Request(
          kind: fields["kind"] as? String ?? "", at: fields["at"] as? Int ?? 0, head: fields["head"] as? String ?? "",
          body: fields["body"] as? String ?? "")
      }
    }
  }
}
