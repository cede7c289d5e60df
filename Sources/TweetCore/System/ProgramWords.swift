import CProcess

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
