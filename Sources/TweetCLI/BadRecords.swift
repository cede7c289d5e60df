import Libc
package import TweetCore

/// Keeps account of the pieces of input that were no record: tells the first few, counts the rest, and writes all of
/// them unchanged to the `--rejects` file.
package struct BadRecords: ~Copyable {
  /// After so many messages only the count goes on.
  private static let told = 5

  /// How many there were.
  package private(set) var count = 0
  private var rejects: RecordWriter?
  private var rejectsDescriptor: Int32 = -1

  /// - Parameters:
  ///   - rejectsPath: the file to write them to, made anew; `nil` for none.
  ///   - inputs: what is read, `-` being standard input: none of it may be that file.
  package init(rejectsPath: String?, inputs: [String]) throws(ToolError) {
    guard let rejectsPath else {
      rejects = nil
      return
    }
    // Emptied only when it is known to be none of the inputs.
    let descriptor = open(rejectsPath, O_WRONLY | O_CREAT | O_CLOEXEC, 0o666)
    if descriptor < 0 {
      throw .cannotCreate("cannot create '\(rejectsPath)': \(describe(errno: errno))")
    }
    if Self.isRead(descriptor, inputs) {
      close(descriptor)
      throw .usage("'\(rejectsPath)' is to be read, so the rejects cannot be written there")
    }
    // What is no file, /dev/null for example, has nothing to be cut off.
    _ = ftruncate(descriptor, 0)
    rejectsDescriptor = descriptor
    rejects = RecordWriter(descriptor: descriptor, name: "'\(rejectsPath)'")
  }

  /// Whether an open file is one of the inputs.
  private static func isRead(_ descriptor: Int32, _ inputs: [String]) -> Bool {
    var own = stat()
    guard fstat(descriptor, &own) == 0, own.st_mode & S_IFMT == S_IFREG else { return false }
    return inputs.contains { path in
      var other = stat()
      guard (path == "-" ? fstat(0, &other) : stat(path, &other)) == 0 else { return false }
      return own.st_dev == other.st_dev && own.st_ino == other.st_ino
    }
  }

  deinit {
    if rejectsDescriptor >= 0 { close(rejectsDescriptor) }
  }

  /// Notes one bad piece of `file`.
  package mutating func add(_ bad: BadRecord, file: String) throws(ToolError) {
    if let reason = bad.reason { tell(file, bad.line, reason) }
    if rejects != nil {
      rejects?.buffer.append(bad.bytes)
      if bad.bytes.last != UInt8(ascii: "\n"), bad.reason != nil { rejects?.buffer.append(UInt8(ascii: "\n")) }
      try rejects?.flush()
    }
  }

  /// Notes a record that is valid JSON, but not what it should be.
  package mutating func add(_ record: Record, file: String, reason: String) throws(ToolError) {
    try add(BadRecord(record, reason: reason), file: file)
  }

  /// Reports and counts an input that could not be decoded to its end. To be called when all of it was read; does
  /// nothing when a signal has come, because then it was not.
  package mutating func addDamage(of input: borrowing InputFile) {
    guard Interruption.signal == nil, let damage = input.finish() else { return }
    count += 1
    Diagnostics.warn("cannot read '\(input.label)' to its end: \(damage)")
  }

  private mutating func tell(_ file: String, _ line: Int, _ reason: String) {
    count += 1
    if count <= Self.told { Diagnostics.warn("\(file):\(line): bad record: \(reason)") }
  }

  /// Tells how many were not named, and gives the status that `good` records and the bad ones make together.
  package func finish(good: Int) -> ExitStatus {
    if count > Self.told { Diagnostics.warn("\(count - Self.told) more bad records, \(count) in all") }
    if count == 0 { return .done }
    return good == 0 ? .badData : .someBad
  }
}
