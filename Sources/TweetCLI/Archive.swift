import Libc
import TweetCore

/// An archive of many files, of which some are inputs: those that a service hands out for an account, or captures.
///
/// It is a folder, a tar file, or a zip file, which a program of the system reads. Nothing is unpacked to a disk; files
/// that are not wanted are not read.
struct Archive: ~Copyable {
  enum Kind { case folder, zip, tar }

  /// Where the files are read.
  private enum Source {
    case folder
    /// The archive itself.
    case zip(Int32)
    case tar(TarFile, [String: TarFile.Entry])
  }

  /// At most this many names that may be wanted are held: a year of captures has 525 600 minutes.
  private static let maximumCandidates = 600_000
  /// And this many bytes of them.
  private static let maximumLength = 32 << 20
  /// Longer names are not wanted.
  private static let longestName = 4096
  /// What exit statuses of unzip(1) mean: DIAGNOSTICS.
  private static let faults: [Int32: String] = [
    12: "'unzip' says that it is a zip bomb", 81: "'unzip' does not know how it is compressed",
    82: "it is encrypted; decrypt it first",
  ]

  private let source: Source
  private let path: String
  /// In the order of reading.
  private let members: [String]
  /// Whether these are captures, which are whatever somebody kept, and may be compressed.
  private let areCaptures: Bool
  /// What it has besides, for ``InputFile/leftOut``.
  private let leftOut: LeftOutFiles
  private var next = 0

  private init(_ source: Source, _ path: String, _ chosen: Chosen) {
    (self.source, self.path) = (source, path)
    (members, areCaptures, leftOut) = (chosen.members, chosen.areCaptures, chosen.leftOut)
  }

  private struct Chosen {
    var members: [String]
    var areCaptures = false
    var leftOut = LeftOutFiles()
  }

  /// Finds out what is in a folder.
  /// - Returns: `nil` when `path` is not a folder.
  static func open(folder path: String, _ formats: ArchiveFormats) throws(ToolError) -> Archive? {
    guard path != "-", stat(of: path)?.isFolder == true else { return nil }
    guard Directory.names(in: path) != nil else { throw .noInput("cannot read the directory '\(path)'", errno) }
    let path = path.hasSuffix("/") ? String(path.dropLast()) : path
    var chosen = Chosen(members: members(ofFolder: path, formats))
    guard !chosen.members.isEmpty else {
      (chosen.members, chosen.leftOut) = Captures.names(in: path)
      chosen.areCaptures = true
      if !chosen.members.isEmpty { return Archive(.folder, path, chosen) }
      throw .noInput("cannot read '\(path)': it is a directory without \(formats.sought), and without captures")
    }
    for folder in ["", "data/"] {
      for name in Directory.names(in: path + "/" + folder) ?? [] where !chosen.members.contains(folder + name) {
        let inner = Directory.names(in: path + "/" + folder + name)
        if folder + name + "/" == "data/" { continue }
        if let inner {
          chosen.leftOut.add(inFolder: folder + name, inner.count)
        } else {
          chosen.leftOut.add(folder + name)
        }
      }
    }
    return Archive(.folder, path, chosen)
  }

  /// Finds out what is in an archive.
  /// - Parameter file: whose `container` says what it is.
  static func open(_ file: borrowing InputFile, _ kind: Kind, _ formats: ArchiveFormats) throws(ToolError) -> Archive {
    let archive = file.duplicateSource()
    var names = Names(formats)
    if kind == .tar {
      let tar = TarFile(descriptor: archive, name: file.name)
      var entries: [String: TarFile.Entry] = [:]
      tar.list { name, entry in
        // Of several with one name the last is the newest.
        if names.add(name) { entries[name] = entry }
        return !names.areTooMany
      }
      return Archive(.tar(tar, entries), file.label, try names.chosen(file.name, formats, fault: tar.damage))
    }
    do throws(ToolError) {
      let fault = try list(zip: archive, file.name, &names)
      return Archive(.zip(archive), file.label, try names.chosen(file.name, formats, fault: fault))
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
      return (found.isEmpty ? Captures.names(in: path).captures : found).map { path + "/" + $0 }
    }
  }

