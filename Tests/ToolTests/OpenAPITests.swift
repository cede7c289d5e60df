import Foundation
import TestSupport
import Testing

/// Requests against X's own description of its API, read by a validator that is not ours (openapi-core, of PyPI).
@Suite(.onOwnThread(minutes: 15), .enabled(if: TestData.isAvailable, Comment(rawValue: TestData.comment)))
struct OpenAPITests {
  @Test func everyRequestOfTwPostIsOne() throws {
    let python = try PythonPackage.needed("openapi_core")
    let service = try PostService([.answer, .answer, .answer, .close])
    let home = try TemporaryDirectory()
    try home.write("a.png", Array("\u{89}PNG\r\n\u{1A}\n picture".unicodeScalars.map { UInt8($0.value) }))
    let commands = [
      ["Hello & <world>"], ["reply", "42", "so did I"], ["quote", "42", "look"], ["lost!"],
      ["--keep-metadata", "--media", "a.png", "--alt", "A picture", "shown"], ["--keep-metadata", "--media", "a.png"],
      ["--reply-settings", "mentioned", "quote", "42", "only you"], ["--reply-settings", "verified", "hm"],
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
    try expectValid(service.requests, python)
    #expect(service.requests.count > commands.count)
  }

  @Test func everyRequestOfTwStreamIsOne() throws {
    let python = try PythonPackage.needed("openapi_core")
    let post = #"{"id":"1456012973835788293","text":"hello","author_id":"7"}"#
    let server = try LoopbackServer { request, connection in
      switch request.target.split(separator: "?")[0] {
      case "GET /2/tweets/search/stream", "GET /2/tweets/sample/stream":
        connection.startStream()
        connection.chunk(#"{"data":\#(post)}"# + "\r\n")
        connection.pause(1)
      case "POST /2/tweets/search/stream/rules":
        let body = LooseJSON(try? JSONSerialization.jsonObject(with: Data(request.body.utf8)))
        let rule = body["add"][0]
        let added = #"{"data":[{"id":"1","value":"\#(rule["value"].text)","tag":"\#(rule["tag"].text)"}]}"#
        let isAdded = rule.value != nil
        connection.answer(isAdded ? 201 : 200, isAdded ? added : #"{"meta":{"summary":{"deleted":1}}}"#)
      case let path where path.hasPrefix("GET /2/users/by/") || path == "GET /2/users/me":
        connection.answer(200, #"{"data":{"id":"7","username":"jack","name":"Jack"}}"#)
      default: connection.answer(200, #"{"data":[\#(post)],"meta":{"result_count":1}}"#)
      }
    }
    let environment = ["TW_ENDPOINT": server.base, "TW_TOKEN": "t"]
    let commands = [
      ["--once", "#swift"], ["--once", "@jack"], ["--once", "home"], ["--once", "mentions"],
      ["--once", "list:84839422"],
      ["--once", "conversation:1456012973835788293"], ["--once", "--archive", "#swift"],
      ["--once", "--since", "2h", "--until", "1h", "search:a \"b c\" -is:retweet"],
      ["--once", "--since-id", "1456012973835788290", "--until-id", "1456012973835788299", "@jack"], ["ids:-"],
      ["--limit", "1", "#swift"], ["--limit", "1", "sample"],
    ]
    let home = try TemporaryDirectory()
    for command in commands {
      let result = try Tool.run(
        "tw-stream", command, stdin: "1456012973835788293\n", environment: environment, home: home)
      #expect(result.ending == .status(0) && result.output.contains("hello"), "\(command): \(result.errors)")
    }
    try expectValid(server.requests, python)
  }

  /// Checks requests against the description.
  private func expectValid(_ requests: [LoopbackServer.Request], _ python: String) throws {
    var text = ""
    for request in requests {
      let target = request.target.replacingOccurrences(of: " ", with: " http://127.0.0.1")
      text += target + "\nAuthorization: (hidden)\n"
      text += request.body.isEmpty ? "\n" : "Content-Type: application/json\n\n\(request.body)\n\n"
    }
    let description = try #require(TestData.directory) + "/x-openapi/openapi-2.166-2026-07-01.json"
    let result = try Tool.run(
      python, [Package.root + "/Tests/OpenAPI/validate.py", description], stdin: ToolInput(text))
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("\(requests.count) requests, 0 faults"))
  }
}
