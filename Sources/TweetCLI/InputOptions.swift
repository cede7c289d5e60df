package import ArgumentParser
import Libc
package import TweetCore

/// The operands and options of every filter: what it reads, and what it does with bad records.
package struct InputOptions: ParsableArguments {
  @Argument(
    help: ArgumentHelp("Files to read; '-' or no file means standard input.", valueName: "file"), completion: .file())
  package var files: [String] = []

  @Option(
    help: ArgumentHelp("Skip records longer than this (default: 16M).", valueName: "size"), transform: ByteSize.parse)
  package var maxRecord: Int = 16 << 20

  @Option(help: ArgumentHelp("Write bad records to this file, unchanged.", valueName: "file"), completion: .file())
  package var rejects: String?

  @Flag(name: .shortAndLong, help: "Print no messages except errors.")
  package var quiet = false

  package init() {}

  /// The inputs to read, in order: only `-` when no operand was given.
  package var inputs: [String] { files.isEmpty ? ["-"] : files }

  /// Reads every record of every input in order. It flushes `writer` before each read that may wait. A bad record is
  /// reported, counted and written to `--rejects`, and reading goes on; so it does when a file cannot be opened.
  /// - Parameters:
  ///   - writer: the tool's output.
  ///   - printsRecords: whether the tool prints something while it reads.
  ///   - isStrict: whether the first bad record ends the run, with ``ToolError/badData(_:)``.
  ///   - formats: what the tool reads in addition to documents.
  ///   - fileReason: a reason that holds for whole files: it is reported for the first record of a file alone.
  ///   - begin: called for each input before it is read.
  ///   - burst: called when the scanner needs input. It may read a part of the input in a faster way, and leaves the
  ///     scanner
  ///     where the rest begins. It returns how many good records there were; `nil` when nothing was read.
  ///   - tick: called before a read that may wait. It writes what has changed with time, and returns after how many
  ///     milliseconds it is to be called again; `nil` for never.
  ///   - body: handles one record, whose view is valid only there. It returns what is wrong with it; `nil` for nothing.
  /// - Returns: `.done`, `.someBad`, `.badData` when all records were bad, `.noInput` when a file could not be opened.
  /// - Throws: what reading, writing or `body` threw.
  package func forEachRecord(
    writer: inout RecordWriter, printsRecords: Bool = true, isStrict: Bool = false, formats: ArchiveFormats? = nil,
    fileReason: String? = nil,
    begin: (borrowing InputFile) -> Void = { _ in },
    burst: (
      inout RecordScanner, borrowing InputFile, inout RecordWriter, inout BadRecords, inout Progress?
    ) throws(ToolError) -> Int? = { _, _, _, _, _ in nil },
    tick: (inout RecordWriter) -> Int32? = { _ in nil },
    _ body: (Record, inout RecordWriter) throws(ToolError) -> String?
  ) throws(ToolError) -> ExitStatus {
    // A folder of captures may have a year of files: it is gone through once, unless one of them could be overwritten.
    let inFolders = rejects == nil ? [] : formats.map { Archive.files(inFolders: inputs, $0) } ?? []
    var bad = try BadRecords(rejectsPath: rejects, inputs: inputs + inFolders, fileReason: fileReason)
    var good = 0
    var progress = quiet ? nil : Progress(inputs: inputs, printsRecords: printsRecords)
    // The first bytes say how an input is read.
    if inputs.first == "-", isatty(0) == 0 { try Self.wait(for: 0, &writer, printsRecords: printsRecords) { _ in nil } }
    var files = InputFiles(inputs, mayWait: true, formats: formats)
    while let input = files.next() {
      begin(input)
      var scanner = RecordScanner(
        descriptor: input.descriptor, name: input.name, maxRecord: maxRecord, head: input.head,
        isForeign: input.isForeign)
      try Self.read(&scanner, input, &writer, &bad, &good, isStrict, printsRecords, &progress, burst, tick, body)
      progress?.finish(path: input.label)
      bad.addDamage(of: input)
    }
    try writer.flush()
    let status = bad.finish(good: good)
    if let missing = files.missing { return missing }
    return files.isUnreadable ? (good == 0 ? .badData : .someBad) : status
  }

  private static func read(
    _ scanner: inout RecordScanner, _ input: borrowing InputFile, _ writer: inout RecordWriter, _ bad: inout BadRecords,
    _ good: inout Int, _ isStrict: Bool, _ printsRecords: Bool, _ progress: inout Progress?,
    _ burst: (
      inout RecordScanner, borrowing InputFile, inout RecordWriter, inout BadRecords, inout Progress?
    ) throws(ToolError) -> Int?,
    _ tick: (inout RecordWriter) -> Int32?,
    _ body: (Record, inout RecordWriter) throws(ToolError) -> String?
  ) throws(ToolError) {
    while true {
      switch scanner.next() {
      case .record(let record):
        let before = writer.position
        let reason = try body(record, &writer)
        if let reason { try bad.add(record, file: input.label, reason: reason) }
        // A document with a bad element in it may have good ones.
        if reason == nil || writer.position > before { good += 1 }
      case .bad(let piece):
        try bad.add(piece, file: input.label)
      case .needsInput:
        if let count = try burst(&scanner, input, &writer, &bad, &progress) {
          good += count
          continue
        }
        try writer.flush()
        if Interruption.signal != nil { return }
        progress?.update(offset: input.offset)
        try Self.wait(for: input.descriptor, &writer, printsRecords: printsRecords, tick)
        try scanner.fill()
      case .end: return
      }
      if isStrict, bad.count > 0 {
        try writer.flush()
        throw .badData("stopped at the first bad record (--strict)")
      }
      if Interruption.signal != nil { return }
    }
  }
}

extension InputOptions {
  /// Waits until there is something to read, or a signal comes, and calls `tick` meanwhile.
  ///
  /// - Throws: ``ToolError/readerGone`` when nobody reads what is printed: the input may stay quiet for hours.
  private static func wait(
    for input: Int32, _ writer: inout RecordWriter, printsRecords: Bool, _ tick: (inout RecordWriter) -> Int32?
  ) throws(ToolError) {
    while true {
      let milliseconds = tick(&writer)
      try writer.flush()
      var entries = [
        pollfd(fd: input, events: Int16(POLLIN), revents: 0),
        pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0),
        pollfd(fd: printsRecords ? 1 : -1, events: 0, revents: 0),
      ]
      guard poll(&entries, 3, milliseconds ?? -1) != 0 else { continue }
      if entries[0].revents == 0, entries[2].revents & Int16(POLLERR | POLLHUP) != 0 { throw .readerGone }
      return
    }
  }
}

/// Sizes as options take them: `4096`, `64K`, `16M`, `1G`, in powers of 1024.
package enum ByteSize {
  /// - Returns: bytes, more than 0.
  /// - Throws: `ValidationError` for anything else.
  package static func parse(_ text: String) throws -> Int {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    let shift: Int? =
      switch text.dropFirst(digits.count).uppercased() {
      case "", "B": 0
      case "K", "KB", "KIB": 10
      case "M", "MB", "MIB": 20
      case "G", "GB", "GIB": 30
      default: nil
      }
    guard let shift, let number = Int(digits), number > 0, number <= Int.max >> shift else {
      throw ValidationError("'\(text)' is not a size (4096, 64K, 16M, 1G)")
    }
    return number << shift
  }
}
