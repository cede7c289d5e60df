import Foundation
import TestSupport
import Testing

@testable import tw

/// `tw doctor`: what is wrong with settings, accounts and tools is found, and the command that it names mends it.
@Suite(.onOwnThread) struct DoctorTests: DoctorSuite {
  let home: TemporaryDirectory
  private var config: String { home.path + "/.config/tw/config" }
  private var credentials: String { home.path + "/.config/tw/credentials.json" }

  init() throws { home = try Self.makeHome() }

  private func write(_ name: String, _ text: String, mode: mode_t = 0o600) throws {
    chmod(try home.write(name, text), mode)
  }

  private func account(_ method: String, base: String, more: String = "") -> String {
    #"{"accounts":[{"service":"local","name":"maja","base":"\#(base)","method":"\#(method)"\#(more)}]}"#
  }

  @Test func aNewMachineHasNotesOnly() throws {
    let findings = try doctor()
    #expect(findings.allSatisfy { $0.state != "fault" }, "\(findings)")
    #expect(findings.first?.message.contains("of version 0.1.0") == true)
    let libraries = findings.first { $0.topic == "libraries" && $0.state == "ok" }?.message ?? ""
    for name in ["libcurl.so", "libsqlite3.so", "libcrypto.so"] { #expect(libraries.contains(name), "\(libraries)") }
    #expect(findings.contains { $0.topic == "accounts" && $0.mend == "tw-auth login" })
    let text = try Tool.run("tw", ["doctor"], environment: environment(), home: home)
    #expect(text.ending == .status(0) && text.errors == "")
    #expect(text.output.contains("\nnote   accounts     no account is signed in, which X needs\n"))
    #expect(text.output.contains("\n                    mend: tw-auth login\n"))
    // Nothing was made.
    #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == ["bin"])
  }

  @Test func settingsAreMended() throws {
    try write(".config/tw/config", "service = x\ncolour = red\n")
    try expectMended("settings", ":2: no setting is called 'colour'", by: "sed -i '2s/^/# /' \(config)")
    try write(".config/tw/config", "service = x\n", mode: 0o666)
    try expectMended("settings", "other users may change", by: "chmod go-w \(config)")
    try write(".config/tw/config", "service = nowhere\n")
    try expectMended("settings", "'nowhere'", by: "tw config unset service")
    try write(".config/tw/config", "token-file = /no/such\n")
    try expectMended("settings", "'/no/such'", by: "tw config unset token-file")
    try write("it's a token", "secret-token\n", mode: 0o644)
    let path = "'\(home.path)/it'\\''s a token'"
    try expectMended(
      "settings", "lets other users at them", by: "chmod 600 \(path)",
      environment: ["TW_TOKEN_FILE": home.path + "/it's a token"])
    for (name, value) in [("TW_AVATARS", "/pictures"), ("TW_BUDGET", "much"), ("TW_NEW_LABELS", "a b,,")] {
      try expectMended("settings", name, by: "unset \(name)", environment: [name: value])
    }
    try expectMended(
      "settings", "what time it is", state: "note", by: "unset TW_NOW", environment: ["TW_NOW": "2026-01-01T00:00:00Z"])
    try expectMended("settings", "TW_CA_FILE", by: "unset TW_CA_FILE", environment: ["TW_CA_FILE": "/no/such"])
  }

  @Test func filesWithSecretsAreMended() throws {
    try write(
      ".config/tw/credentials.json", account("token", base: "http://127.0.0.1:1", more: #","token":"SECRET""#),
      mode: 0o640)
    try expectMended("credentials", "mode 0640", by: "chmod 600 \(credentials)")
    #expect(try doctor("--offline").contains { $0.topic == "accounts" && $0.message == "local:maja by token" })
    chmod(home.path + "/.config/tw", 0o777)
    try expectMended("credentials", "they may write in", by: "chmod go-w \(home.path)/.config/tw")
    let token = home.path + "/.local/state/tw/tokens/local:maja"
    try write(".local/state/tw/tokens/local:maja", #"{"access_token":"SECRET"}"#, mode: 0o644)
    try expectMended("credentials", "mode 0644", by: "chmod 600 \(token)")
    // A lock has no secret in it.
    try write(".local/state/tw/tokens/local:maja.lock", "", mode: 0o644)
    #expect(try !doctor("--offline").contains { $0.topic == "credentials" && $0.state != "ok" })
    try write(".config/tw/credentials.json", "{\"accounts\":[")
    try expectMended("credentials", "is not JSON", by: "mv \(credentials) \(credentials).broken")
    let output = try Tool.run("tw", ["doctor", "--offline"], environment: environment(), home: home)
    #expect(!output.output.contains("SECRET") && !output.errors.contains("SECRET"))
  }

  /// A token that nothing renews has expired: the person signs in again, by the password here.
  @Test func anExpiredTokenIsMended() throws {
    let service = try LocalService()
    try write("password", "correct horse\n")
    let made = try Tool.run(
      "tw-auth",
      ["login", "--service", "local", "--endpoint", service.base, "--create", "maja", "--password-file", "password"],
      environment: environment(), home: home)
    #expect(made.status == 0, "\(made.errors)")
    #expect(try doctor("--offline").contains { $0.message == "local:maja by oauth2, renewed when it expires" })
    let (path, past) = (".local/state/tw/tokens/local:maja", "2026-01-02T00:00:00.000Z")
    try write(path, #"{"access_token":"SECRET","expires_at":"\#(past)"}"#)
    try expectMended(
      "accounts", "the token of local:maja has expired on 2026-01-02",
      by: "tw-auth login --service local --endpoint \(service.base) --account maja --method oauth2",
      more: " --user maja --password-file password")
    try write(path, #"{"access_token":"SECRET","expires_at":"\#(Date(timeIntervalSinceNow: 86_400).ISO8601Format())"}"#)
    #expect(try doctor("--offline").contains { $0.topic == "accounts" && $0.state == "note" })
    unlink(home.path + "/" + path)
    #expect(try doctor("--offline").contains { $0.topic == "accounts" && $0.message == "local:maja has no token" })
    // The service answers, and its clock is ours.
    let findings = try doctor()
    #expect(findings.contains { $0.topic == "services" && $0.message == "\(service.base) answers" })
    #expect(findings.contains { $0.topic == "clock" && $0.state == "ok" })
  }

  @Test func aServiceThatDoesNotAnswerIsStarted() throws {
    let port = try LoopbackServer { _ in .answer(200) }.port
    let base = "http://127.0.0.1:\(port)"
    try write(".config/tw/credentials.json", account("token", base: base, more: #","token":"SECRET""#))
    try expectMended(
      "services", "\(base) does not answer", by: "tw-local --port \(port) &", options: [])
    let findings = try doctor("--offline")
    #expect(!findings.contains { $0.topic == "services" || $0.topic == "clock" })
  }

  @Test func troubleOfAServiceAndOfTheClockIsTold() throws {
    let server = try LoopbackServer { _ in .answer(503, headers: ["Date: Thu, 01 Jan 2026 00:00:00 GMT"]) }
    try write(".config/tw/credentials.json", account("token", base: server.base, more: #","token":"SECRET""#))
    let findings = try doctor()
    #expect(findings.contains { $0.topic == "services" && $0.state == "fault" && $0.message.contains("HTTP 503") })
    let clock = try #require(findings.first { $0.topic == "clock" })
    #expect(clock.state == "fault" && clock.message.contains("ahead of that of \(server.base)"))
    #expect(clock.mend?.hasSuffix("timedatectl set-ntp true") == true)
    // No credential was sent.
    #expect(server.targets == ["HEAD /"] && server.requests[0]["Authorization"] == nil)
    // A clock may also be behind.
    let later = try LoopbackServer { _ in .answer(200, headers: ["Date: Tue, 01 Jan 2047 00:00:00 GMT"]) }
    try write(".config/tw/credentials.json", account("token", base: later.base, more: #","token":"SECRET""#))
    let behind = try #require(doctor().first { $0.topic == "clock" })
    #expect(behind.state == "fault" && behind.message.contains("behind that of \(later.base)"), "\(behind)")
  }

  // MARK: Tools, libraries, terminal

  /// A copy of the kit, which a test may break.
  private func copyOfKit() throws -> String {
    try home.write("kit/.keep", "")
    let copy = "for file in tw tw-stream tw-local; do cp -l $TOOLS/$file kit/ || cp $TOOLS/$file kit/; done"
    let links = "for file in $TOOLS/tw-*; do [ ! -L $file ] || cp -P $file kit/; done"
    let result = try Tool.shell(
      "(\(copy)\n\(links)) 2> copied", environment: ["TOOLS": Tool.directory], home: home, timeout: 120)
    #expect(result.status == 0, "\(result.errors)")
    return home.path + "/kit"
  }

  @Test func toolsAreMended() throws {
    let kit = try copyOfKit()
    let path = ["PATH": "\(home.path)/bin:\(kit):/usr/bin:/bin"]
    for tool in ["tw-parse", "tw-auth"] {
      unlink("\(kit)/\(tool)")
      let file = tool == "tw-parse" ? "tw" : "tw-stream"
      try expectMended(
        "tools", "\(tool) is missing", by: "ln -s \(file) \(kit)/\(tool)", tw: kit + "/tw",
        environment: path)
    }
    unlink("\(kit)/tw-cache")
    try home.program("kit/tw-cache", "#!/bin/sh\necho 0.0.9\n")
    unlink("\(kit)/tw-post")
    let loader = "tw-post: error while loading shared libraries: libcurl.so.4: cannot open shared object file"
    try home.program("kit/tw-post", "#!/bin/sh\necho '\(loader)' >&2; exit 127\n")
    let findings = try doctor("--offline", tw: kit + "/tw", environment: path).filter { $0.topic == "tools" }
    #expect(findings.count == 2 && findings.allSatisfy { $0.state == "fault" }, "\(findings)")
    #expect(findings[0].message.contains("is of version 0.0.9") && findings[0].mend?.contains("make install") == true)
    #expect(findings[1].message.contains("libcurl.so.4"))
    if let package = Self.package(findings[1].mend) { #expect(try Self.isPackage(package), "\(package)") }
  }

  /// The package that a command of Debian's installs; `nil` for other systems.
  private static func package(_ mend: String?) -> String? {
    guard let mend, mend.contains("apt-get install ") else { return nil }
    return mend.split(separator: " ").last.map(String.init)
  }

  /// Whether Debian's lists have it, or it is installed.
  private static func isPackage(_ name: String) throws -> Bool {
    try Tool.shell("dpkg-query -W \(name) || apt-cache show \(name)").status == 0
  }

  /// The rows of a part of packaging/description, by their first column.
  private static func described(_ part: String) throws -> [String: [String]] {
    let text = try Package.text("packaging/description").components(separatedBy: "\n[\(part)]\n").last ?? ""
    let lines = text.prefix { $0 != "[" }.split(separator: "\n").filter { !$0.hasPrefix("#") }
    let rows = lines.map { $0.split(separator: " ").map(String.init) }
    return Dictionary(rows.map { ($0[0], Array($0.dropFirst())) }) { first, _ in first }
  }

  /// What is told to be missing is what the packages name.
  @Test func packagesAreThoseOfTheDescription() throws {
    let programs = try Self.described("programs")
    for tool in KitTool.all {
      let file = tool.file ?? "tw-\(tool.name)"
      #expect(programs[file]?.contains("tw-\(tool.name)") == (tool.file != nil), "\(tool.name)")
    }
    let loaded = try Self.described("loaded")
    #expect(loaded.count == LibrariesCheck.loaded.count + 1)
    for library in LibrariesCheck.loaded {
      let row = loaded["lib\(library.name).so.\(library.version)"]
      #expect(row?.prefix(3) == [library.package.homebrew, library.package.arch, library.package.fedora], "\(library)")
    }
    let linked = try Self.described("build").filter { $0.value[0] == "linked" }
    #expect(linked.count == LinkedLibrary.all.count)
    for library in LinkedLibrary.all {
      let package = library.package
      let names = [package.debian, package.homebrew, package.arch, package.fedora]
      #expect(linked.values.contains { $0.dropFirst().elementsEqual(names) }, "\(library)")
    }
  }

  @Test func missingLibrariesAreTold() throws {
    guard let library = PreloadedLibrary.compile("no-libraries") else { try Test.cancel("\(PreloadedLibrary.comment)") }
    let notes = try doctor("--offline", environment: ["LD_PRELOAD": library]).filter {
      $0.topic == "libraries" && $0.state == "note"
    }
    #expect(notes.count == 7, "\(notes)")
    #expect(notes[0].message == "libchafa is not installed: no pictures in symbols and sixels")
    for note in notes {
      if let package = Self.package(note.mend) { #expect(try Self.isPackage(package), "\(package)") }
    }
    // They are installed here as far as the tests need them.
    #expect(try doctor("--offline").filter { $0.topic == "libraries" && $0.state == "note" }.count < 7)
  }

  @Test func missingProgramsAreTold() throws {
    // Nothing but these is on PATH.
    try home.write("few/.keep", "")
    try home.program("few/apt-get", "#!/bin/sh\n")
    symlink("/bin/gzip", home.path + "/few/gzip")
    let findings = try doctor("--offline", environment: ["PATH": "\(home.path)/few"]).filter { $0.topic == "programs" }
    #expect(findings.first?.message == "gzip")
    #expect(
      findings.dropFirst().map { String($0.message.prefix { $0 != " " }) } == ["bzip2", "xz", "zstd", "unzip", "iconv"])
  }

  @Test func theLocaleIsMended() throws {
    try expectMended("terminal", "UTF-8", by: "export LC_ALL=C.UTF-8", environment: ["LC_ALL": "C"])
    try expectMended("terminal", "UTF-8", by: "export LC_ALL=C.UTF-8", environment: ["LC_ALL": "de_DE.ISO-8859-1"])
  }

  @Test(.enabled(if: Terminal.isAvailable)) func aTerminalIsDescribed() throws {
    let dumb = "TERM=dumb tw doctor --offline | cat; TERM=dumb tw doctor --offline; echo over: $?"
    let terminal = try Terminal(dumb, columns: 150, environment: environment(["NO_COLOR": ""]), home: home)
    #expect(try terminal.wait(for: "over: 0").contains("mend: export TERM=xterm-256color"))
    let colours = try Terminal(
      "unset TMUX; TERM=xterm-256color tw doctor --offline | tail -n 9; tw doctor --offline; echo over: $?",
      columns: 150, environment: environment(), home: home)
    #expect(try colours.wait(for: "over: 0").contains("256 colours, "))
  }

  @Test func wrongWordsAreRefused() throws {
    #expect(try Tool.run("tw", ["doctor", "--colour"], home: home).status == 64)
    #expect(
      try Tool.run("tw", ["doctor"], environment: environment(), home: home, stdoutPath: "/dev/full").status == 74)
  }
}
