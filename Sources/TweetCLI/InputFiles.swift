import TweetCore

/// The inputs of a filter, opened one after the other.
///
/// A file that cannot be opened is reported, and the files behind it are read all the same.
package struct InputFiles: ~Copyable {
  private var paths: ArraySlice<String>
  private let mayWait: Bool
  /// Whether a file could not be opened: the tool then ends with ``ExitStatus/noInput``.
  package private(set) var isMissing = false

  /// - Parameters:
  ///   - paths: in the order of reading; `-` is standard input.
  ///   - mayWait: as for ``InputFile/init(_:mayWait:)``.
  package init(_ paths: [String], mayWait: Bool = false) {
    self.paths = paths[...]
    self.mayWait = mayWait
  }

  /// Opens the next input that can be opened.
  /// - Returns: `nil` behind the last one, and as soon as a signal has come. The caller reads the file to its end and
  ///   then calls ``BadRecords/addDamage(of:)``.
  package mutating func next() -> InputFile? {
    while Interruption.signal == nil, let path = paths.popFirst() {
      do throws(ToolError) {
        return try InputFile(path, mayWait: mayWait)
      } catch {
        Diagnostics.report(error)
        isMissing = true
      }
    }
    return nil
  }
}
