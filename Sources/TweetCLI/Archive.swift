import Libc
import TweetCore

/// An archive of many files, of which some are inputs: a folder, or a file that a program of the system reads. Nothing
/// is unpacked to a disk; files that are not wanted are not read.
struct Archive: ~Copyable {
  enum Kind {
    case folder, zip, tar

    /// The command that prints the names of the files, one a line. Standard input is the archive.
    fileprivate var listCommand: [String] {
      self == .zip ? ["unzip", "-Z1", "/dev/stdin"] : ["tar", "-tf", "/dev/stdin"]
    }

    /// The command that prints one file.
    fileprivate func printCommand(_ member: String) -> [String] {
      // With a password, if only an empty one, unzip does not ask for one.
      self == .zip ? ["unzip", "-P", "", "-p", "/dev/stdin", member] : ["tar", "-xOf", "/dev/stdin", member]
    }

    /// What exit statuses of that command mean: unzip(1), DIAGNOSTICS.
    fileprivate var faults: [Int32: String] {
      [
        12: "'unzip' says that it is a zip bomb", 81: "'unzip' does not know how it is compressed",
        82: "it is encrypted; decrypt it first",
      ]
    }
  }

  /// At most this many names that may be wanted are held.
  private static let maximumCandidates = 10_000
  /// Longer names are not wanted.
  private static let longestName = 4096

  private let kind: Kind
  private let path: String
  /// The archive itself; below zero for a folder.
  private let descriptor: Int32
  private let members: [String]
  /// What it has besides, for ``InputFile/leftOut``.
  private let leftOut: LeftOutFiles
  private var next = 0

  private init(_ kind: Kind, _ path: String, _ descriptor: Int32, _ members: [String], _ leftOut: LeftOutFiles) {
    (self.kind, self.path, self.descriptor, self.members, self.leftOut) = (kind, path, descriptor, members, leftOut)
  }

  /// Finds out what is in a folder.
  /// - Returns: `nil` when `path` is no folder, or one of captures.
  static func open(folder path: String, _ formats: ArchiveFormats) throws(ToolError) -> Archive? {
    var status = stat()
    guard path != "-", stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    guard Directory.names(in: path) != nil else { throw .noInput("cannot read the directory '\(path)'", errno) }
    let found = members(ofFolder: path, formats)
    guard !found.isEmpty else {
      if !CaptureFolder.files(in: path).isEmpty { return nil }
      throw .noInput("cannot read '\(path)': it is a directory without \(formats.sought), and without captures")
    }
    var leftOut = LeftOutFiles()
    for folder in ["", "data/"] {
      for name in Directory.names(in: path + "/" + folder) ?? [] where !found.contains(folder + name) {
        let inner = Directory.names(in: path + "/" + folder + name)
        if folder + name + "/" == "data/" { continue }
        if let inner { leftOut.add(inFolder: folder + name, inner.count) } else { leftOut.add(folder + name) }
      }
    }
    return Archive(.folder, path.hasSuffix("/") ? String(path.dropLast()) : path, -1, found, leftOut)
  }

  /// Finds out what is in an archive.
  /// - Parameter file: whose `container` says what it is.
  static func open(_ file: borrowing InputFile, _ kind: Kind, _ formats: ArchiveFormats) throws(ToolError) -> Archive {
    let archive = file.duplicateSource()
    do throws(ToolError) {
      let (members, leftOut) = try members(of: archive, kind, file.name, formats)
      return Archive(kind, file.label, archive, members, leftOut)
    } catch {
      close(archive)
      throw error
    }
  }

  private static func members(ofFolder path: String, _ formats: ArchiveFormats) -> [String] {
    let names = ["", "data/", "data/js/tweets/"].flatMap { folder in
      (Directory.names(in: path + "/" + folder) ?? []).map { folder + $0 }
    }
    return formats.members(names.filter(formats.isCandidate))
  }

  /// The paths of the files that will be read of those inputs that are folders.
  static func files(inFolders paths: [String], _ formats: ArchiveFormats) -> [String] {
    paths.filter { $0 != "-" }.flatMap { path in
      let found = members(ofFolder: path, formats)
      return found.isEmpty ? CaptureFolder.files(in: path) : found.map { path + "/" + $0 }
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// Opens the next file; `nil` after the last one.
  mutating func nextMember() throws(ToolError) -> InputFile? {
    guard next < members.count else { return nil }
    let member = members[next]
    next += 1
    let label = path + "/" + member
    let leftOut = next == 1 ? leftOut : nil
    if kind == .folder { return try InputFile(memberAt: label, leftOut: leftOut) }
    let decoder = try ProgramDecoder(
      kind.printCommand(member), descriptor: descriptor, name: "'\(label)'", faults: kind.faults)
    return InputFile(member: label, decoder: decoder, leftOut: leftOut)
  }

  /// The files to read of an archive.
  private static func members(
    of descriptor: Int32, _ kind: Kind, _ name: String, _ formats: ArchiveFormats
  ) throws(ToolError) -> ([String], LeftOutFiles) {
    var leftOut = LeftOutFiles()
    let (names, isWhole) = try names(in: descriptor, kind, name, &leftOut, formats.isCandidate)
    let found = formats.members(names)
    for name in names where !found.contains(name) { leftOut.add(name) }
    if found.isEmpty, Interruption.signal == nil {
      throw .badData(
        isWhole
          ? "cannot read \(name): it is an archive without \(formats.sought)"
          : "cannot read \(name): '\(kind.listCommand[0])' says that the archive is damaged or cut off")
    }
    return (found, leftOut)
  }

  /// The names in an archive that may be wanted, and whether the program could read all of it.
  private static func names(
    in descriptor: Int32, _ kind: Kind, _ name: String, _ leftOut: inout LeftOutFiles, _ isCandidate: (String) -> Bool
  ) throws(ToolError) -> ([String], isWhole: Bool) {
    let list = try ProgramDecoder(kind.listCommand, descriptor: descriptor, name: name, faults: kind.faults)
    var names: [String] = []
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while names.count < maximumCandidates, Interruption.signal == nil {
      let got = buffer.withUnsafeMutableBytes { read(list.output, $0.baseAddress, $0.count) }
      if got < 0, errno == EINTR { continue }
      if got <= 0 { break }
      for byte in buffer[..<got] {
        if byte != 0x0A {
          if line.count <= longestName { line.append(byte) }
          continue
        }
        let text = String(decoding: line, as: UTF8.self)
        if line.count <= longestName, isPlain(text), isCandidate(text) { names.append(text) } else { leftOut.add(text) }
        line.removeAll(keepingCapacity: true)
      }
    }
    return (names, Interruption.signal == nil && list.finish() == nil)
  }

  /// Whether the programs take the name as it stands: they read some characters as patterns, and a hyphen as an option.
  private static func isPlain(_ name: String) -> Bool {
    !name.hasPrefix("-") && !name.contains { "*?[]\\".contains($0) }
  }
}
