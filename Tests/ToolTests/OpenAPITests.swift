import Foundation
import TestSupport
import Testing

/// Requests against X's own description of its API, read by a validator that is not ours (openapi-core, of PyPI).
@Suite(.onOwnThread(minutes: 15), .enabled(if: TestData.isAvailable, Comment(rawValue: TestData.comment)))
struct OpenAPITests {
  /// A Python with the validator, which the first run installs; `nil` where that does not work.
  private static func python() throws -> String? {
    let folder = Package.root + "/.build/openapi"
    let script = """
      [ -e \(folder)/ready ] || {
        python3 -m venv \(folder) && \(folder)/bin/pip --quiet install openapi-core && touch \(folder)/ready
      }
      """
    let result = try Tool.shell(script, timeout: 300)
    if result.status == 0 { return folder + "/bin/python" }
    print("skipped: no Python with openapi-core: \(result.errors)")
    return nil
  }

  @Test func everyRequestOfTwPostIsOne() throws {
    guard let python = try Self.python() else { return }
    let service = try PostService([.answer, .answer, .answer, .close])
    let home = try TemporaryDirectory()
    try home.write("a.png", Array("\u{89}PNG\r\n\u{1A}\n picture".unicodeScalars.map { UInt8($0.value) }))
    let commands = [
      ["Hello & <world>"], ["reply", "42", "so did I"], ["quote", "42", "look"], ["lost"],
      ["--media", "a.png", "--alt", "A picture", "shown"],
      ["--poll", "yes", "--poll", "no", "--poll-for", "1h", "well?"], ["delete", "42"], ["follow", "jill"],
      ["unfollow", "jill"], ["like", "42"], ["unlike", "42"], ["retweet", "42"], ["unretweet", "42"],
      ["bookmark", "42"],
      ["unbookmark", "42"],
    ]
    for command in commands {
      let result = try Tool.run("tw-post", command, environment: service.environment, home: home)
      #expect(result.status == 0, "\(command): \(result.errors)")
    }
    #expect(service.requests.contains { $0.body.contains(#""poll":{"options":["yes","no"],"duration_minutes":60}"#) })
    #expect(service.requests.contains { $0.body.contains(#""media":{"media_ids":["9"]}"#) })
    var text = ""
    for request in service.requests {
      let target = request.target.replacingOccurrences(of: " ", with: " http://127.0.0.1")
      text += target + "\nAuthorization: (hidden)\n"
      text += request.body.isEmpty ? "\n" : "Content-Type: application/json\n\n\(request.body)\n\n"
    }
    let description = try #require(TestData.directory) + "/x-openapi/openapi-2.166-2026-07-01.json"
    let result = try Tool.run(
      python, [Package.root + "/Tests/OpenAPI/validate.py", description], stdin: ToolInput(text))
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("\(service.requests.count) requests, 0 faults"))
    #expect(service.requests.count > commands.count)
  }
}
