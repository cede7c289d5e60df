import TweetCLI
import TweetCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What `tw NAME …` and `tw help [NAME]` do: another program takes this one's place.
struct Dispatch {
  let programs = Programs()

  /// Becomes `tw-NAME` with these words behind its name.
  func run(_ name: String, _ words: [String]) throws(ToolError) -> Never {
    try Programs.become(find(name), ["tw-\(name)"] + words)
  }

  /// Becomes the reader of a tool's man page, or prints its help where there is no such page. No words mean `tw` itself.
  func help(_ words: [String]) throws(ToolError) -> Never {
    let name = words.first.map(shortName)
    if name == "config" {
      try Programs.become(CommandLine.executablePath, ["tw"] + words + ["--help"])
    }
    guard words.count <= 1 else { throw .usage("'help' takes one tool's name") }
    // A page of the kit that is no tool's (tweet(5)) has no program to be found.
    let page = name.map { $0 == "tw" || $0 == "tweet" ? $0 : "tw-\($0)" } ?? "tw"
    if let man = manProgram(for: page) { try Programs.become(man, ["man", page]) }
    if let name, name != "tw" { try run(name, ["--help"]) }
    try Programs.become(CommandLine.executablePath, ["tw", "--help"])
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
    #if canImport(Glibc)
      var actions = posix_spawn_file_actions_t()
    #else
      var actions: posix_spawn_file_actions_t?
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor: Int32 in 1...2 {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
    }
    let call: [String] = ["man", "-w", page]
    var words = call.map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child: pid_t = 0
    guard posix_spawn(&child, man, &actions, nil, &words, environ) == 0 else { return nil }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    return status == 0 ? man : nil
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
