import Testing
import TweetCore

/// Whose the tokens and addresses are that the environment and the settings have.
struct ServiceVariablesTests {
  private func variables(
    _ service: String, _ environment: [String: String], _ text: String = ""
  ) throws -> ServiceVariables {
    ServiceVariables(try Settings(text: text, path: "config") { environment[$0] }, of: service, usual: "x")
  }

  private static let named = ["TW_SERVICE": "mastodon:a", "TW_TOKEN": "t", "TW_TOKEN_FILE": "f", "TW_ENDPOINT": "e"]
  private static let unnamed = ["TW_TOKEN": "t", "TW_TOKEN_FILE": "f", "TW_ENDPOINT": "e"]
  private static let files = "token-file = /x\ntoken-file.mastodon:a = /a\ntoken-file.own = /own\n"

  @Test(
    arguments: [
      // What names no service is X's.
      ("x", unnamed, "", "t", "f", "e"), ("mastodon:a", unnamed, "", nil, nil, nil),
      ("mastodon:a", unnamed, "service = mastodon:a\n", nil, nil, "e"),
      ("x", unnamed, "service = local\n", "t", "f", nil),
      ("mastodon:a", named, "", "t", "f", "e"), ("mastodon:b", named, "", nil, nil, nil),
      ("x", named, "", nil, nil, nil),
      // Files, each of its service.
      ("x", [:], files, nil, "/x", nil), ("mastodon:a", [:], files, nil, "/a", nil),
      ("own", [:], files, nil, "/own", nil),
      ("bluesky", [:], files, nil, nil, nil), ("local", ["TW_SERVICE": "local"], files, nil, nil, nil),
      ("x", named, files, nil, "/x", nil), ("mastodon:a", named, files, "t", "f", "e"),
      // An address of the settings is that of their service.
      ("x", [:], "endpoint = https://e\n", nil, nil, "https://e"),
      ("local", [:], "endpoint = https://e\n", nil, nil, nil),
      ("local", [:], "service = local\nendpoint = https://e\n", nil, nil, "https://e"),
      ("x", ["TW_SERVICE": "x"], "service = local\nendpoint = https://e\n", nil, nil, nil),
    ] as [(String, [String: String], String, String?, String?, String?)])
  func eachIsOfOneService(
    _ service: String, _ environment: [String: String], _ text: String, _ token: String?, _ file: String?,
    _ endpoint: String?
  ) throws {
    let found = try variables(service, environment, text)
    #expect(found.token == token && found.tokenFile == file && found.endpoint == endpoint)
    // A child has what is the service's, and no more.
    var child = environment
    for (name, value) in found.ofChild { child[name] = value }
    #expect(child["TW_SERVICE"] == service && child["TW_TOKEN"] == token)
    let there = try variables(service, child, text)
    #expect(there.token == token && there.tokenFile == file && there.endpoint == endpoint)
  }

  @Test func servicesWithTokensAreKnown() throws {
    let settings = try Settings(text: Self.files, path: "config") { ["TW_SERVICE": "mastodon:b", "TW_TOKEN": "t"][$0] }
    #expect(settings.servicesWithTokens(usual: "x") == ["mastodon:b", "x", "mastodon:a", "own"])
  }
}
