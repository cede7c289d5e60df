import Foundation

/// A fault of a service, and what tw-stream must do then.
package struct StreamCase: Sendable, CustomStringConvertible {
  package let name: String
  /// What the service says, in the steps of Tests/TestSupport/Server/Script.swift.
  package let script: String
  package let arguments: [String]
  /// The kinds of request it got, in order.
  package let requests: String
  /// The lines printed, as ``StreamRecords`` spells them.
  package let records: String
  /// How the tool ends.
  package let ending: Ending
  /// What standard error must say.
  package let says: String?
  /// Once this is printed (spelled as in `records`) the tool is asked to end.
  package let until: String?
  /// Milliseconds between the first and the second request for the stream, at least.
  package let pause: Int

  package init(
    _ name: String, _ script: String, arguments: [String] = ["#swift"], count: Int? = nil, requests: String,
    records: String, ending: Ending = .status(0), says: String? = nil, until: String? = nil, pause: Int = 0
  ) {
    self.name = name
    self.script = script
    self.arguments = (count.map { ["--count", String($0)] } ?? []) + arguments
    self.requests = requests
    self.records = records
    self.ending = until == nil ? ending : .signal(SIGTERM)
    self.says = says
    self.until = until
    self.pause = pause
  }

  package var description: String { name }
}

/// What tw-stream printed, in few words: `context connect 1 2 disconnect reconnect(0) connect gap(2,4) 4`.
///
/// A post is its number, a notice its code, with the seconds it waits, rounded down to a step of X's backoff (some
/// are added at random), a gap with the posts before and after it. A page of posts is its posts.
package enum StreamRecords {
  private static let backoff = [
    0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 3, 5, 10, 20, 40, 60, 80, 120, 160, 240, 320, 480, 960,
  ]

  package static func words(_ line: String, of service: FaultyService) -> [String] {
    guard let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any] else {
      return ["?\(line)"]
    }
    if let page = object["data"] as? [[String: Any]] { return page.map { post($0, service) } }
    if let message = object["data"] as? [String: Any] { return [post(message, service)] }
    if let id = object["id_str"] { return [number(id, service)] }
    guard object["tw"] as? String == "notice", let code = object["code"] as? String else {
      return [object["tw"] as? String ?? "?\(line)"]
    }
    if code == "gap" { return ["gap(\(number(object["last_id"], service)),\(number(object["next_id"], service)))"] }
    guard let wait = object["wait"] as? Double else { return [code] }
    let step = backoff.last { $0 <= wait } ?? wait
    return ["\(code)(\(step == step.rounded() ? String(Int(step)) : String(step)))"]
  }

  private static func post(_ object: [String: Any], _ service: FaultyService) -> String {
    number(object["id"], service)
  }

  private static func number(_ id: Any?, _ service: FaultyService) -> String {
    guard let text = id as? String, let id = Int(text) else { return "?" }
    return String(id >= service.firstID ? id - service.firstID : id)
  }
}
