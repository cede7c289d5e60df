import Libc
package import TweetCore

/// The bad records of a run: reports the first few, counts them all, and writes them unchanged to the `--rejects` file.
package struct BadRecords: ~Copyable {
  /// How many are reported one by one.
  private static let mostReported = 5

  /// How many there were.
  package private(set) var count = 0
  private var reported = 0
  private let fileReason: String?
  /// The file for which ``fileReason`` was reported last.
  private var reasonedFile: String?
  private var rejects: RecordWriter?
  private var rejectsFile: Descriptor?

  /// - Parameters:
  ///   - rejectsPath: the file to write them to, which is emptied first; `nil` for none. A database stays as it is.
  ///   - inputs: the paths that are read, `-` being standard input. None of them may be that file.
  ///   - fileReason: a reason that is reported for the first record of a file alone; the others count all the same.
  package init(rejectsPath: String?, inputs: [String], fileReason: String? = nil) throws(ToolError) {
    self.fileReason = fileReason
    guard let rejectsPath else {
      rejects = nil
      return
    }
    if let database = FileTarget.database(ofCompanion: Paths.real(rejectsPath) ?? rejectsPath) {
      throw .usage("'\(rejectsPath)' belongs to the database '\(database)': the rejects cannot be written there")
    }
    // Not O_TRUNC: the file may turn out to be an input.
    guard let file = Descriptor(rejectsPath, O_WRONLY | O_CREAT, mode: 0o666) else {
      throw .cannotCreate("cannot create '\(rejectsPath)'", errno)
    }
    if let reason = Self.refusal(of: file.number, rejectsPath, inputs) {
      throw .usage("'\(rejectsPath)' is \(reason): the rejects cannot be written there")
    }
    // It fails for /dev/null and pipes, which need no emptying.
    _ = ftruncate(file.number, 0)
    rejects = RecordWriter(descriptor: file.number, name: "'\(rejectsPath)'")
    rejectsFile = consume file
  }

  /// Why an open file must not be emptied: it is one of the inputs, or a database; `nil` if it may be.
  private static func refusal(of descriptor: Int32, _ path: String, _ inputs: [String]) -> String? {
    guard let own = stat(of: descriptor), own.isFile else { return nil }
    let isInput = inputs.contains { path in
      guard let other = path == "-" ? stat(of: 0) : stat(of: path) else { return false }
      return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }
    if isInput { return "an input" }
    guard let file = Descriptor(path, O_RDONLY | O_NONBLOCK) else { return nil }
    return FileTarget.isDatabase(file.number) ? "a database" : nil
  }

  /// Adds one bad piece of `file`.
  package mutating func add(_ bad: BadRecord, file: String) throws(ToolError) {
    if let reason = bad.reason { report(file, bad.line, reason) }
    if rejects != nil {
      rejects?.buffer.append(bad.bytes)
      if bad.bytes.last != UInt8(ascii: "\n"), bad.reason != nil { rejects?.buffer.append(UInt8(ascii: "\n")) }
      try rejects?.flush()
    }
  }

  /// Adds a record that is valid JSON, but not what the tool needs.
  package mutating func add(_ record: Record, file: String, reason: String) throws(ToolError) {
    try add(BadRecord(record, reason: reason), file: file)
  }

  /// Reports and counts an input that could not be decoded to its end. To be called when all of it was read; does
  /// nothing when a signal has come, because then it was not.
  package mutating func addDamage(of input: borrowing InputFile) {
    guard Interruption.signal == nil, let damage = input.finish() else { return }
    count += 1
    reported += 1
    Diagnostics.warn("cannot read '\(input.label)' to its end: \(damage)")
  }

  private mutating func report(_ file: String, _ line: Int, _ reason: String) {
    count += 1
    if reason == fileReason {
      if reasonedFile == file { return }
      reasonedFile = file
    } else if reported >= Self.mostReported {
      return
    }
    reported += 1
    Diagnostics.warn("\(file):\(line): bad record: \(reason)")
  }

  /// Reports how many bad records were not reported one by one.
  /// - Parameter good: how many good records there were.
  /// - Returns: the exit status that good and bad records make together.
  package func finish(good: Int) -> ExitStatus {
    if count > reported {
      Diagnostics.warn("\(count - reported) more bad records, \(count) in all")
    }
    if count == 0 { return .done }
    return good == 0 ? .badData : .someBad
  }
}
