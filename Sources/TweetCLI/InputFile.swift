import Libc
package import TweetCore

/// An open input. It is closed at the end of its life, but standard input stays open. Compressed files, UTF-16 and the
/// files of archives are decoded while they are read.
package struct InputFile: ~Copyable {
  /// Where the plain bytes are read.
  package var descriptor: Int32 { decoder?.output ?? source }
  /// What messages call it: `standard input`, or the path in quotes.
  package let name: String
  /// What messages print before a line number: the path, or `-`.
  package let label: String
  /// Bytes that were already read from ``descriptor``, to recognise what it is.
  package let head: [UInt8]
  /// Of the first file of an archive, what is not read of it; `nil` for other files.
  package internal(set) var leftOut: LeftOutFiles?
  /// Whether it is the first file of an archive: what was read before belongs to another account.
  package var beginsArchive: Bool { leftOut != nil }
  /// The kind of archive that it is as a whole; `nil` for an input of documents.
  let container: Archive.Kind?
  /// Whether it is a file of an archive, or a repository: what a service wrote.
  package let isForeign: Bool
  private let source: Int32
  private let decoder: (any InputDecoder)?

  /// Opens `path`, `-` being standard input; throws ``ToolError/noInput(_:)``.
  /// - Parameters:
  ///   - mayWait: whether it may wait for the first bytes of a pipe. If not, only regular files are decoded.
  ///   - formats: what the tool reads in addition to documents; `nil` for a tool that reads only these.
  package init(_ path: String, mayWait: Bool = false, formats: ArchiveFormats? = nil) throws(ToolError) {
    let source = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    if source < 0 { throw .noInput("cannot open '\(path)'", errno) }
    if path == "-" { Diagnostics.noteKeyboard() }
    let name = path == "-" ? "standard input" : "'\(path)'"
    do throws(ToolError) {
      try self.init(source, path, name, mayWait, formats)
    } catch {
      if source > 0 { close(source) }
      throw error
    }
  }

  /// Owns `source` from now on, unless it throws.
  private init(
    _ source: Int32, _ path: String, _ name: String, _ mayWait: Bool, _ formats: ArchiveFormats?
  ) throws(ToolError) {
    let status = stat(of: source)
    if path != "-", status?.isFolder == true {
      throw .noInput("cannot read \(name): \(describe(errno: EISDIR))")
    }
    if let status, status.st_mode & S_IFMT == S_IFIFO { PipeSize.enlarge(source) }
    let offset = lseek(source, 0, SEEK_CUR)
    let (bytes, isOver) = offset >= 0 || mayWait ? Self.firstBytes(of: source, at: offset, formats) : ([], false)
    // A terminal would wait for more after the Ctrl-D that ended it.
    let source = isOver && isatty(source) == 1 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : source
    let first =
      offset >= 0
      ? Self.bytes(of: source, at: offset, count: ForeignKind.longestHeading) { _ in true }.bytes : bytes
    if let what = ForeignKind.description(of: first) { throw .badData("cannot read \(name): \(what)") }
    var head = offset >= 0 ? [] : bytes
    var container: Archive.Kind?
    var decoder: (any InputDecoder)?
    if let kind = InputKind.kind(of: bytes) {
      if let command = kind.command {
        (decoder, head) = try Self.decode(kind, command, bytes, source, head, name)
      } else {
        container = .zip
      }
    } else if let formats, formats.isRepository(bytes) {
      let file = offset >= 0 ? source : try SeekableCopy.make(of: source, head: head, name: name)
      defer { if file != source { close(file) } }
      decoder = try FunctionDecoder(descriptor: file, name: name, formats.convertRepository)
      head = []
    }
    if formats != nil, container == nil, offset >= 0 || decoder is ProgramDecoder {
      let isDecoded = decoder is ProgramDecoder
      let first = Self.tarBytes(
        of: decoder?.output ?? source, at: isDecoded ? -1 : offset, after: isDecoded ? head : [])
      if InputKind.isTar(first) { container = .tar }
      if isDecoded { head = first }
    }
    if container != nil {
      guard formats != nil else { throw .badData("cannot read \(name): it is an archive, which tw-parse reads") }
      guard offset >= 0 else {
        throw .noInput("cannot read \(name): an archive can only be read from a file, not from a pipe")
      }
    }
    self.init(
      label: path, name: name, source: source, decoder: decoder, head: head, container: container,
      isForeign: decoder is FunctionDecoder)
  }

  /// Owns a descriptor from now on, the end of a pipe for example.
  /// - Parameter label: what messages call it.
  package init(descriptor: Int32, label: String) {
    self.init(label: label, name: "'\(label)'", source: descriptor, decoder: nil, head: [])
  }

  /// A file of an archive, as a decoder takes it out.
  /// - Parameter isCapture: whether it may be compressed, and have records of the kit.
  init(member label: String, decoder: any InputDecoder, leftOut: LeftOutFiles?, isCapture: Bool) throws(ToolError) {
    var (decoder, head, name) = (decoder, [UInt8](), "'\(label)'")
    if isCapture {
      head = Self.bytes(of: decoder.output, at: -1, count: InputKind.magicLength) { InputKind.isPlain($0) }.bytes
      if let kind = InputKind.kind(of: head), let command = kind.command {
        (decoder, head) = try Self.decode(kind, command, head, decoder.output, head, name, after: decoder)
      }
    }
    self.init(
      label: label, name: name, source: -1, decoder: decoder, head: head, isForeign: !isCapture, leftOut: leftOut)
  }

  /// A file of an archive that lies unpacked in a folder.
  init(memberAt path: String, leftOut: LeftOutFiles?) throws(ToolError) {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    if source < 0 { throw .noInput("cannot open '\(path)'", errno) }
    self.init(label: path, name: "'\(path)'", source: source, decoder: nil, head: [], isForeign: true, leftOut: leftOut)
  }

  private init(
    label: String, name: String, source: Int32, decoder: (any InputDecoder)?, head: [UInt8],
    container: Archive.Kind? = nil, isForeign: Bool = false, leftOut: LeftOutFiles? = nil
  ) {
    self.isForeign = isForeign
    (self.label, self.name, self.source, self.decoder, self.head) = (label, name, source, decoder, head)
    (self.container, self.leftOut) = (container, leftOut)
  }

  deinit {
    if source > 0 { close(source) }
  }

  /// Whether it is a regular file, decoded or not. Reading one does not wait for anybody.
  package var isRegularFile: Bool { fileSize != nil }

  /// Bytes of a regular file, as it is on the disk; `nil` for what is none.
  package var fileSize: Int? { stat(of: source).flatMap { $0.isFile ? $0.size : nil } }

  /// How many bytes of the file itself were read; below zero for a pipe, which has no offset. A program that decodes
  /// the file shares this offset.
  package var offset: Int { Int(lseek(source, 0, SEEK_CUR)) }

  /// A duplicate of the descriptor of the file itself, which the caller closes; below zero with `errno` set for none.
  func duplicateSource() -> Int32 { fcntl(source, F_DUPFD_CLOEXEC, 0) }

  /// Waits for what decodes it. To be called when all was read.
  /// - Returns: what that found wrong; `nil` for nothing.
  package func finish() -> String? { decoder?.finish() }

  /// How many programs decode an input one after the other: UTF-16 in a tarball of a backup has three. A file can be
  /// made that is the compressed form of itself.
  private static let mostLayers = 4

  /// Starts the program that decodes an input, and another one for what it gives, if that is not plain UTF-8 either.
  /// - Parameters:
  ///   - bytes: the first ones of the input.
  ///   - head: those of them that are read already.
  ///   - inner: the decoder whose output the input is.
  /// - Returns: the last of them, and the first bytes of its output, which are read.
  private static func decode(
    _ kind: InputKind, _ command: [String], _ bytes: [UInt8], _ source: Int32, _ head: [UInt8], _ name: String,
    after inner: (any InputDecoder)? = nil
  ) throws(ToolError) -> (any InputDecoder, [UInt8]) {
    var decoder = try ProgramDecoder(
      command, descriptor: source, head: head, name: name, faults: kind.faults(bytes), after: inner)
    for _ in 1..<mostLayers {
      let first = Self.bytes(of: decoder.output, at: -1, count: InputKind.magicLength) { InputKind.isPlain($0) }.bytes
      guard let kind = InputKind.kind(of: first), let command = kind.command else { return (decoder, first) }
      decoder = try ProgramDecoder(
        command, descriptor: decoder.output, head: first, name: name, faults: kind.faults(first), after: decoder)
    }
    return (decoder, [])
  }

  /// The first bytes, and whether these are all. They stay unread in a file that has an offset, and are consumed from a
  /// pipe.
  private static func firstBytes(
    of descriptor: Int32, at offset: off_t, _ formats: ArchiveFormats?
  ) -> (bytes: [UInt8], isOver: Bool) {
    // Records begin with none of these bytes, so a live pipe is recognised as plain by its first byte.
    bytes(of: descriptor, at: offset, count: max(InputKind.magicLength, formats?.repositoryMagicLength ?? 0)) { bytes in
      InputKind.isPlain(bytes) && !(formats?.mayBeRepository(bytes) ?? false)
    }
  }

  /// The bytes by which a tar archive is recognised, or fewer when the first of them cannot be one's.
  /// - Parameter head: those that were already read.
  private static func tarBytes(of descriptor: Int32, at offset: off_t, after head: [UInt8]) -> [UInt8] {
    if let first = head.first, !InputKind.mayStartTar(first) { return head }
    let count = InputKind.tarMagicLength - head.count
    return head
      + bytes(of: descriptor, at: offset, count: count) { head.isEmpty && !InputKind.mayStartTar($0[0]) }.bytes
  }

  /// Waits until there is something to read; `false` when a signal came instead.
  private static func waitForInput(_ descriptor: Int32) -> Bool {
    let signals = Interruption.descriptor
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
    ]
    while poll(&entries, signals < 0 ? 1 : 2, -1) < 0, errno == EINTR, Interruption.signal == nil {}
    return Interruption.signal == nil
  }

  /// Up to `count` bytes, until `isEnough`, and whether the input ends with them.
  /// - Parameter offset: from where on, unread; below zero to read them from a pipe.
  private static func bytes(
    of descriptor: Int32, at offset: off_t, count: Int, until isEnough: ([UInt8]) -> Bool
  ) -> (bytes: [UInt8], isOver: Bool) {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: count)
    while bytes.count < count {
      // A signal ends the wait, also one that came before it.
      guard offset >= 0 || waitForInput(descriptor) else { break }
      let wanted = count - bytes.count
      let got = buffer.withUnsafeMutableBytes { room in
        offset >= 0
          ? pread(descriptor, room.baseAddress, wanted, offset + off_t(bytes.count))
          : read(descriptor, room.baseAddress, wanted)
      }
      if got <= 0 { return (bytes, got == 0) }
      bytes += buffer[..<got]
      if isEnough(bytes) { break }
    }
    return (bytes, false)
  }
}

