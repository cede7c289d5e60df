package import TweetCore

/// The inputs of a filter, opened one after the other.
///
/// A file that cannot be opened is reported, and the files after it are read all the same. The files of an archive are
/// inputs of their own.
package struct InputFiles: ~Copyable {
  private var paths: ArraySlice<String>
  private let mayWait: Bool
  private let formats: ArchiveFormats?
  private var archive: Archive?
  /// What the tool ends with if a file could not be opened: ``ExitStatus/noInput``, or ``ExitStatus/tryLater`` where no
  /// descriptor was left.
  package private(set) var missing: ExitStatus?
  /// Whether an archive could not be read, or has nothing to read: that counts like bad records.
  package private(set) var isUnreadable = false

  /// - Parameters:
  ///   - paths: in the order of reading; `-` is standard input.
  ///   - mayWait: as for ``InputFile/init(_:mayWait:formats:)``; so is `formats`.
  package init(_ paths: [String], mayWait: Bool = false, formats: ArchiveFormats? = nil) {
    self.paths = paths[...]
    self.mayWait = mayWait
    self.formats = formats
  }

  /// Opens the next input that can be opened.
  /// - Returns: `nil` after the last one, and as soon as a signal has come. The caller reads the file to its end and
  ///   then calls ``BadRecords/addDamage(of:)``.
  package mutating func next() -> InputFile? {
    while Interruption.signal == nil {
      do throws(ToolError) {
        if let member = try archive?.nextMember() { return member }
        archive = nil
        guard let path = paths.popFirst() else { return nil }
        if let formats {
          archive = try Archive.open(folder: path, formats)
          if archive != nil { continue }
        }
        let file = try InputFile(path, mayWait: mayWait, formats: formats)
        guard let formats, let kind = file.container else { return file }
        archive = try Archive.open(file, kind, formats)
      } catch {
        Diagnostics.report(error)
        if error.status == .badData {
          isUnreadable = true
        } else if missing != .noInput {
          missing = error.status == .tryLater ? .tryLater : .noInput
        }
      }
    }
    return nil
  }
}
