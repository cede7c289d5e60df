import Foundation
import TestSupport
import Testing

/// tw-post with a person at a terminal.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux")) struct PostTerminalTests {
  private let home: TemporaryDirectory
  private let service: PostService

  init() throws {
    home = try TemporaryDirectory()
    service = try PostService()
  }

  private func terminal(_ script: String, _ variables: [String: String] = [:]) throws -> Terminal {
    try Terminal(script, environment: service.environment.merging(variables) { $1 }, home: home)
  }

  private var likes: Int { service.requests.count { $0.target == "POST /2/users/7/likes" } }

  // MARK: The question before many

  @Test(arguments: ["y", "Y", "yes"])
  func yesChangesMany(answer: String) throws {
    let terminal = try terminal("seq 41 43 | tw-post like > likes; echo \"ended $?\"; wc -l < likes")
    try terminal.wait(for: "tw-post: like 3 as @jack? [y/N]")
    #expect(likes == 0)
    try terminal.type(answer)
    try terminal.press("Enter")
    try terminal.wait(for: "ended 0\n3")
    #expect(likes == 3)
  }

  @Test(arguments: ["", "n", "no", "C-d", "later"])
  func anythingElseChangesNothing(answer: String) throws {
    let terminal = try terminal("tw-post like 41 42; echo \"ended $?\"")
    try terminal.wait(for: "like 2 as @jack? [y/N]")
    if answer == "C-d" { try terminal.press(answer) } else { try terminal.type(answer) }
    if answer != "C-d" { try terminal.press("Enter") }
    let screen = try terminal.wait(for: "ended 0")
    #expect(screen.contains("nothing was changed") && likes == 0)
  }

  @Test func interruptedAtTheQuestion() throws {
    // The key interrupts the shell too.
    let terminal = try terminal("trap : INT; tw-post like 41 42; echo \"ended $?\"")
    try terminal.wait(for: "[y/N]")
    try terminal.press("C-c")
    try terminal.wait(for: "ended 130")
    #expect(likes == 0)
    #expect(try Tool.run("tw-post", ["outbox"], home: home).output == "")
  }

  @Test func oneIsNotAskedFor() throws {
    let terminal = try terminal("tw-post like 41 > like; tw-post like --yes 42 43 > likes; echo \"ended $?\"")
    #expect(try !terminal.wait(for: "ended 0").contains("[y/N]"))
    #expect(likes == 3)
  }

  @Test func aDryRunSaysWhereAndWhen() throws {
    let terminal = try terminal("tw-post --dry-run --at '2030-01-01 10:00' 'Hello there'; echo \"ended $?\"")
    let screen = try terminal.wait(for: "ended 0")
    #expect(
      screen.contains("11 of 280\n  Hello there\n  account: local\n  sent: by 'tw-post flush' from 2030-01-01 10:00 on")
    )
    #expect(service.posts.isEmpty)
  }

  // MARK: --edit

  /// A person's editor: ed(1) is where a terminal is, and says what it does.
  private static let editor = """
    #!/bin/sh
    test -t 0 && test -t 1 || exit 1
    printf 'file has: '
    cat "$1"
    echo 'editor: write'
    read -r line
    printf '%s\\n' "$line" > "$1"

    """

  private func edit(_ script: String) throws -> Terminal {
    let path = try home.program("editor", Self.editor)
    return try terminal(script, ["EDITOR": path])
  }

  @Test func whatIsWrittenInTheEditorIsPosted() throws {
    let terminal = try edit("tw-post --edit > posted; echo \"ended $?\"")
    try terminal.wait(for: "editor: write")
    try terminal.type("Hello from the editor")
    try terminal.press("Enter")
    try terminal.wait(for: "ended 0")
    #expect(service.posts.map(\.text) == ["Hello from the editor"])
    let left = try FileManager.default.contentsOfDirectory(atPath: home.path + "/.local/state/tw")
    #expect(!left.contains { $0.hasSuffix(".txt") })
  }

  @Test func anEmptyTextIsANo() throws {
    let terminal = try edit("tw-post --edit 'a beginning'; echo \"ended $?\"")
    try terminal.wait(for: "file has: a beginning")
    try terminal.press("Enter")
    #expect(try terminal.wait(for: "ended 0").contains("nothing was posted: the text is empty or unchanged"))
    #expect(service.posts.isEmpty)
  }

  /// The editor has the terminal although the text comes from a pipe and the record goes into one.
  @Test func theEditorHasTheTerminalInAPipeline() throws {
    let terminal = try edit("echo 'a beginning' | tw-post --edit - | cut -c 1-13; echo ended")
    try terminal.wait(for: "file has: a beginning")
    try terminal.type("and an end")
    try terminal.press("Enter")
    try terminal.wait(for: "{\"tw\":\"tweet\"\nended")
    #expect(service.posts.map(\.text) == ["and an end"])
  }

  /// ed(1) and shells take Ctrl-C for themselves.
  @Test func interruptsInTheEditorAreItsOwnAffair() throws {
    let script =
      "#!/bin/sh\ntrap 'echo not so fast' INT\necho ready\nuntil read -r line; do :; done\necho \"$line\" > \"$1\"\n"
    try home.program("editor", script)
    let terminal = try terminal(
      "trap : INT; tw-post --edit > posted; echo \"ended $?\"", ["EDITOR": home.path + "/editor"])
    try terminal.wait(for: "ready")
    try terminal.press("C-c")
    try terminal.wait(for: "not so fast")
    usleep(400_000)
    try terminal.press("C-c")
    try terminal.type("still here")
    try terminal.press("Enter")
    try terminal.wait(for: "ended 0")
    #expect(service.posts.map(\.text) == ["still here"])
  }

  @Test func anEditorThatFailsKeepsTheText() throws {
    let terminal = try terminal("tw-post --edit text; echo \"ended $?\"", ["EDITOR": "false"])
    #expect(try terminal.wait(for: "ended 78").contains("nothing was posted, and your text is in '"))
    #expect(service.posts.isEmpty)
  }
}