/// A copy of a pipe's bytes in a file without a name, for formats that cannot be read from front to back.
enum SeekableCopy {
  /// Copies a pipe to its end, into `$TMPDIR` or `/tmp`.
  /// - Parameters:
  ///   - head: bytes that were already read from it.
  ///   - name: of the input, for messages.
  /// - Returns: a descriptor that the caller closes. The file goes away with it.
  static func make(of source: Int32, head: [UInt8], name: String) throws(ToolError) -> Int32 {
    let folder = Paths.temporary
    let file = try NamelessFile.open(in: folder, prefix: "tw-")
    do throws(ToolError) {
      try copy(head, source, to: file, name: name, folder: folder)
    } catch {
      close(file)
      throw error
    }
    return file
  }

  private static func copy(_ head: [UInt8], _ source: Int32, to file: Int32, name: String, folder: String)
    throws(ToolError)
  {
    var piece = head
    while !piece.isEmpty {
      let failure = writeAll(piece, to: file)
      if failure != 0 { throw .inputOutput("cannot write to a file in '\(folder)': \(describe(errno: failure))") }
      repeat {
        guard let got = try readSome(source, name: name) else { continue }
        piece = got
        break
      } while Interruption.signal == nil
      if Interruption.signal != nil { return }
    }
  }
}
