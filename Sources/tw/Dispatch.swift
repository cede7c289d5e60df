import Libc
import TweetCLI
import TweetCore

/// What `tw NAME …` and `tw help [NAME]` do: another program takes this one's place.
struct Dispatch {
  let programs = Programs()

  /// Becomes `tw-NAME` with these words behind its name.
  func run(_ name: String, _ words: [String]) throws(ToolError) -> Never {
    try become(find(name), ["tw-\(name)"] + words)
  }

  /// Becomes the reader of a tool's man page, or prints its help where there is no such page. No words mean `tw` itself.
  func help(_ words: [String]) throws(ToolError) -> Never {
    let name = words.first.map(shortName)
    if name == "config" {
      try become(CommandLine.executablePath, ["tw"] + words + ["--help"])
    }
    guard words.count <= 1 else { throw .usage("'help' takes one tool's name") }
    // A page of the kit that is no tool's (tweet(5)) has no program to be found.
    let page = name.map { $0 == "tw" || $0 == "tweet" ? $0 : "tw-\($0)" } ?? "tw"
    if let man = manProgram(for: page) { try become(man, ["man", page]) }
    if let name, name != "tw" { try run(name, ["--help"]) }
    try become(CommandLine.executablePath, ["tw", "--help"])
  }

  /// A tool's name as people run it or as its page has it (`tw-parse`) without its `tw-`; any other as it is.
  private func shortName(_ name: String) -> String {
    guard name.hasPrefix("tw-"), programs.path(of: name) == nil else { return name }
    return String(name.dropFirst(3))
  }

  private func find(_ name: String) throws(ToolError) -> String {
    if !name.contains("/"), let path = programs.path(of: name) { return path }
    let known = programs.names + ["config", "help"]
    let wanted = shortName(name)
    let nearest = known.map { (name: $0, distance: editDistance($0, wanted)) }.min { $0.distance < $1.distance }
    // Further apart than this, a guess is more puzzling than none.
    if let nearest, nearest.distance <= max(1, name.count / 3) {
      throw .usage("no tool is called '\(name)'; did you mean '\(nearest.name)'?")
    }
    throw .usage("no tool is called '\(name)'; 'tw' lists them")
  }

  /// The path of man(1) if it has the page.
  private func manProgram(for page: String) -> String? {
    let places = programs.directories.dropFirst().map { "\($0)/man" }
    guard let man = places.first(where: { access($0, X_OK) == 0 }) else { return nil }
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    guard null >= 0 else { return nil }
    defer { close(null) }
    guard var child = ChildProcess([man, "-w", page], named: "man", output: null, errors: null) else { return nil }
    return child.wait() == .exited(0) ? man : nil
  }

  /// Becomes the program at `path`. Comes back only when that failed.
  /// - Parameter words: what it is called with, its own name first.
  private func become(_ path: String, _ words: [String]) throws(ToolError) -> Never {
    // Whoever started us may have had these ignored; programs may count on their defaults.
    signal(SIGPIPE, SIG_DFL)
    signal(SIGXFSZ, SIG_DFL)
    var arguments = words.map { strdup($0) } + [nil]
    execv(path, &arguments)
    throw .noInput("cannot run '\(path)': \(describe(errno: errno))")
  }
}

extension CommandLine {
  /// A path that runs this very program again.
  fileprivate static var executablePath: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      arguments.first ?? "tw"
    #endif
  }
}

/// How many letters must be put in, left out, replaced or swapped with their neighbour to make one word of the other.
func editDistance(_ first: String, _ second: String) -> Int {
  let (first, second) = (Array(first), Array(second))
  var before: [Int] = []
  var above = Array(0...second.count)
  for row in first.indices {
    var line = [row + 1]
    for column in second.indices {
      var best = min(above[column + 1], line[column]) + 1
      best = min(best, above[column] + (first[row] == second[column] ? 0 : 1))
      if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
        best = min(best, before[column - 1] + 1)
      }
      line.append(best)
    }
    (before, above) = (above, line)
  }
  return above[second.count]
}
