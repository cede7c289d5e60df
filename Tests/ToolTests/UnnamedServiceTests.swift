import TestSupport
import Testing

/// Who has accounts at one service alone need not name it.
@Suite(.onOwnThread) struct UnnamedServiceTests {
  private let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func signIn(_ accounts: (service: String, name: String)...) throws {
    let entries = accounts.map {
      #"{"service":"\#($0.service)","name":"\#($0.name)","method":"token","base":"https://tea.example","token":"abc"}"#
    }
    try home.write(".config/tw/credentials.json", #"{"accounts":[\#(entries.joined(separator: ","))]}"#)
    #expect(try Tool.shell("chmod 600 .config/tw/credentials.json", home: home).status == 0)
  }

  private func cache(_ arguments: String...) throws -> ToolResult { try Tool.run("tw-cache", arguments, home: home) }

  private func sources() throws -> [String] {
    try cache("source", "list").lines.map { $0.split(separator: "\t").prefix(3).joined(separator: " ") }
  }

  @Test func aSourceIsOfTheOnlyServiceWithAnAccount() throws {
    try signIn(("mastodon:tea.example", "maja"))
    let added = try cache("source", "add", "#tea")
    #expect(
      added.errors == "tw-cache: '#tea' is read from service 'mastodon:tea.example', the only one with an account\n")
    // Somebody's word counts more, and nothing is said of it.
    #expect(try cache("source", "add", "--service", "x", "#milk").errors == "")
    #expect(try sources() == ["mastodon:tea.example - #tea", "x - #milk"])
    #expect(try cache("source", "list", "--service", "x").lines.count == 1)
    // The only source of a name is meant, whatever its service is.
    #expect(try cache("source", "remove", "--yes", "#milk").status == 0)
    #expect(try cache("source", "remove", "--yes", "#tea").status == 0)
    #expect(try sources() == [])
    // A limit is that of the service.
    #expect(try Tool.run("tw-post", ["length", "hello"], home: home).output == "5 of 500\n")
  }

  @Test func ofSeveralServicesTheUsualOneIsTold() throws {
    try signIn(("x", "jack"), ("mastodon:tea.example", "maja"))
    let added = try cache("source", "add", "#tea")
    #expect(
      added.errors
        == "tw-cache: '#tea' is read from service 'x'; there are accounts of 'mastodon:tea.example' too: --service names one\n"
    )
    // An account names its service.
    #expect(try cache("source", "add", "--account", "maja", "#milk").status == 0)
    #expect(try sources() == ["mastodon:tea.example maja #milk", "x - #tea"])
  }

  @Test func withoutAccountsItIsTheUsualOneInSilence() throws {
    #expect(try cache("source", "add", "#tea").errors == "")
    try signIn(("x", "jack"))
    #expect(try cache("source", "add", "#milk").errors == "")
    try home.write(".config/tw/credentials.json", "damaged")
    #expect(try cache("source", "add", "#rum").errors == "")
    #expect(try sources() == ["x - #milk", "x - #rum", "x - #tea"])
  }
}
