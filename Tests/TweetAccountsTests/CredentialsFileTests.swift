import TestSupport
import Testing
import TweetCore

@testable import TweetAccounts

struct CredentialsFileTests {
  private func file(_ text: String) throws -> CredentialsFile {
    try CredentialsFile(bytes: Array(text.utf8), path: "/c.json")
  }

  private static let text = """
    {"note":"mine","accounts":[
     {"service":"x","name":"jack","base":"https://api.x.com","method":"oauth2","client_id":"c","scopes":["tweet.read"],
      "colour":["blue"]},
     {"service":"x","name":"work","base":"https://api.x.com","method":"token","token_command":"pass show x"},
     {"service":"local","name":"jack","base":"http://127.0.0.1:8080","method":"token","token":"t"}]}
    """

  @Test func theAccountIsTheNamedOneOrTheFirstOfItsService() throws {
    let file = try file(Self.text)
    func base(_ name: String?, _ service: String, _ base: String? = nil) -> String? {
      file.account(name, service: service, base: base).map { "\($0.name)" }
    }
    #expect(base(nil, "x") == "x:jack")
    #expect(base("work", "x") == "x:work" && base("@WORK", "x") == "x:work" && base("x:work", "x") == "x:work")
    #expect(base(nil, "local") == "local:jack")
    #expect(base("work", "local") == nil && base("nobody", "x") == nil)
    // A credential goes only where it was made.
    #expect(base(nil, "x", "https://api.x.com") == "x:jack")
    #expect(base(nil, "x", "https://example.com") == nil && base("jack", "x", "http://127.0.0.1:8080") == nil)
  }

  @Test func useAndSignInPutAnAccountFirst() throws {
    var file = try file(Self.text)
    file.use(ServiceAccount.Name(service: "x", name: "work"))
    #expect(file.account(nil, service: "x", base: nil)?.name.name == "work")
    #expect(file.account(nil, service: "local", base: nil)?.name.name == "jack")
    func insert(_ name: String, _ method: ServiceAccount.Method) {
      file.insert(
        ServiceAccount(ServiceAccount.Name(service: "x", name: name), base: "https://api.x.com", method: method))
    }
    insert("new", .oauth2)
    #expect(file.accounts.map(\.name.description) == ["x:new", "x:work", "x:jack", "local:jack"])
    // An application does not take a user's place, unless it had it.
    insert("app", .app)
    #expect(file.account(nil, service: "x", base: nil)?.name.name == "new")
    file.use(ServiceAccount.Name(service: "x", name: "app"))
    insert("app", .app)
    #expect(file.accounts.map(\.name.description) == ["x:app", "x:new", "x:work", "x:jack", "local:jack"])
  }

  /// A newer version may sign in in other ways.
  @Test func anAccountOfAnUnknownMethodIsSkippedAndKept() throws {
    let unknown =
      #"{"service":"x", "name":"new","base":"https://api.x.com","method":"passkey","keys":[1.50,{"a" : "\u00e9"}]}"#
    var file = try file(Self.text.replacing(#""accounts":["#, with: #""accounts":[\#(unknown),"#))
    #expect(file.accounts.map(\.name.description) == ["x:jack", "x:work", "local:jack"])
    #expect(file.unknownAccounts.map(\.method) == ["passkey"])
    #expect(file.account(nil, service: "x", base: nil)?.name.name == "jack")
    #expect(file.account("new", service: "x", base: nil) == nil)
    file.use(ServiceAccount.Name(service: "x", name: "work"))
    var buffer = ByteBuffer()
    file.append(to: &buffer)
    #expect(buffer.string.contains("\n\(unknown),\n"))
    #expect(try self.file(buffer.string).accounts.map(\.name.name) == ["work", "jack", "jack"])
    // A sign-in of that name replaces it.
    file.insert(
      ServiceAccount(ServiceAccount.Name(service: "x", name: "new"), base: "https://api.x.com", method: .token))
    #expect(file.unknownAccounts.isEmpty && file.accounts.count == 4)
  }

  @Test func anImportedAccountTakesNobodysPlace() throws {
    var file = try file(#"{"accounts":[]}"#)
    func insert(_ name: String, _ method: ServiceAccount.Method) {
      let account = ServiceAccount(
        ServiceAccount.Name(service: "x", name: name), base: "https://api.x.com", method: method)
      file.insert(account, replacesUsed: false)
    }
    for (name, method, used) in [
      ("app", ServiceAccount.Method.app, "app"), ("first", .oauth1, "first"), ("second", .oauth1, "first"),
    ] {
      insert(name, method)
      #expect(file.account(nil, service: "x", base: nil)?.name.name == used)
    }
  }

  @Test(arguments: [
    "not JSON", "[]", "{}", #"{"accounts":{}}"#, #"{"accounts":[{"service":"x"}]}"#, #"{"accounts":[7]}"#,
    #"{"accounts":[{"service":"x","name":"a","method":"magic"}]}"#, #"{"accounts":[]"#,
  ])
  func aGarbledFileIsAnErrorThatNamesIt(_ text: String) throws {
    let error = #expect(throws: ToolError.self) { try file(text) }
    #expect(error?.status == .configuration && error?.message?.contains("/c.json") == true)
  }

  @Test func commandsPrintSecrets() throws {
    #expect(try StoredSecret.command("printf ' s3cret \\nmore'").reveal("it").exposed == "s3cret")
    for command in ["true", "exit 3", "kill -9 $$", "no-such-program-xyz 2>/dev/null"] {
      let error = #expect(throws: ToolError.self) { try StoredSecret.command(command).reveal("the token") }
      #expect(error?.status == .configuration && error?.message?.hasPrefix("the token: '") == true)
    }
  }
}
