import Foundation
import Synchronization
import TestNumbers
import TestSupport
import Testing

/// Accounts in `credentials.json`, as tw-stream uses them.
@Suite(.onOwnThread) struct AccountTests {
  /// A service that accepts the token it gave out last, answers with one post, and counts what is spent.
  private final class Service: Sendable {
    struct State {
      var access = "access-0"
      var refresh = "refresh-0"
      var spent: [String] = []
      /// The status of an answer to a refresh token that was spent.
      var isDown = false
      /// Whether a refresh token can be spent once, and the answer has the next one.
      var rotates = true
      /// Seconds until the answer with new tokens.
      var delay = 0.0
      var lifetime = 7200
    }
    let state = Mutex(State())
    private let server: Mutex<LoopbackServer?> = Mutex(nil)
    var base: String { server.withLock { $0?.base ?? "" } }
    var requests: [LoopbackServer.Request] { server.withLock { $0?.requests ?? [] } }

    init() throws {
      let server = try LoopbackServer { [weak self] request, connection in
        guard let self else { return }
        if request.target == "POST /2/oauth2/token" { return renew(request, connection) }
        let access = state.withLock { $0.access }
        guard request.head.contains("Authorization: Bearer \(access)\r\n") || request.head.hasSuffix("Bearer \(access)")
        else { return connection.answer(401, #"{"title":"Unauthorized","status":401}"#) }
        if request.target.hasPrefix("GET /2/users/me") {
          return connection.answer(200, #"{"data":{"id":"7","username":"jack"}}"#)
        }
        connection.answer(200, #"{"data":[{"id":"1456012973835788293","text":"hello"}],"meta":{"result_count":1}}"#)
      }
      self.server.withLock { $0 = server }
    }

    private func renew(_ request: LoopbackServer.Request, _ connection: Connection) {
      let (isGood, isDown, delay) = state.withLock { state in
        let isGood = request.body.contains("refresh_token=\(state.refresh)&")
        if !state.isDown { state.spent.append(request.body) }
        if isGood, !state.isDown {
          state.access = "access-\(state.spent.count)"
          if state.rotates { state.refresh = "refresh-\(state.spent.count)" }
        }
        return (isGood, state.isDown, state.delay)
      }
      connection.pause(delay)
      if isDown { return connection.answer(503) }
      guard isGood else {
        return connection.answer(
          400, #"{"error":"invalid_grant","error_description":"Value passed for the token was invalid."}"#
        )
      }
      let answer = state.withLock {
        #"{"token_type":"bearer","expires_in":\#($0.lifetime),"access_token":"\#($0.access)","#
          + ($0.rotates ? #""refresh_token":"\#($0.refresh)","# : "")
          + #""scope":"tweet.read users.read offline.access"}"#
      }
      connection.answer(200, answer, headers: ["Content-Type: application/json"])
    }
  }

  private static let credentials = ".config/tw/credentials.json"
  private static let tokens = ".local/state/tw/tokens/local:jack"

  /// A home where jack is signed in, with a token that expires after this many seconds.
  private func home(_ service: Service, expiresIn seconds: Int, mode: Int32 = 0o600) throws -> TemporaryDirectory {
    let home = try TemporaryDirectory()
    let path = try home.write(
      Self.credentials,
      #"{"accounts":[{"service":"local","name":"jack","base":"\#(service.base)","method":"oauth2","#
        + #""client_id":"tw","scopes":["tweet.read","users.read"]}]}"#)
    chmod(path, mode_t(mode))
    let time = Date(timeIntervalSinceNow: Double(seconds)).ISO8601Format()
    chmod(
      try home.write(
        Self.tokens, #"{"access_token":"access-0","refresh_token":"refresh-0","expires_at":"\#(time)"}"#), 0o600)
    return home
  }

  private func stream(_ home: TemporaryDirectory, _ words: [String] = ["home"]) throws -> ToolResult {
    try Tool.run("tw-stream", ["--once"] + words, environment: ["TW_SERVICE": "local"], home: home)
  }

  @Test func anAccountsTokenIsUsed() throws {
    let service = try Service()
    let home = try home(service, expiresIn: 7200)
    let result = try stream(home)
    #expect(result.ending == .status(0) && result.errors == "", "\(result.errors)")
    #expect(result.output.contains("hello") && service.state.withLock { $0.spent } == [])
  }

  @Test func aMissingScopeIsNamedBeforeAnyRequest() throws {
    let service = try Service()
    let home = try home(service, expiresIn: 7200)
    let result = try stream(home, ["list:5"])
    #expect(result.ending == .status(77) && service.requests.count == 0)
    #expect(
      result.errors.contains(
        "'list:5' needs the scope 'list.read', which account 'jack' was not given: sign in again with "
          + #"'tw-auth login --service local --account jack --scopes "tweet.read users.read list.read"'"#),
      "\(result.errors)")
    let posted = try Tool.run("tw-post", ["hello!"], environment: ["TW_SERVICE": "local"], home: home)
    #expect(posted.ending == .status(77) && posted.errors.contains("needs the scope 'tweet.write'"))
    #expect(service.requests.count == 0)
  }

  @Test func aTokenIsRenewedBeforeItExpires() throws {
    let service = try Service()
    let home = try home(service, expiresIn: 60)
    #expect(try stream(home).ending == .status(0))
    #expect(service.requests.first?.body == "grant_type=refresh_token&refresh_token=refresh-0&client_id=tw")
    let stored = String(decoding: try home.read(Self.tokens), as: UTF8.self)
    #expect(stored.contains(#""access_token":"access-1","refresh_token":"refresh-1""#))
    #expect(try stream(home).ending == .status(0) && service.state.withLock { $0.spent.count } == 1)
    var status = Foundation.stat()
    #expect(stat(home.path + "/" + Self.tokens, &status) == 0 && status.st_mode & 0o777 == 0o600)
  }

  /// The service forgot the token, although it has not expired.
  @Test func aRefusedTokenIsRenewedOnce() throws {
    let service = try Service()
    let home = try home(service, expiresIn: 7200)
    service.state.withLock { $0.access = "another" }
    #expect(try stream(home).ending == .status(0))
    #expect(service.state.withLock { $0.spent.count } == 1)
    // The one that follows is refused as well: it is not renewed for ever.
    service.state.withLock {
      $0.access = "another"
      $0.refresh = "another"
    }
    let result = try stream(home)
    #expect(result.ending == .status(77) && result.errors.contains("run 'tw-auth login' again"))
    #expect(!result.errors.contains("refresh-") && service.state.withLock { $0.spent.count } == 2)
  }

  @Test func twoToolsNeverSpendTheSameRefreshToken() throws {
    let service = try Service()
    service.state.withLock { $0.delay = 0.3 }
    let home = try home(service, expiresIn: -60)
    let tools = try (0..<4).map { _ in
      try RunningTool("tw-stream", ["--once", "home"], environment: ["TW_SERVICE": "local"], home: home)
    }
    for tool in tools {
      let result = try tool.finish()
      #expect(result.ending == .status(0), "\(result.errors)")
    }
    #expect(service.state.withLock { $0.spent.count } == 1)
  }

  /// People who keep their configuration in a repository link to it.
  @Test func aLinkToTheCredentialsFileStays() throws {
    let service = try Service()
    let home = try home(service, expiresIn: 7200)
    let accounts = ["jack", "jill"].map {
      #"{"service":"local","name":"\#($0)","base":"\#(service.base)","method":"token","token":"t"}"#
    }
    let target = try home.write("dotfiles/c.json", #"{"accounts":[\#(accounts.joined(separator: ","))]}"#)
    chmod(target, 0o600)
    try FileManager.default.removeItem(atPath: home.path + "/" + Self.credentials)
    try FileManager.default.createSymbolicLink(
      atPath: home.path + "/" + Self.credentials, withDestinationPath: "../../dotfiles/c.json")
    #expect(try Tool.run("tw-auth", ["use", "jill"], environment: ["TW_SERVICE": "local"], home: home).status == 0)
    let link = home.path + "/" + Self.credentials
    #expect((try? FileManager.default.destinationOfSymbolicLink(atPath: link)) == "../../dotfiles/c.json")
    let text = String(decoding: try home.read("dotfiles/c.json"), as: UTF8.self)
    let first = text.firstMatch(of: /"name":"(\w+)"/).map { String($0.1) }
    #expect(first == "jill", "\(text)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/dotfiles") == ["c.json"])
  }

  /// The power may fail at any moment: the file is on disk, and then its name, in the folder where a link leads.
  @Test(.enabled(if: FaultyDisk.library != nil, Comment(rawValue: FaultyDisk.comment)))
  func accountsReachTheDisk() throws {
    let home = try TemporaryDirectory()
    let account = #"{"service":"local","name":"jack","base":"http://127.0.0.1:9","method":"token","token":"t"}"#
    for (sync, status) in [(1, 74), (2, 74), (3, 0)] as [(Int, Int32)] {
      let target = try home.write("dotfiles/c.json", #"{"accounts":[\#(account)]}"#)
      chmod(target, 0o600)
      if !home.exists(Self.credentials) {
        try home.write(Self.credentials, "")
        try FileManager.default.removeItem(atPath: home.path + "/" + Self.credentials)
        try FileManager.default.createSymbolicLink(
          atPath: home.path + "/" + Self.credentials, withDestinationPath: "../../dotfiles/c.json")
      }
      let faults = ["TW_DISK_FAILS_AT": "\(sync)", "TW_DISK_FAILURES": "1", "TW_SERVICE": "local"]
      let disk = try #require(FaultyDisk.environment(of: home.path + "/dotfiles", faults))
      let result = try Tool.run("tw-auth", ["use", "jack"], environment: disk, home: home)
      #expect(result.status == status, "\(sync): \(result.errors)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: home.path + "/dotfiles") == ["c.json"])
      #expect(String(decoding: try home.read("dotfiles/c.json"), as: UTF8.self).contains(account))
    }
  }

  /// RFC 6749 §6: an answer without a refresh token leaves the old one valid.
  @Test func anAnswerWithoutARefreshTokenKeepsTheOldOne() throws {
    let service = try Service()
    service.state.withLock { ($0.rotates, $0.lifetime) = (false, 60) }
    let home = try home(service, expiresIn: -60)
    for round in 1...2 {
      #expect(try stream(home).ending == .status(0))
      let stored = String(decoding: try home.read(Self.tokens), as: UTF8.self)
      #expect(stored.contains(#""access_token":"access-\#(round)","refresh_token":"refresh-0""#))
    }
  }

  /// In its last minutes a token is renewed early. Where that is not possible it is used as it is, without a wait.
  @Test(arguments: [true, false]) func aTokenIsUsedUntilItExpires(_ canBeRenewed: Bool) throws {
    let service = try Service()
    service.state.withLock { $0.isDown = true }
    let home = try home(service, expiresIn: 240)
    if !canBeRenewed {
      let time = Date(timeIntervalSinceNow: 240).ISO8601Format()
      chmod(try home.write(Self.tokens, #"{"access_token":"access-0","expires_at":"\#(time)"}"#), 0o600)
    }
    let result = try stream(home)
    #expect(result.ending == .status(0) && result.errors == "", "\(result.errors)")
    #expect(result.output.contains("hello"))
    #expect(service.requests.count { $0.target.hasPrefix("POST") } == (canBeRenewed ? 1 : 0))
    #expect(service.requests.count { $0.target.hasPrefix("GET") } > 0)
  }

  @Test func aServiceThatDoesNotRenewNowIsAskedLater() throws {
    let service = try Service()
    service.state.withLock { $0.isDown = true }
    let early = try home(service, expiresIn: 60)
    #expect(try stream(early).ending == .status(0), "the old token still works")
    let late = try home(service, expiresIn: -60)
    let tool = try RunningTool("tw-stream", ["--once", "home"], environment: ["TW_SERVICE": "local"], home: late)
    try waitUntil { service.requests.count { $0.target.hasPrefix("POST") } >= 2 }
    service.state.withLock { $0.isDown = false }
    #expect(try tool.finish().ending == .status(0))
  }

  /// The answer has come and the tool is killed before it uses the token: the next one has it.
  @Test func aKilledToolHasStoredWhatItGot() throws {
    let service = try Service()
    let home = try home(service, expiresIn: -60)
    for round in 1...3 {
      let tool = try RunningTool("tw-stream", ["--once", "home"], environment: ["TW_SERVICE": "local"], home: home)
      try waitUntil { String(decoding: try home.read(Self.tokens), as: UTF8.self).contains("access-\(round)") }
      tool.signal(SIGKILL)
      _ = try tool.finish()
      let text = String(decoding: try home.read(Self.tokens), as: UTF8.self)
      #expect(text.contains("refresh-\(round)"))
      let expired = text.replacing(/"expires_at":"[^"]*"/, with: #""expires_at":"2020-01-01T00:00:00.000Z""#)
      try home.write(Self.tokens, expired)
      chmod(home.path + "/" + Self.tokens, 0o600)
    }
    #expect(try stream(home).ending == .status(0))
    #expect(service.state.withLock { $0.spent.count } == 4)
  }

  private static let rounds = ProcessInfo.processInfo.environment["TW_CRASH_ROUNDS"].flatMap { Int($0) } ?? 20

  /// A tool that is killed while a token is renewed, alone or with its whole process group, does not lose the account.
  @Test(arguments: [0, 0.1]) func killedInARenewal(delay: Double) throws {
    let service = try Service()
    // Each run renews.
    service.state.withLock { ($0.delay, $0.lifetime) = (delay, 60) }
    let home = try home(service, expiresIn: -60)
    var (lost, begun) = (0, 0)
    var chance = Chance()
    for round in 0..<Self.rounds {
      let count = service.state.withLock { $0.spent.count }
      let tool = try RunningTool("tw-stream", ["--once", "home"], environment: ["TW_SERVICE": "local"], home: home)
      // Most of them after the request was made.
      if round % 4 > 0 { for _ in 0..<2000 where service.state.withLock({ $0.spent.count }) == count { usleep(500) } }
      chance.pause(upTo: 20_000 + Int(delay * 500_000))
      kill(round % 2 == 0 ? tool.processID : -tool.processID, SIGKILL)
      if try tool.finish().ending == .signal(SIGKILL), service.state.withLock({ $0.spent.count }) > count { begun += 1 }
      let next = try stream(home)
      if next.ending == .status(0) { continue }
      lost += 1
      let (access, refresh) = service.state.withLock { ($0.access, $0.refresh) }
      chmod(
        try home.write(
          Self.tokens,
          #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","expires_at":"2020-01-01T00:00:00Z"}"#), 0o600)
    }
    #expect(lost * 50 <= Self.rounds, "\(lost) of \(Self.rounds)")
    #expect(begun > 0, "none was killed in a renewal")
  }

  /// Where the renewing program itself was ended, the next one says what happened.
  @Test func aRenewalThatWasInterruptedIsNamed() throws {
    let service = try Service()
    let home = try home(service, expiresIn: -60)
    let spent =
      #"{"access_token":"access-0","refresh_token":"spent","expires_at":"2020-01-01T00:00:00Z","#
      + #""renewal_begun_at":"2026-11-23T10:00:00.000Z"}"#
    chmod(try home.write(Self.tokens, spent), 0o600)
    for _ in 0..<2 {
      let result = try stream(home)
      #expect(result.ending == .status(77), "\(result.errors)")
      #expect(
        result.errors.contains("its renewal was interrupted at 2026-11-23T10:00:00.000Z")
          && result.errors.contains("run 'tw-auth login' again"), "\(result.errors)")
    }
    // A service may still take the old one.
    chmod(try home.write(Self.tokens, spent.replacing("spent", with: "refresh-0")), 0o600)
    #expect(try stream(home).ending == .status(0))
    #expect(try !String(decoding: home.read(Self.tokens), as: UTF8.self).contains("renewal_begun_at"))
  }

  /// While the request is under way, the file says so.
  @Test func aRenewalIsMarkedBeforeItsRequest() throws {
    let service = try Service()
    service.state.withLock { $0.delay = 0.5 }
    let home = try home(service, expiresIn: -60)
    let tool = try RunningTool("tw-stream", ["--once", "home"], environment: ["TW_SERVICE": "local"], home: home)
    try waitUntil { service.state.withLock { !$0.spent.isEmpty } }
    #expect(String(decoding: try home.read(Self.tokens), as: UTF8.self).contains("renewal_begun_at"))
    #expect(try tool.finish().ending == .status(0))
    #expect(try !String(decoding: home.read(Self.tokens), as: UTF8.self).contains("renewal_begun_at"))
  }

  /// What a killed program has left of new tokens does not outlive the sign-out.
  @Test func noTokensOutliveTheSignOut() throws {
    let service = try Service()
    let home = try home(service, expiresIn: 7200)
    for left in [Self.tokens, Self.credentials] {
      chmod(try home.write(left + ".new", #"{"access_token":"half-a-tok"#), 0o600)
    }
    let result = try Tool.run("tw-auth", ["logout"], environment: ["TW_SERVICE": "local"], home: home)
    #expect([.status(0), .status(1)].contains(result.ending), "\(result.errors)")
    let found = try Tool.shell("grep -rlE 'access|refresh' .local .config", home: home, directory: home.path)
    #expect(found.output == "")
  }

  /// A refresh token that is spent and whose successor cannot be stored is an account that is lost.
  @Test(.enabled(if: Sanitizer.allowsFileLimits)) func nothingIsSpentThatCannotBeStored() throws {
    let service = try Service()
    let home = try home(service, expiresIn: -60)
    // No file may grow: what a full disk does.
    let result = try Tool.shell(
      "ulimit -f 0; exec tw-stream --once home", environment: ["TW_SERVICE": "local"], home: home)
    #expect(result.ending == .status(74) && result.errors.contains("cannot write"), "\(result.errors)")
    #expect(service.state.withLock { $0.spent } == [])
    #expect(try stream(home).ending == .status(0))
  }

  @Test(arguments: [0o644, 0o640, 0o602])
  func aLooseModeIsRefused(_ mode: Int) throws {
    let service = try Service()
    let home = try home(service, expiresIn: 60, mode: Int32(mode))
    let result = try stream(home)
    let path = home.path + "/" + Self.credentials
    #expect(result.ending == .status(78))
    #expect(result.errors.hasSuffix(": chmod 600 \(path)\n"), "\(result.errors)")
    #expect(service.requests.count == 0)
    // The command that mends it.
    #expect(try Tool.shell("chmod 600 '\(path)'").ending == .status(0))
    #expect(try stream(home).ending == .status(0))
  }

  /// Who may write in a folder puts there what he likes. The command that the message names mends it.
  @Test(arguments: [".config/tw", ".config", ".local/state/tw/tokens", ".local/state"], [0o777, 0o775])
  func aFolderOfOthersIsRefused(_ folder: String, _ rights: Int) throws {
    let mode = mode_t(rights)
    let service = try Service()
    let home = try home(service, expiresIn: 3600)
    let path = home.path + "/" + folder
    if mode == 0o775 {
      // Only the user is in the group that has the user's name; daemon's is another one.
      if geteuid() == 0 {
        chmod(path, mode)
        #expect(try stream(home).ending == .status(0))
      }
      guard chown(path, geteuid(), 1) == 0 else { return }
    }
    chmod(path, mode)
    let asked = service.requests.count
    let result = try stream(home)
    #expect(result.ending == .status(78) && service.requests.count == asked, "\(result.errors)")
    #expect(result.errors.contains("they may write in '\(path)'"), "\(result.errors)")
    #expect(result.errors.hasSuffix(": chmod go-w \(path)\n"), "\(result.errors)")
    let doctor = try Tool.run("tw", ["doctor", "--offline"], home: home)
    #expect(doctor.output.contains("mend: chmod go-w \(path)"), "\(doctor.output)")
    #expect(!doctor.output.contains("for this user only"))
    chmod(path, mode & 0o755)
    #expect(try stream(home).ending == .status(0))
    // Nor are tokens written there.
    chmod(path, mode)
    let login = try Tool.run(
      "tw-auth", ["login", "--service", "x", "--endpoint", service.base, "--token-file", "-"], stdin: "access-0\n",
      home: home)
    if folder.hasPrefix(".config") { #expect(login.ending == .status(78), "\(login.errors)") }
  }

  /// Root runs no command that another user has written, and signs in with nobody's accounts.
  @Test(.enabled(if: geteuid() == 0, "only root gives files away"))
  func anotherUsersFilesAreRefused() throws {
    let service = try Service()
    let nobody: uid_t = 65534
    let home = try home(service, expiresIn: 3600)
    let token = try home.write("token", "access-0\n")
    try home.write(".config/tw/config", "numbers = on\n")
    chmod(token, 0o600)
    let given = ["TW_SERVICE": "local", "TW_ENDPOINT": service.base, "TW_TOKEN_FILE": token]
    for (file, variables) in [
      (".config/tw/credentials.json", [:]), (".config/tw/config", [:]), (".local/state/tw/tokens/local:jack", [:]),
      (".config/tw", [:]), (".local/state/tw/tokens", [:]), ("token", given), ("", given),
    ] as [(String, [String: String])] {
      let path = file.isEmpty ? home.path : home.path + "/" + file
      #expect(chown(path, nobody, nobody) == 0)
      let result = try Tool.run(
        "tw-stream", ["--once", "home"], environment: ["TW_SERVICE": "local"].merging(variables) { $1 }, home: home)
      #expect(result.ending == .status(78) && result.errors.contains("user 'nobody'"), "\(file): \(result.errors)")
      #expect(result.errors.contains(": chown 0 \(path)\n"), "\(file): \(result.errors)")
      #expect(chown(path, 0, 0) == 0)
    }
    #expect(service.requests.count == 0)
    let accounts =
      #"{"accounts":[{"service":"local","name":"jack","base":"\#(service.base)","method":"token","token_command":"touch ran; echo t"}]}"#
    let path = try home.write(".config/tw/credentials.json", accounts)
    chmod(path, 0o600)
    #expect(chown(path, nobody, nobody) == 0)
    let result = try stream(home)
    #expect(result.ending == .status(78) && !home.exists("ran"), "\(result.errors)")
    let doctor = try Tool.run("tw", ["doctor", "--offline"], home: home)
    #expect(doctor.output.contains("mend: chown 0 \(path)"), "\(doctor.output)")
  }

  /// What others may change is refused too: the settings name commands, and where tokens go.
  @Test func settingsAndTokensThatOthersMayChangeAreRefused() throws {
    let service = try Service()
    let home = try home(service, expiresIn: 3600)
    let config = try home.write(".config/tw/config", "alias.mine = touch ran\n")
    chmod(config, 0o666)
    for (tool, words) in [("tw-stream", ["--once", "home"]), ("tw", ["mine"]), ("tw-cache", ["refresh", "home"])] {
      let result = try Tool.run(tool, words, environment: ["TW_SERVICE": "local"], home: home)
      #expect(result.ending == .status(78), "\(tool): \(result.errors)")
      #expect(result.errors.contains("other users may change '\(config)' (mode 0666): chmod go-w \(config)"))
    }
    #expect(!home.exists("ran") && service.requests.count == 0)
    chmod(config, 0o644)
    let token = try home.write("token", "access-0\n")
    let given = ["TW_SERVICE": "local", "TW_ENDPOINT": service.base, "TW_TOKEN_FILE": token]
    chmod(token, 0o622)
    #expect(
      try Tool.run("tw-stream", ["--once", "home"], environment: given, home: home).ending == .status(78))
    // Others may read it, as they read the secrets of a container: tw doctor says so.
    chmod(token, 0o644)
    #expect(
      try Tool.run("tw-stream", ["--once", "home"], environment: given, home: home).ending == .status(0))
  }

  @Test func aGarbledFileIsNeitherReadNorChanged() throws {
    let service = try Service()
    let home = try home(service, expiresIn: 60)
    for file in [Self.credentials, Self.tokens] {
      let good = try home.read(file)
      try home.write(file, "{\"accounts\":[{")
      chmod(home.path + "/" + file, 0o600)
      let result = try stream(home)
      #expect(result.ending == .status(78) && result.errors.contains(home.path + "/" + file), "\(result.errors)")
      #expect(String(decoding: try home.read(file), as: UTF8.self) == "{\"accounts\":[{")
      try home.write(file, good)
      chmod(home.path + "/" + file, 0o600)
    }
  }

  /// A token of one service is not sent to another that a variable names.
  @Test func aCredentialGoesOnlyWhereItWasMade() throws {
    let (service, other) = (try Service(), try Service())
    let home = try home(service, expiresIn: 7200)
    let result = try Tool.run(
      "tw-stream", ["--once", "home"], environment: ["TW_SERVICE": "local", "TW_ENDPOINT": other.base], home: home)
    #expect(result.ending == .status(77) && other.requests.count == 0)
  }

  @Test(arguments: ["t0ken", "Bearer t0ken", "bearer  t0ken "])
  func aTokenInTheEnvironmentGoesFirst(_ token: String) throws {
    let service = try Service()
    service.state.withLock { $0.access = "t0ken" }
    let home = try home(service, expiresIn: -60)
    let variables = ["TW_SERVICE": "local", "TW_ENDPOINT": service.base]
    let result = try Tool.run(
      "tw-stream", ["--once", "home"], environment: variables.merging(["TW_TOKEN": token]) { $1 }, home: home)
    #expect(result.ending == .status(0), "\(result.errors)")
    try home.write("file", "\n\(token)\n")
    let file = try Tool.run(
      "tw-stream", ["--once", "home"], environment: variables.merging(["TW_TOKEN_FILE": "file"]) { $1 }, home: home)
    #expect(file.ending == .status(0), "\(file.errors)")
    #expect(service.state.withLock { $0.spent } == [])
  }
}
