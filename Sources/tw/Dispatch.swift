import Libc
import TweetCLI
import TweetCore

/// `tw NAME …` and `tw help [NAME [COMMAND]]`: this process becomes another program. A tool takes precedence over a
/// word of that name, and an alias over a word of the kit.
struct Dispatch {
  let programs = Programs()

  /// Runs `tw-NAME` with the words after `tw NAME`, byte for byte: a program of somebody else may take what is not
  /// UTF-8. It has the whole environment, as if it had been called by its own name.
  /// - Returns: only if it has printed the pipe of a word.
  func run(_ name: String) throws(ToolError) {
    if !name.contains("/"), programs.path(of: name) == nil, let word = try Word(name) { return try run(word) }
    try become(find(name), [strdup("tw-\(name)")] + ProgramWords.given.dropFirst(2))
  }

  private func run(_ word: Word) throws(ToolError) {
    let words = Array(ProgramWords.given.dropFirst(2))
    if words.count == 1, ["--show", "--help", "-h"].contains(String(cString: words[0])) { return try word.show() }
    // The tools of the pipe are those of this kit.
    setenv("PATH", programs.directories.joined(separator: ":"), 1)
    try become("/bin/sh", word.command(words))
  }

  /// Shows the man page of a tool or of its command, or the help where there is no page. No words mean `tw` itself.
  /// - Returns: only if it has printed the pipe of a word.
  func help(_ words: [String]) throws(ToolError) {
    let name = words.first.map(shortName)
    if let name, TwFront.ownCommands.contains(name) {
      try become(CommandLine.executablePath, ["tw"] + words + ["--help"])
    }
    // tweet(5) is a page without a tool.
    let tool = name.map { $0 == "tw" || $0 == "tweet" ? $0 : "tw-\($0)" } ?? "tw"
    let page = ([tool] + words.dropFirst()).joined(separator: "-")
    if let man = manProgram(for: page) {
      // It runs a pager, which is of the person's choice.
      for variable in ChildProcess.credentialVariables { unsetenv(variable) }
      try become(man, ["man", page])
    }
    if let name, programs.path(of: name) == nil, let word = try Word(name) { return try word.show() }
    if let name, name != "tw" { try become(find(name), ["tw-\(name)"] + words.dropFirst() + ["--help"]) }
    try become(CommandLine.executablePath, ["tw", "--help"])
  }

  /// The name of a tool without its `tw-`, which people may write as pages do; other names as they are.
  private func shortName(_ name: String) -> String {
    guard name.hasPrefix("tw-"), programs.path(of: name) == nil else { return name }
    return String(name.dropFirst(3))
  }

  private func find(_ name: String) throws(ToolError) -> String {
    if !name.contains("/"), let path = programs.path(of: name) { return path }
    let known = try programs.names + Word.names() + TwFront.ownCommands + ["help"]
    let wanted = shortName(name)
    if let nearest = Spelling.nearest(to: wanted, in: known) {
      throw .usage("no tool is called '\(name)'; did you mean '\(nearest)'?")
    }
    throw .usage("no tool is called '\(name)'; 'tw' lists them")
  }

  /// The path of man(1), if it has the page.
  private func manProgram(for page: String) -> String? {
    // The first directory is that of the kit.
    let paths = programs.directories.dropFirst().map { "\($0)/man" }
    guard let man = paths.first(where: { access($0, X_OK) == 0 }) else { return nil }
    let nothing = ChildProcess.nothing
    var child = ChildProcess([man, "-w", page], named: "man", output: nothing, errors: nothing)
    return child?.wait() == .exited(0) ? man : nil
  }

  /// Replaces this process by the program at `path`. Returns, by an error, only where that fails.
  /// - Parameter words: its name and arguments.
  private func become(_ path: String, _ words: [String]) throws(ToolError) -> Never {
    try become(path, words.map { strdup($0) })
  }

  private func become(_ path: String, _ words: [UnsafeMutablePointer<CChar>?]) throws(ToolError) -> Never {
    // They may have been ignored when this process started; programs rely on the defaults.
    signal(SIGPIPE, SIG_DFL)
    signal(SIGXFSZ, SIG_DFL)
    var arguments = words + [nil]
    execv(path, &arguments)
    throw .noInput("cannot run '\(path)': \(describe(errno: errno))")
  }
}

extension CommandLine {
  /// A path that runs this program again.
  fileprivate static var executablePath: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      ProgramWords.texts.first ?? "tw"
    #endif
  }
}
