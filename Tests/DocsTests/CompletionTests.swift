import Foundation
import TestSupport
import Testing

/// The completions in the tree are those that the tools print (`Tests/CompletionWriter`), and the shells accept them.
@Suite(.onOwnThread) struct CompletionTests {
  /// The completions of `tw` are written by hand: they complete the names of other programs.
  static let tools = ManPage.tools.map(\.subject).filter { $0 != "tw" }

  @Test func areThoseOfTheTools() throws {
    let folder = try TemporaryDirectory()
    let result = try Tool.run("CompletionWriter", [folder.path] + Self.tools)
    #expect(result.ending == .status(0), "\(result.errors)")
    for shell in ["bash", "zsh", "fish"] {
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/" + shell).sorted()
      #expect(names.count == Self.tools.count)
      for name in names {
        let isSame = try Array(Package.text("completions/\(shell)/\(name)").utf8) == folder.read("\(shell)/\(name)")
        #expect(isSame, "completions/\(shell)/\(name) is old; 'make completions' writes it anew")
      }
      let others = try Package.names(in: "completions/" + shell).filter { !names.contains($0) }
      #expect(others == [shell == "zsh" ? "_tw" : shell == "fish" ? "tw.fish" : "tw"])
    }
  }

  /// What is typed, and one of the words that the shell must offer.
  static let typed = [
    ("tw-parse --str", "--strict"), ("tw-cache li", "list"), ("tw-cache list --oldest", "--oldest-first"),
    ("tw-render --format li", "line"), ("tw par", "parse"), ("tw parse --str", "--strict"),
    ("tw config set d", "db"), ("tw bud", "budget"), ("tw budget --by mo", "month"),
    ("tw config set avatars of", "off"), ("tw-parse tweets.nd", "tweets.ndjson"),
    ("tw-local --de", "--demo"),
    ("tw-cache list --links mu", "music"), ("tw-cache top ha", "hashtags"),
  ]

  @Test(arguments: typed)
  func bashCompletes(_ line: String, _ offer: String) throws {
    let words = line.split(separator: " ")
    let result = try complete(
      "/bin/bash",
      """
      for file in \(Package.root)/completions/bash/*; do . "$file"; done
      COMP_WORDS=(\(line)); COMP_CWORD=\(words.count - 1); COMP_LINE='\(line)'; COMP_POINT=${#COMP_LINE}
      _\(words[0]) \(words[0]) '\(words.last ?? "")' '\(words.dropLast().last ?? "")'
      printf '%s\\n' "${COMPREPLY[@]}"
      """)
    #expect(result.contains(offer))
  }

  @Test(.enabled(if: isThere("fish"), "needs fish"), arguments: typed)
  func fishCompletes(_ line: String, _ offer: String) throws {
    let result = try complete(
      "/usr/bin/fish",
      """
      for file in \(Package.root)/completions/fish/*.fish; source $file; end
      complete -C '\(line)' | string split -f 1 \\t
      """)
    #expect(result.contains(offer))
  }

  @Test(.enabled(if: isThere("zsh"), "needs zsh"), arguments: typed)
  func zshCompletes(_ line: String, _ offer: String) throws {
    // zsh completes only in its line editor, which needs a terminal. It completes the word, or lists what it offers.
    let result = try complete(
      "/usr/bin/zsh",
      """
      zmodload zsh/zpty
      zpty z "TERM=dumb COLUMNS=200 zsh -f -i"
      zpty -w z "PS1= fpath=(\(Package.root)/completions/zsh \\$fpath); autoload -U compinit; compinit -u -D; echo REA''DY"
      while zpty -r z text; do [[ $text != *READY* ]] || break; done
      zpty -w -n z '\(line)'$'\\t'
      zpty -w -n z $'\\C-a: \\C-e; echo DO\\'\\'NE\\n'
      while zpty -r z text; do print -r -- "$text"; [[ $text != *DONE* ]] || break; done
      """, isWhole: false)
    #expect(result.joined(separator: "\n").contains(offer))
  }

  /// Runs a script in a folder that has a file to complete, and returns the lines that the script prints.
  private func complete(_ shell: String, _ script: String, isWhole: Bool = true) throws -> [String] {
    let home = try TemporaryDirectory()
    try home.write("tweets.ndjson", "")
    let flags = shell.hasSuffix("bash") ? ["--norc"] : shell.hasSuffix("zsh") ? ["-f"] : ["--no-config"]
    let result = try Tool.run(shell, flags + ["-c", script], home: home, timeout: 30)
    if isWhole { #expect(result.errors == "") }
    return result.lines
  }

  static func isThere(_ program: String) -> Bool {
    FileManager.default.isExecutableFile(atPath: "/usr/bin/" + program)
  }
}