  deinit { if case .zip(let descriptor) = source { close(descriptor) } }

  /// Opens the next file; `nil` after the last one.
  mutating func nextMember() throws(ToolError) -> InputFile? {
    guard next < members.count else { return nil }
    let member = members[next]
    next += 1
    let label = path + "/" + member
    let leftOut = next == 1 ? leftOut : nil
    switch source {
    case .folder where areCaptures:
      var file = try InputFile(label)
      file.leftOut = leftOut
      return file
    case .folder: return try InputFile(memberAt: label, leftOut: leftOut)
    case .zip(let descriptor):
      // With a password, if only an empty one, unzip does not ask for one.
      let decoder = try ProgramDecoder(
        ["unzip", "-P", "", "-p", "/dev/stdin", member], descriptor: descriptor, name: "'\(label)'",
        faults: Self.faults, isSilent: true)
      return try InputFile(member: label, decoder: decoder, leftOut: leftOut, isCapture: areCaptures)
    case .tar(let tar, let entries):
      guard let entry = entries[member] else { return nil }
      let isLast = next == members.count
      let decoder = try FunctionDecoder { output in
        tar.write(entry, to: output) ?? (isLast ? tar.damage : nil)
      }
      return try InputFile(member: label, decoder: decoder, leftOut: leftOut, isCapture: areCaptures)
    }
  }

  /// The names in an archive that may be wanted.
  private struct Names {
    private var names: [String] = []
    private var length = 0
    private var others = LeftOutFiles()
    private let isCandidate: (String) -> Bool

    init(_ formats: ArchiveFormats) { isCandidate = formats.isCandidate }

    var areTooMany: Bool { names.count > maximumCandidates || length > maximumLength }

    /// - Returns: whether it may be wanted.
    mutating func add(_ name: String) -> Bool {
      guard name.utf8.count <= longestName, isCandidate(name) || Captures.isOne(name) else {
        others.add(name)
        return false
      }
      names.append(name)
      length += name.utf8.count
      return true
    }

    mutating func leaveOut(_ name: String) { others.add(name) }

    /// The files to read.
    func chosen(_ name: String, _ formats: ArchiveFormats, fault: String?) throws(ToolError) -> Chosen {
      if areTooMany { throw .badData("cannot read \(name): it has more than \(maximumCandidates) files to read") }
      var chosen = Chosen(members: formats.members(names.filter(isCandidate)), leftOut: others)
      if chosen.members.isEmpty {
        chosen.members = Captures.sorted(Array(Set(names.filter(Captures.isOne))))
        chosen.areCaptures = true
      }
      if chosen.members.isEmpty, Interruption.signal == nil {
        throw .badData(
          "cannot read \(name): \(fault ?? "it is an archive without \(formats.sought), and without captures")")
      }
      let members = Set(chosen.members)
      for name in names where !members.contains(name) { chosen.leftOut.add(name) }
      return chosen
    }
  }

  /// Reads the names in a zip file.
  /// - Returns: what is wrong; `nil` if the program could read all of them.
  private static func list(zip: Int32, _ name: String, _ names: inout Names) throws(ToolError) -> String? {
    let list = try ProgramDecoder(
      ["unzip", "-Z1", "/dev/stdin"], descriptor: zip, name: name, faults: faults, isSilent: true)
    var line: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while !names.areTooMany, Interruption.signal == nil {
      let got = buffer.withUnsafeMutableBytes { read(list.output, $0.baseAddress, $0.count) }
      if got < 0, errno == EINTR { continue }
      if got <= 0 { break }
      for byte in buffer[..<got] {
        if byte != 0x0A {
          if line.count <= longestName { line.append(byte) }
          continue
        }
        let text = String(decoding: line, as: UTF8.self)
        if !isPlain(text) { names.leaveOut(text) } else { _ = names.add(text) }
        line.removeAll(keepingCapacity: true)
      }
    }
    if names.areTooMany || Interruption.signal != nil { return nil }
    return list.finish().map { _ in "'unzip' says that the archive is damaged or cut off" }
  }

