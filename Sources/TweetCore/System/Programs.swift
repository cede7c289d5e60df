import CProcess
import Libc

/// The programs named `tw-NAME`: those beside the running binary, then those on PATH.
package struct Programs {
  /// The directories in the order in which they are searched.
  package let directories: [String]

  package init() {
    var directories: [String] = []
    if let own = Self.ownDirectory { directories.append(own) }
    for part in (Paths.environment("PATH") ?? "").split(separator: ":", omittingEmptySubsequences: false) {
      // An empty part is the working directory, as in every shell.
      let directory = part.isEmpty ? "." : String(part)
      if !directories.contains(directory) { directories.append(directory) }
    }
    self.directories = directories
  }

  /// Those of one directory.
  package init(in directory: String) { directories = [directory] }

  /// The path of `tw-NAME`; `nil` when there is none.
  package func path(of name: String) -> String? {
    directories.lazy.map { "\($0)/tw-\(name)" }.first(where: Self.isProgram)
  }

  /// The sorted names, without `tw-`, of all programs that `tw NAME` can run.
  package var names: [String] {
    var found: Set<String> = []
    for directory in directories {
      for file in Self.files(in: directory) where file.hasPrefix("tw-") && file.utf8.count > 3 {
        if Self.isProgram("\(directory)/\(file)") { found.insert(String(file.dropFirst(3))) }
      }
    }
    // `tw` takes these words itself, and never runs a program for them.
    return found.filter { !$0.hasPrefix("-") && !["budget", "config", "doctor", "help"].contains($0) }.sorted()
  }

  /// The path by which the running program was executed, which may be a link; `nil` where the system does not say.
  package static var executed: String? { tw_executed_path().map { String(cString: $0) } }

  /// The directory of the words: small shell programs that `tw NAME` runs. In a clone of the project it is that of the
  /// sources.
  private static var wordDirectory: String? {
    guard let own = ownDirectory else { return nil }
    if let build = own.firstRange(of: "/.build/") { return own[..<build.lowerBound] + "/libexec" }
    return Paths.split(own).folder + "libexec/tw"
  }

  /// The path of the word's program; `nil` when there is none.
  package static func word(_ name: String) -> String? {
    guard let directory = wordDirectory, !name.contains("/"), !name.contains(".") else { return nil }
    let path = "\(directory)/\(name)"
    return isProgram(path) ? path : nil
  }

  /// The sorted names of all words.
  package static var words: [String] {
    wordDirectory.map { files(in: $0).filter { word($0) != nil }.sorted() } ?? []
  }

  /// The directory of the running binary, with symbolic links resolved.
  private static var ownDirectory: String? {
    #if os(Linux)
      let path = "/proc/self/exe"
    #else
      let path = ProgramWords.texts.first ?? "tw"
    #endif
    return Paths.real(path).map { Paths.folder(of: $0) }
  }

  private static func isProgram(_ path: String) -> Bool {
    stat(of: path)?.isFile == true && access(path, X_OK) == 0
  }

  private static func files(in directory: String) -> [String] {
    // A directory that cannot be read has no programs, as for a shell. SwiftPM's build folder has names with a dot that
    // are not programs (tw-parse.build); no tool's name has a dot.
    (Directory.names(in: directory) ?? []).filter { !$0.contains(".") }
  }
}

/// The words that this process was started with: its name, then its options and operands. `CommandLine.arguments` has
/// none of them where a library has set a variable before the program began.
package enum ProgramWords {
  /// As they were given: not all need be UTF-8.
  package static var given: [UnsafeMutablePointer<CChar>] {
    guard let words = tw_words() else { return (0..<Int(CommandLine.argc)).compactMap { CommandLine.unsafeArgv[$0] } }
    return Array(UnsafeBufferPointer(start: words, count: count(of: words))).compactMap(\.self)
  }

  /// As texts.
  package static var texts: [String] { given.map { String(cString: $0) } }

  /// How many there are before the end, which is NULL.
  private static func count(of words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int {
    var count = 0
    while words[count] != nil { count += 1 }
    return count
  }
}
