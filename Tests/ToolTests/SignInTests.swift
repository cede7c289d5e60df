import Foundation
import TestSupport
import Testing

/// tw-auth against tw-local: every way to sign in, through both binaries.
@Suite(.onOwnThread(minutes: 8)) struct SignInTests {
  private let service: LocalService
  private let home: TemporaryDirectory

  init() throws {
    service = try LocalService()
    home = try TemporaryDirectory()
    try home.write("password", "correct horse\n")
    try home.write("wrong", "wrong horse\n")
    try home.write("secret", service.secret + "\n")
  }

  /// Without a token in the environment, and without a terminal.
  private func auth(_ words: [String], stdin: ToolInput = "", _ variables: [String: String] = [:]) throws -> ToolResult
  {
    try Tool.run("tw-auth", words, stdin: stdin, environment: environment(variables), home: home)
  }

  private func environment(_ variables: [String: String] = [:]) -> [String: String] {
    ["TW_SERVICE": "local"].merging(variables) { $1 }
  }

  private func create(_ name: String) throws {
    let result = try auth(["login", "--endpoint", service.base, "--create", name, "--password-file", "password"])
    try #require(result.ending == .status(0), "\(result.errors)")
  }

  private var accounts: String {
    get throws { try auth(["list"]).output }
  }

  /// A free port, for the redirect.
  private func redirect() throws -> String {
    let server = try LoopbackListener { close($0) }
    return "http://127.0.0.1:\(server.port)/callback"
  }

  /// Starts a login that waits for the browser, once it listens.
  private func waitingLogin(_ words: [String], _ variables: [String: String] = [:]) throws -> (
    RunningTool, page: String
  ) {
    let tool = try RunningTool(
      "tw-auth", ["login", "--endpoint", service.base] + words, environment: environment(variables), home: home)
    try tool.waitForErrors(containing: "allow it:\nhttp")
    try waitUntil {
      try tool.waitForErrors(containing: "\n")
      return tool.stderr.last == 0x0A
    }
    let text = String(decoding: tool.stderr, as: UTF8.self)
    try #require(text.contains("allow it:\n"), "\(text)")
    let page = try #require(text.split(separator: "\n").dropFirst().first.map(String.init))
    return (tool, page)
  }

  /// What a browser does: sends the page's form, and goes where the answer leads.
  ///
  /// - Returns: the address that it is sent to, and the page that it ends on.
  private func browse(
    _ page: String, _ form: [String: String], follows: Bool = true
  ) throws -> (address: String, text: String) {
    let body = form.map { "\($0)=\($1.replacing(" ", with: "+"))" }.joined(separator: "&")
    let curl = ["/usr/bin/curl", "-sS", "-i", "-d", body, page]
    let result = try Tool.run(curl[0], Array(curl.dropFirst()))
    try #require(result.ending == .status(0), "\(curl): \(result.errors)")
    let answer = result.output
    let address = answer.firstMatch(of: /(?i)\r\nlocation: ([^\r]*)/).map { String($0.1) } ?? ""
    guard follows, !address.isEmpty else { return (address, answer) }
    return (address, try Tool.run(curl[0], ["-s", address]).output)
  }

  private func allow(_ name: String) -> [String: String] {
    ["username": name, "password": "correct horse", "action": "allow"]
  }

  private static let hasCurl = FileManager.default.isExecutableFile(atPath: "/usr/bin/curl")

  // MARK: With a password

  /// Who signs in again says it again.
  @Test func theOwnerOfAnApplicationIsKept() throws {
    func isOwner() throws -> Bool {
      String(decoding: try home.read(".config/tw/credentials.json"), as: UTF8.self).contains(#""owns_app":true"#)
    }
    let login = ["login", "--endpoint", service.base, "--password-file", "password"]
    #expect(try auth(login + ["--create", "maja", "--owns-app"]).ending == .status(0) && isOwner())
    #expect(try auth(["use", "maja"]).ending == .status(0) && isOwner())
    #expect(try auth(login + ["--user", "maja"]).ending == .status(0) && !isOwner())
  }

  @Test func anAccountIsMadeAndUsed() throws {
    try create("maja")
    #expect(try accounts.hasPrefix("local\tmaja\toauth2\t\(service.base)\tin use\trenewable\t2"))
    let home = try Tool.run("tw-stream", ["--once", "home"], environment: environment(), home: home)
    #expect(home.ending == .status(0) && home.errors == "", "\(home.errors)")
    let status = try auth(["status"])
    #expect(status.ending == .status(0) && status.output.contains("service\taccepts it, as maja, id "))
    #expect(
      status.output.contains("account\tlocal:maja\naddress\t\(service.base)\nmethod\toauth2\nscopes\ttweet.read "))
    let token = try auth(["token"])
    #expect(token.lines.count == 1 && token.errors == "")
    let me = try service.ask("GET", "/2/users/me", token: token.lines[0])
    #expect(me.status == 200 && me["data"]["username"].text == "maja")
    for path in [".config/tw/credentials.json", ".local/state/tw/tokens/local:maja"] {
      var status = stat()
      #expect(stat(self.home.path + "/" + path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    }
  }

  @Test func whatTheServiceRefusesIsSaid() throws {
    try create("maja")
    for (words, text) in [
      (["--create", "maja", "--password-file", "password"], "There is an account of this name already."),
      (["--user", "maja", "--password-file", "wrong"], "The user name or the password is wrong."),
      (["--create", "not a name", "--password-file", "password"], "A user name has 1 to 15 letters"),
    ] {
      let result = try auth(["login"] + words)
      #expect(result.ending == .status(77) && result.errors.contains("not signed in: \(text)"), "\(result.errors)")
    }
    #expect(try auth(["login", "--user", "maja"]).ending == .status(64), "no terminal to ask at")
    #expect(try accounts.split(separator: "\n").count == 1)
  }

  @Test func accountsAreSwitchedAndForgotten() throws {
    try create("maja")
    try create("finn")
    func me(_ words: [String] = []) throws -> String {
      try service.ask("GET", "/2/users/me", token: auth(["token"] + words).lines.first)["data"]["username"].text
    }
    #expect(try me() == "finn" && me(["--account", "maja"]) == "maja" && me(["--account", "@FINN"]) == "finn")
    #expect(try auth(["use", "maja"]).ending == .status(0) && me() == "maja")
    #expect(try auth(["use", "nobody"]).ending == .status(66))
    // The setting that cron has as well.
    let set = try Tool.run("tw", ["config", "set", "account", "finn"], home: home)
    #expect(try set.ending == .status(0) && me() == "finn")
    #expect(try Tool.run("tw", ["config", "unset", "account"], home: home).ending == .status(0))
    let token = try auth(["token"]).lines[0]
    #expect(try auth(["logout"]).ending == .status(0))
    #expect(try service.ask("GET", "/2/users/me", token: token).status == 401, "it is revoked")
    #expect(try accounts.hasPrefix("local\tfinn\toauth2\t\(service.base)\tin use\trenewable\t2"))
    #expect(!home.exists(".local/state/tw/tokens/local:maja"))
    // A service that is gone keeps nobody from forgetting.
    try service.stop()
    let gone = try auth(["logout", "finn"])
    #expect(gone.ending == .status(1) && gone.errors.contains("forgotten here, but not revoked"), "\(gone.errors)")
    #expect(try accounts == "")
    let result = try Tool.run("tw-stream", ["--once", "home"], environment: environment(), home: home)
    #expect(result.ending == .status(78))
  }

  // MARK: With a browser

  @Test(.enabled(if: hasCurl, "needs curl")) func theBrowserComesBack() throws {
    try create("maja")
    let (tool, page) = try waitingLogin(["--redirect-uri", redirect(), "--account", "other"])
    let (_, text) = try browse(page, allow("maja"))
    #expect(text.contains("<h1>You are signed in</h1>"))
    let result = try tool.finish()
    #expect(result.ending == .status(0) && result.errors.contains("signed in to local as other"), "\(result.errors)")
    #expect(try auth(["status"]).output.contains("account\tlocal:other\n"))
  }

  /// The service has given tokens, but they cannot be kept.
  @Test(.enabled(if: hasCurl, "needs curl"), arguments: ["oauth2", "oauth1"])
  func theBrowserIsToldOfASignInOnlyWhenItIsKept(_ method: String) throws {
    try create("maja")
    let other = try TemporaryDirectory()
    try other.write("secret", service.secret + "\n")
    let words = method == "oauth1" ? ["--client-id", service.key, "--client-secret-file", "secret"] : []
    let tool = try RunningTool(
      "tw-auth", ["login", "--endpoint", service.base, "--method", method, "--redirect-uri", redirect()] + words,
      environment: environment(), home: other)
    try tool.waitForErrors(containing: "allow it:\nhttp")
    try waitUntil {
      try tool.waitForErrors(containing: "\n")
      return tool.stderr.last == 0x0A
    }
    let page = try #require(
      String(decoding: tool.stderr, as: UTF8.self).split(separator: "\n").dropFirst().first.map(String.init))
    try FileManager.default.createDirectory(atPath: other.path + "/.config", withIntermediateDirectories: true)
    try other.write(".config/tw", "in the way")
    let (_, text) = try browse(page, allow("maja"))
    #expect(text.contains("<h1>You are not signed in</h1>") && !text.contains("<h1>You are signed in</h1>"), "\(text)")
    let result = try tool.finish()
    guard case .status(let status) = result.ending else { return #expect(Bool(false), "\(result.ending)") }
    #expect(status != 0 && !result.errors.contains("signed in to local"), "\(result.errors)")
  }

  @Test(.enabled(if: hasCurl, "needs curl")) func theBrowserIsOpened() throws {
    let script = "#!/bin/sh\necho \"$1\" > '\(home.path)/page'\n"
    try home.program("browser", script)
    let (tool, page) = try waitingLogin(["--redirect-uri", redirect()], ["BROWSER": home.path + "/browser"])
    try waitUntil { (try? home.read("page").count) ?? 0 >= page.utf8.count }
    #expect(String(decoding: try home.read("page"), as: UTF8.self) == page + "\n")
    tool.signal(SIGTERM)
    #expect(try tool.finish().ending == .signal(SIGTERM))
  }

  @Test(.enabled(if: hasCurl, "needs curl")) func aNoIsUnderstood() throws {
    let (tool, page) = try waitingLogin(["--redirect-uri", redirect()])
    let (_, text) = try browse(page, ["action": "deny", "username": "x", "password": "x"])
    #expect(text.contains("<h1>You are not signed in</h1>"))
    let result = try tool.finish()
    #expect(result.ending == .status(77) && result.errors.contains("you did not allow it"), "\(result.errors)")
    #expect(try accounts == "")
  }

  /// Whoever can make the browser come with a code of theirs must not sign the person in as them.
  @Test(.enabled(if: hasCurl, "needs curl")) func anAnswerWithAnotherStateIsNotTaken() throws {
    try create("maja")
    let redirect = try redirect()
    let (tool, page) = try waitingLogin(["--redirect-uri", redirect, "--account", "second"])
    for query in ["?code=evil&state=evil", "?code=evil", "?error=access_denied&state=evil", ""] {
      let text = try Tool.run("/usr/bin/curl", ["-s", redirect + query]).output
      #expect(text.contains("<h1>This is not the sign-in that waits</h1>"), "\(query)")
    }
    #expect(
      try Tool.run("/usr/bin/curl", ["-s", redirect.replacing("/callback", with: "/favicon.ico")]).output.contains(
        "Not found"))
    // A connection that sends nothing does not keep the browser out.
    let (_, text) = try browse(page, allow("maja"))
    #expect(text.contains("<h1>You are signed in</h1>"))
    let result = try tool.finish()
    #expect(result.ending == .status(0) && result.errors.contains("another state"), "\(result.errors)")
  }

  @Test func aSecondLoginAtTheSamePortSaysSo() throws {
    let redirect = try redirect()
    let (tool, _) = try waitingLogin(["--redirect-uri", redirect])
    let second = try auth(["login", "--endpoint", service.base, "--redirect-uri", redirect])
    #expect(second.ending == .status(75) && second.errors.contains("is in use, perhaps by another 'tw-auth login'"))
    tool.signal(SIGINT)
    #expect(try tool.finish().ending == .signal(SIGINT))
    let elsewhere = try auth(["login", "--endpoint", service.base, "--redirect-uri", "https://example.com/callback"])
    #expect(elsewhere.ending == .status(64) && elsewhere.errors.contains("--no-browser"))
  }

  @Test(
    .enabled(if: hasCurl, "needs curl"), arguments: ["address", "code", "other state", "denied", "nothing", "wrong"])
  func theAnswerCanBePasted(_ kind: String) throws {
    try create("maja")
    let (tool, page) = try waitingLogin(["--no-browser", "--account", "pasted"])
    let form = kind == "denied" ? ["action": "deny", "username": "x", "password": "x"] : allow("maja")
    let (address, _) = try browse(page, form, follows: false)
    let code = address.firstMatch(of: /code=([^&]*)/).map { String($0.1) } ?? ""
    switch kind {
    case "code": tool.send("  \(code) \n")
    case "other state": tool.send("\(address.replacing(/state=[^&]*/, with: "state=x"))\n")
    case "nothing": tool.send("\n")
    case "wrong": tool.send("no-such-code\n")
    default: tool.send("\(address)\n")
    }
    let result = try tool.finish()
    let isGood = ["address", "code"].contains(kind)
    #expect(result.ending == .status(isGood ? 0 : 77), "\(result.errors)")
    #expect(try accounts.contains("pasted") == isGood)
    if kind == "wrong" { #expect(result.errors.contains("a code works once, for 30 seconds")) }
    #expect(!result.errors.contains("no-such-code"))
  }

  // MARK: OAuth 1.0a, and programs

  @Test(.enabled(if: hasCurl, "needs curl")) func oauth1WithAPINAndWithARedirect() throws {
    try create("maja")
    let words = ["--method", "oauth1", "--client-id", service.key, "--client-secret-file", "secret"]
    let (tool, page) = try waitingLogin(words + ["--no-browser", "--account", "pin"])
    let (_, text) = try browse(page, allow("maja"))
    let pin = try #require(text.firstMatch(of: /<strong>([0-9]+)<\/strong>/))
    tool.send("\(pin.1)\n")
    let result = try tool.finish()
    #expect(result.ending == .status(0), "\(result.errors)")
    #expect(try auth(["status"]).output.contains("service\taccepts it, as maja, id "))
    let stream = try Tool.run("tw-stream", ["--once", "home"], environment: environment(), home: home)
    #expect(stream.ending == .status(0), "\(stream.errors)")
    #expect(try auth(["token"]).ending == .status(64), "it has no token alone")

    let (second, secondPage) = try waitingLogin(words + ["--redirect-uri", redirect(), "--account", "redirect"])
    #expect(try browse(secondPage, allow("maja")).text.contains("You are signed in"))
    #expect(try second.finish().ending == .status(0))
    #expect(try auth(["status"]).output.contains("account\tlocal:redirect\n"))

    let (denied, deniedPage) = try waitingLogin(words + ["--redirect-uri", redirect()])
    _ = try browse(deniedPage, ["action": "deny", "username": "x", "password": "x"])
    #expect(try denied.finish().ending == .status(77))
  }

  @Test func xAuthAndProgramsAndTokens() throws {
    try create("maja")
    let key = ["--client-id", service.key, "--client-secret-command", "cat secret"]
    let xauth = try auth(
      ["login", "--method", "xauth", "--user", "maja", "--password-command", "cat password", "--account", "x"] + key)
    #expect(xauth.ending == .status(0), "\(xauth.errors)")
    #expect(try auth(["status"]).output.contains("accepts it, as maja, id "))
    let wrong = try auth(["login", "--method", "xauth", "--user", "maja", "--password-file", "wrong"] + key)
    #expect(wrong.ending == .status(77) && wrong.errors.contains("not signed in"), "\(wrong.errors)")

    let app = try auth(["login", "--method", "app"] + key)
    #expect(app.ending == .status(0) && app.errors.contains("signed in to local as app"), "\(app.errors)")
    // It does not take the place of a user's account.
    #expect(app.errors.contains("'local:x' stays the account in use; to change that: tw-auth use local:app"))
    #expect(try auth(["status"]).output.contains("accepts it, as maja, id "))
    #expect(try auth(["use", "local:app"]).ending == .status(0))
    #expect(try auth(["status"]).output.contains("service\taccepts the token, which is an application's"))
    let refused = try Tool.run("tw-stream", ["--once", "home"], environment: environment(), home: home)
    #expect(refused.ending == .status(77) && refused.errors.contains("'home' needs a user's account"))
    let token = try auth(["token"]).lines[0]
    #expect(try auth(["logout", "app"]).ending == .status(0))
    #expect(try service.ask("GET", "/2/tweets/search/recent?query=a", token: token).status == 401)

    for (words, stdin) in [
      (["--token-file", "-"], "bearer \(service.token)\n"), (["--token-command", "echo \(service.token)"], ""),
    ] {
      let result = try auth(["login"] + words, stdin: ToolInput(stdin))
      #expect(result.ending == .status(0) && result.errors.contains("signed in to local as "), "\(result.errors)")
      #expect(try auth(["token"]).lines == [service.token])
    }
    let given = try auth(["login", "--method", "token", "--account", "given"], ["TW_TOKEN": service.token])
    #expect(
      given.ending == .status(0) && given.errors.contains("TW_TOKEN is set and takes precedence over this account"))
    #expect(try auth(["token", "--account", "given"], ["TW_TOKEN": "other"]).lines == [service.token])
    for (file, status) in [("empty", 65), ("missing", 66)] {
      if status == 65 { try home.write("empty", "\n\n") }
      #expect(try auth(["login", "--token-file", file]).ending == .status(Int32(status)))
    }
  }

  // MARK: Faults

  @Test func aClockThatIsWrongIsSaid() throws {
    let server = try LoopbackServer { _ in
      let date = Date(timeIntervalSinceNow: -5 * 60 - 10)
      let formatter = DateFormatter()
      formatter.locale = Locale(identifier: "en_US_POSIX")
      formatter.timeZone = TimeZone(identifier: "UTC")
      formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss"
      return .answer(
        401, #"{"errors":[{"code":135,"message":"Timestamp out of bounds."}]}"#,
        headers: ["Date: \(formatter.string(from: date)) GMT"])
    }
    let words = ["--method", "oauth1", "--client-id", "key", "--client-secret-file", "secret", "--no-browser"]
    let result = try auth(["login", "--endpoint", server.base] + words)
    #expect(result.ending == .status(77))
    #expect(
      result.errors.contains(
        "Timestamp out of bounds; the clock of this machine is 5 min ahead of the service's: set it"),
      "\(result.errors)")
    let account =
      #"{"accounts":[{"service":"local","name":"jack","base":"\#(server.base)","method":"oauth1","#
      + #""client_id":"a","client_secret":"b","token":"c","token_secret":"d"}]}"#
    chmod(try home.write(".config/tw/credentials.json", account), 0o600)
    let stream = try Tool.run("tw-stream", ["--once", "home"], environment: environment(), home: home)
    #expect(stream.ending == .status(77) && stream.errors.contains("5 min ahead of"), "\(stream.errors)")
  }

  @Test func otherToolsAccountsAreTakenOver() throws {
    try home.write(
      ".twurlrc",
      """
      ---
      profiles:
        jack:
          key1:
            username: jack
            consumer_key: key1
            consumer_secret: s1
            token: 12-t1
            secret: "z1"
      configuration:
        default_profile:
        - jack
        - key1
      bearer_tokens:
        key1: AAAA
      """)
    try home.write(
      ".xurl",
      #"{"oauth2_tokens":{"jill":{"type":"oauth2","oauth2":{"access_token":"a","refresh_token":"r","#
        + #""expiration_time":1700000000}}},"bearer_token":{"type":"bearer","bearer":"BBBB"}}"#)
    try home.write(
      ".twarc",
      "[main]\nconsumer_key = k2\nconsumer_secret = s2\naccess_token = 34-t2\naccess_token_secret = z2\n")
    let variables = ["TW_SERVICE": "", "TW_ENDPOINT": service.base]
    let result = try auth(["import"], variables)
    #expect(result.ending == .status(1) && result.errors.contains("account 'jill' has no client_id there"))
    #expect(
      try auth(["list"]).output == """
        x\tjack\toauth1\t\(service.base)\tin use\tlasting\t-
        x\tapp\tapp\t\(service.base)\t-\tlasting\t-
        x\tapp-xurl\tapp\t\(service.base)\t-\tlasting\t-
        x\t34\toauth1\t\(service.base)\t-\tlasting\t-

        """)
    // Once more changes nothing.
    let before = try auth(["list"]).output.split(separator: "\n").sorted()
    #expect(try auth(["import"], variables).ending == .status(1))
    #expect(try auth(["list"]).output.split(separator: "\n").count == before.count)
    // In the shell of a tw-local nothing of X's is bound to that.
    let elsewhere = try TemporaryDirectory()
    let local = try Tool.run(
      "tw-auth", ["import", "twurl", home.path + "/.twurlrc"], environment: environment(["TW_ENDPOINT": service.base]),
      home: elsewhere)
    #expect(local.ending == .status(0), "\(local.errors)")
    #expect(try Tool.run("tw-auth", ["list"], home: elsewhere).output.contains("x\tjack\toauth1\thttps://api.x.com\t"))
    let text = String(decoding: try home.read(".config/tw/credentials.json"), as: UTF8.self)
    #expect(text.contains(#""id":"12","client_id":"key1","client_secret":"s1","token":"12-t1","token_secret":"z1""#))
    #expect(text.contains(#""id":"34","client_id":"k2","client_secret":"s2","token":"34-t2","token_secret":"z2""#))
    try home.write(
      "new.yml",
      """
      apps:
        default:
          client_id: cid
          client_secret: cs
          oauth2_tokens:
            jill:
              type: oauth2
              oauth2:
                access_token: a=
                refresh_token: r
                expiration_time: 1700000000
      """)
    #expect(try auth(["import", "xurl", "new.yml"], variables).ending == .status(0))
    #expect(home.exists(".local/state/tw/tokens/x:jill"))
    #expect(try auth(["import", "twarc", "missing"], variables).ending == .status(66))
  }

  /// What the other tool uses by default is in use after it, whatever its place; but who has an account keeps it.
  @Test(arguments: ["twurl", "xurl", "twarc"]) func anImportUsesTheDefaultOfTheOtherTool(_ tool: String) throws {
    let (home, base) = (try TemporaryDirectory(), "http://127.0.0.1:9")
    let variables = environment(["TW_SERVICE": "", "TW_ENDPOINT": base])
    let names = ["ann", "bob", "cat"]
    let text: String
    switch tool {
    case "twurl":
      text =
        "profiles:\n"
        + names.map {
          "  \($0):\n    k:\n      username: \($0)\n      consumer_key: k\n      consumer_secret: s\n      token: 1-\($0)\n"
            + "      secret: z\n"
        }.joined() + "configuration:\n  default_profile:\n  - bob\n  - k\n"
    case "xurl":
      text =
        "apps:\n  one:\n    client_id: a\n    oauth2_tokens:\n      zoe:\n        oauth2:\n          access_token: a\n"
        + "  two:\n    client_id: b\n    default_user: bob\n    oauth2_tokens:\n"
        + names.map { "      \($0):\n        oauth2:\n          access_token: a-\($0)\n" }.joined()
        + "default_app: two\n"
    default:
      // The first section; the service is not there to say the names.
      text = ["5-bob", "6-ann", "7-cat"].map {
        "[\($0)]\nconsumer_key = k\nconsumer_secret = s\naccess_token = \($0)\naccess_token_secret = z\n"
      }.joined()
    }
    try home.write("config", text)
    func use() throws -> String? {
      let list = try Tool.run("tw-auth", ["list"], home: home).lines
      return list.first { $0.contains("\tin use\t") }.map { String($0.split(separator: "\t")[1]) }
    }
    let wanted = tool == "twarc" ? "5" : "bob"
    for _ in 0..<2 {
      let result = try Tool.run("tw-auth", ["import", tool, "config"], environment: variables, home: home)
      #expect(result.ending == .status(0) && result.errors.contains("'x:\(wanted)' is the account in use"))
      #expect(try use() == wanted)
    }
    let other = tool == "twarc" ? "6" : "cat"
    #expect(try Tool.run("tw-auth", ["use", other], home: home).ending == .status(0))
    #expect(
      try Tool.run("tw-auth", ["import", tool, "config"], environment: variables, home: home).ending == .status(0))
    #expect(try use() == other)
  }

  /// Everything that a run leaves: messages, command lines, files.
  @Test(.enabled(if: hasCurl, "needs curl")) func noSecretIsShown() throws {
    var printed = ""
    func run(_ words: [String]) throws {
      let result = try auth(words)
      printed += words.joined(separator: " ") + result.output + result.errors
    }
    try run(["login", "--endpoint", service.base, "--create", "maja", "--password-file", "password"])
    try run(["login", "--user", "maja", "--password-file", "wrong"])
    let (tool, page) = try waitingLogin(["--redirect-uri", redirect(), "--account", "other"])
    printed += String(
      decoding: try Data(contentsOf: URL(fileURLWithPath: "/proc/\(tool.processID)/cmdline")), as: UTF8.self)
    _ = try browse(page, allow("maja"))
    let end = try tool.finish()
    printed += end.output + end.errors
    let key = ["--client-id", service.key, "--client-secret-file", "secret"]
    try run(["login", "--method", "xauth", "--user", "maja", "--password-file", "wrong"] + key)
    try run(["login", "--method", "xauth", "--user", "maja", "--password-file", "password", "--account", "x"] + key)
    try run(["login", "--method", "app"] + key)
    try run(["status"])
    try run(["list"])
    let script = "tw-stream --once user:maja | tw-parse | tw-cache add"
    let pipeline = try Tool.shell(script, environment: environment(), home: home)
    printed += pipeline.output + pipeline.errors
    var secrets = ["correct horse", "wrong horse", service.secret]
    for name in try FileManager.default.contentsOfDirectory(atPath: home.path + "/.local/state/tw/tokens")
    where !name.hasSuffix(".lock") {
      let text = String(decoding: try home.read(".local/state/tw/tokens/" + name), as: UTF8.self)
      secrets += text.matches(of: /_token":"([^"]+)"/).map { String($0.1) }
    }
    let credentials = String(decoding: try home.read(".config/tw/credentials.json"), as: UTF8.self)
    secrets += credentials.matches(of: /"token(?:_secret)?":"([^"]+)"/).map { String($0.1) }
    try run(["logout", "maja"])
    #expect(secrets.count >= 8)
    for name in try FileManager.default.subpathsOfDirectory(atPath: home.path)
    where name.hasPrefix(".local/share") && !name.hasSuffix("/tw") && name != ".local/share" {
      printed += String(decoding: try home.read(name), as: UTF8.self)
    }
    for secret in secrets { #expect(!printed.contains(secret)) }
  }
}