  /// Whether unzip takes the name as it stands: it reads some characters as patterns, and a hyphen as an option.
  private static func isPlain(_ name: String) -> Bool {
    !name.hasPrefix("-") && !name.contains { "*?[]\\".contains($0) }
  }
}

/// What a tool reads besides documents: the archives in which services hand out an account, and one format that is not
/// JSON. What is in them is the business of the tool; this module only opens them.
package struct ArchiveFormats: Sendable {
  /// Whether the file of that name in an archive may be one that ``members`` chooses. An archive may have a hundred
  /// thousand files; only these names are held.
  let isCandidate: @Sendable (String) -> Bool
  /// Chooses the files to read from the candidates, in the order of reading; none when the archive is of no known
  /// service.
  let members: @Sendable ([String]) -> [String]
  /// What was looked for, for messages: `data/tweets.js (X)`.
  let sought: String
  /// How many bytes are enough to recognise a repository.
  let repositoryMagicLength: Int
  /// Whether these bytes, perhaps only the first of ``repositoryMagicLength``, start one.
  let mayBeRepository: @Sendable ([UInt8]) -> Bool
  /// Whether an input that starts with these bytes is one.
  let isRepository: @Sendable ([UInt8]) -> Bool
  /// Writes the documents of a repository, a file with offsets, to a descriptor. Returns what is wrong; `nil` for
  /// nothing.
  let convertRepository: @Sendable (_ input: Int32, _ output: Int32) -> String?

  package init(
    isCandidate: @escaping @Sendable (String) -> Bool, members: @escaping @Sendable ([String]) -> [String],
    sought: String, repositoryMagicLength: Int, mayBeRepository: @escaping @Sendable ([UInt8]) -> Bool,
    isRepository: @escaping @Sendable ([UInt8]) -> Bool,
    convertRepository: @escaping @Sendable (_ input: Int32, _ output: Int32) -> String?
  ) {
    (self.isCandidate, self.members, self.sought) = (isCandidate, members, sought)
    (self.repositoryMagicLength, self.mayBeRepository) = (repositoryMagicLength, mayBeRepository)
    (self.isRepository, self.convertRepository) = (isRepository, convertRepository)
  }
}

/// The files of an archive that are not read: how many there are, by their folders.
package struct LeftOutFiles: Sendable {
  /// The most files that are named one by one, and the most folders.
  private static let mostNamed = 12

  private var files: [String] = []
  private var folders: [(name: String, count: Int)] = []
  private var others = 0

  /// Adds a file; a folder by itself, whose name ends in a slash, is none.
  mutating func add(_ name: String) {
    if name.isEmpty || name.hasSuffix("/") { return }
    let parts = name.split(separator: "/")
    // Files of the top, and of the folder with all data, stand for themselves; those of a folder with media do not.
    if parts.count <= 2, files.count < Self.mostNamed { return files.append(name) }
    add(inFolder: parts.dropLast().joined(separator: "/"), 1)
  }

  mutating func add(inFolder folder: String, _ count: Int) {
    if count == 0 { return }
    if let index = folders.firstIndex(where: { $0.name == folder }) {
      folders[index].count += count
    } else if folders.count < Self.mostNamed {
      folders.append((folder, count))
    } else {
      others += count
    }
  }

  /// `data/follower.js, 1203 files of data/tweets_media`; `nil` if all files are read.
  package var text: String? {
    var parts =
      files + folders.map { "\(counted($0.count, "file")) of \($0.name.isEmpty ? "." : $0.name)" }
    if others > 0 { parts.append("\(others) other files") }
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}
