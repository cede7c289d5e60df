import Foundation
import TestSupport
import Testing

/// tw-auth and the person at a terminal.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux")) struct PromptTests {
  private let service: LocalService
  private let home: TemporaryDirectory

  init() throws {
    service = try LocalService()
    home = try TemporaryDirectory()
  }

  private func terminal(_ script: String) throws -> Terminal {
    try Terminal(script, environment: Tool.environment(home: home.path, adding: ["TW_SERVICE": "local"]), home: home)
  }

  @Test func aPasswordIsAskedForAndNotShown() throws {
    let terminal = try terminal("tw-auth login --endpoint \(service.base) --create maja; echo ended $?")
    try terminal.wait(for: "password of 'maja':")
    try terminal.type("correct horse")
    try terminal.press("Enter")
    let screen = try terminal.wait(for: "ended 0")
    #expect(screen.contains("signed in to local as maja") && !screen.contains("horse"))
    // What is typed is shown again.
    try terminal.type("shown")
    try terminal.wait(for: "shown")
  }

  @Test func anInterruptedQuestionLeavesTheTerminalAsItWas() throws {
    let terminal = try terminal(
      "trap : INT; tw-auth login --endpoint \(service.base) --create maja; echo ended $?; stty -a | grep -ow -- '-*echo'"
    )
    try terminal.wait(for: "password of 'maja':")
    try terminal.type("correct")
    try terminal.press("C-c")
    let screen = try terminal.wait("the terminal's mode") { $0.contains("echo\n") || $0.hasSuffix("echo") }
    #expect(screen.contains("ended 130") && !screen.contains("-echo") && !screen.contains("correct"), "\(screen)")
    #expect(!home.exists(".config/tw/credentials.json"))
  }

  /// The environment of a tw-local's shell names its owner, with a token: what a login says there works as pasted.
  @Test func inATwLocalsShellTheMessagesLeadToTheNewAccount() throws {
    try home.write("password", "correct horse\n")
    let script = """
      tw-auth login --create maja --password-file password 2> notes && cat notes >&2
      eval "$(sed -n 's/.*takes precedence over this account: //p' notes)"
      tw-post 'from maja' && tw-auth login --create finn --password-file password && tw-post 'from finn'
      tw-auth use maja && tw-auth logout && tw-auth status
      """
    let result = try Tool.run("tw-local", ["--demo", "--", "bash", "-c", script], home: home)
    #expect(result.ending == .status(0), "\(result.errors)")
    #expect(result.lines.count == 2 + 6, "\(result.output)")
    #expect(result.output.contains(#""text":"from maja""#) && result.output.contains(#""username":"maja""#))
    #expect(result.output.contains(#""text":"from finn""#) && result.output.contains("account\tlocal:finn\n"))
  }
}
