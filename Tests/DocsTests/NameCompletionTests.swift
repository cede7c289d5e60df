import Foundation
import TestSupport
import Testing

/// What shells offer of a person's own data, typed into the shells themselves.
@Suite(.onOwnThread, .enabled(if: Terminal.isAvailable, "needs tmux"))
struct NameCompletionTests {
  private let home: TemporaryDirectory

  /// A name that would do harm in a shell that expands it.
  private static let hostile = #"quo"te $(touch pwned) `touch pwned` 'x' ${HOME} ;&|*"#

  init() throws {
    home = try TemporaryDirectory()
    func tweet(_ id: Int, _ tag: String, _ author: String, _ feed: String) throws -> String {
      let object: [String: Any] = [
        "tw": "tweet", "id": "\(id)", "service": "x", "text": "t", "author": ["id": "\(id)", "username": author],
        "entities": ["hashtags": [["start": 0, "end": 1, "tag": tag]]], "feeds": [feed],
      ]
      return String(decoding: try JSONSerialization.data(withJSONObject: object), as: UTF8.self) + "\n"
    }
    let records =
      try tweet(1, "swift", "Jack", "user:jack") + tweet(2, "naïve", "maren_k", "#swift")
      + tweet(3, "evil\u{1B}[31m", "evil\nname", Self.hostile) + tweet(4, "evil\ttab", "evil name", "search:a  b c")
    #expect(try Tool.run("tw-cache", ["add"], stdin: ToolInput(records), home: home).status == 0)
    #expect(
      try Tool.run(
        "tw-cache", ["add", "--db", "other.db"], stdin: ToolInput(tweet(1, "only", "me", "home")), home: home
      ).status == 0)
    for source in ["#swift", "@jack", "mentions"] {
      #expect(try Tool.run("tw-cache", ["source", "add", source], home: home).status == 0)
    }
  }

  /// A shell with the completions of this tree, in which tw-cache only prints its arguments.
  private func terminal(_ shell: String) throws -> Terminal {
    let folder = Package.root + "/completions/" + shell
    let function = """
      tw-cache() { case $1 in ---completion) command tw-cache "$@" ;; *) printf '<%s>' "$@"; echo ;; esac; }
      tw-browse() { case $1 in ---completion) command tw-browse "$@" ;; *) printf '<%s>' "$@"; echo ;; esac; }
      tw() { case $1 in config) echo 'zeta$(touch pwned) = x' ;; *) command tw "$@" ;; esac; }
      PS1='> '

      """
    switch shell {
    case "bash":
      try home.write("bashrc", "for file in \(folder)/*; do . \"$file\"; done\n" + function)
      return try Terminal("bash --noprofile --rcfile bashrc -i", home: home)
    case "zsh":
      try home.write(
        ".zshrc",
        "fpath=(\(folder) $fpath); autoload -U compinit; compinit -u -D; setopt interactivecomments\n" + function)
      return try Terminal("zsh -d -i", home: home)
    default:
      try home.write(
        "config.fish",
        """
        for file in \(folder)/*.fish; source $file; end
        function tw-cache; printf '<%s>' $argv; echo; end
        function tw-browse; printf '<%s>' $argv; echo; end
        function tw; if test "$argv[1]" = config; echo 'zeta$(touch pwned) = x'; else; command tw $argv; end; end
        function fish_prompt; echo -n '> '; end
        """)
      return try Terminal("fish --no-config --init-command 'source config.fish' -i", home: home)
    }
  }

  /// What is typed before Tab, and what the line is after it.
  static let typed = [
    ("tw-cache list --tag sw", "tw-cache list --tag swift"), ("tw-cache list --tag na", "tw-cache list --tag naïve"),
    ("tw-cache list --author ja", "tw-cache list --author jack"),
    ("tw-cache list --author @mar", "tw-cache list --author @maren_k"),
    ("tw-cache list --feed user:j", "tw-cache list --feed user:jack"),
    ("tw-cache list --feed @ja", "tw-cache list --feed @jack"), ("tw-cache users mar", "tw-cache users maren_k"),
    ("tw-cache source pause sw", "tw-cache source pause swift"), ("tw-cache log ment", "tw-cache log mentions"),
    ("tw-cache source remove @j", "tw-cache source remove @jack"),
    ("tw-cache refresh men", "tw-cache refresh mentions"),
    ("tw-cache source remove '#sw", "tw-cache source remove '#swift"),
    ("tw-cache list --db other.db --tag on", "tw-cache list --db other.db --tag only"),
    ("tw cache list --author @mar", "tw cache list --author @maren_k"), ("tw-parse --only us", "tw-parse --only user"),
    ("tw-parse --only tweet,us", "tw-parse --only tweet,user"),
    ("tw-linkcheck --fail-on dead,bl", "tw-linkcheck --fail-on dead,blocked"),
  ]

  @Test(arguments: ["bash", "zsh", "fish"])
  func storedNamesAreCompleted(shell: String) throws {
    guard shell == "bash" || CompletionTests.isThere(shell) else {
      return print("skipped, since \(shell) is not installed")
    }
    let terminal = try terminal(shell)
    try terminal.wait(for: "> ")
    for (line, whole) in Self.typed {
      try terminal.type(line)
      try terminal.press("Tab")
      try terminal.wait(for: "> " + whole)
      // Removes the line.
      try terminal.press("C-u")
    }
  }

  /// A name of a stranger's is inserted as what it is, and nothing in it runs. One that cannot be typed is not offered.
  @Test(arguments: ["bash", "zsh", "fish"])
  func hostileNamesDoNoHarm(shell: String) throws {
    guard shell == "bash" || CompletionTests.isThere(shell) else {
      return print("skipped, since \(shell) is not installed")
    }
    let terminal = try terminal(shell)
    try terminal.wait(for: "> ")
    for (number, quote) in ["", "'", "\""].enumerated() {
      try terminal.type("tw-cache list --limit \(number) --feed \(quote)quo")
      try terminal.press("Tab")
      // The name has the word twice, and so has each line before, which printed it once more.
      _ = try terminal.wait("the name") { $0.components(separatedBy: "pwned").count == number * 4 + 3 }
      try terminal.press("Enter")
      try terminal.wait(for: "<list><--limit><\(number)><--feed><\(Self.hostile)>")
    }
    // tw-browse offers the same names.
    try terminal.type("tw-browse --feed quo")
    try terminal.press("Tab")
    _ = try terminal.wait("the name") { $0.components(separatedBy: "pwned").count == 3 * 4 + 3 }
    try terminal.press("Enter")
    try terminal.wait(for: "<--feed><\(Self.hostile)>")
    for option in ["--tag", "--author"] {
      try terminal.type("tw-cache list \(option) evil")
      try terminal.press("Tab")
      try terminal.press("Enter")
    }
    try terminal.wait(for: "<--tag><evil>")
    try terminal.wait(for: "<--author><evil name>")
    #expect(!home.exists("pwned"))
  }

  /// A word of a person's own is a name too.
  @Test(arguments: ["bash", "zsh", "fish"])
  func ownWordsAreNotExpanded(shell: String) throws {
    guard shell == "bash" || CompletionTests.isThere(shell) else {
      return print("skipped, since \(shell) is not installed")
    }
    let terminal = try terminal(shell)
    try terminal.wait(for: "> ")
    try terminal.type("tw zet")
    try terminal.press("Tab")
    try terminal.wait(for: #"> tw zeta\$\(touch\ pwned\)"#)
    #expect(!home.exists("pwned"))
  }

  /// Whatever is wrong with the store, the tool is silent, creates nothing and ends with 0.
  @Test func withoutAStoreNothingIsOffered() throws {
    let empty = try TemporaryDirectory()
    let ask = ["---completion", "list", "--", "--tag", "3", "0", "tw-cache", "list", "--tag", ""]
    for (variables, text) in [([:], nil), (["TW_DB": "text"], "no store"), (["TW_CONFIG": "text"], "wrong = 1")]
      as [([String: String], String?)]
    {
      if let text { try empty.write("text", text) }
      let result = try Tool.run(
        "tw-cache", ask, environment: variables.merging(["SAP_SHELL": "bash"]) { $1 }, home: empty)
      #expect(
        result.status == 0 && result.errors == "" && result.output.trimmingCharacters(in: .whitespacesAndNewlines) == ""
      )
      #expect(!empty.exists(".local"))
    }
  }
}
