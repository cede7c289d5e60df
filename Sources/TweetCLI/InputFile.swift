import Libc
package import TweetCore

/// An open input, closed at the end of its life; standard input stays open. Compressed files and UTF-16 are decoded on
/// the way by a program of the system.
package struct InputFile: ~Copyable {
  /// Where the plain bytes are read.
  package var descriptor: Int32 { decoder?.output ?? source }
  /// What messages call it: `standard input`, or the path in quotes.
  package let name: String
  /// What stands before a line number: the path, or `-`.
  package let label: String
  /// Bytes that were already taken from ``descriptor`` to see what it is.
  package let head: [UInt8]
  private let source: Int32
  private let decoder: Decoder?

  /// Opens `path`, `-` being standard input; throws ``ToolError/noInput(_:)``.
  /// - Parameter mayWait: whether it may wait for the first bytes of a pipe. If not, only regular files are decoded.
  package init(_ path: String, mayWait: Bool = false) throws(ToolError) {
    let source = path == "-" ? 0 : open(path, O_RDONLY | O_CLOEXEC)
    if source < 0 { throw .noInput("cannot open '\(path)': \(describe(errno: errno))") }
    let name = path == "-" ? "standard input" : "'\(path)'"
    var status = stat()
    if path != "-", fstat(source, &status) == 0, status.st_mode & S_IFMT == S_IFDIR {
      close(source)
      throw .noInput("cannot read \(name): \(describe(errno: EISDIR))")
    }
    let place = lseek(source, 0, SEEK_CUR)
    let bytes = place >= 0 || mayWait ? Self.first(of: source, at: place) : []
    let taken = place >= 0 ? [] : bytes
    var decoder: Decoder?
    do throws(ToolError) {
      if let kind = Decoder.kind(of: bytes) {
        decoder = try Decoder(kind, descriptor: source, head: taken, name: name)
      }
    } catch {
      if source > 0 { close(source) }
      throw error
    }
    self.init(label: path, name: name, source: source, decoder: decoder, head: decoder == nil ? taken : [])
  }

  /// Takes over a descriptor, the end of a pipe for example.
  /// - Parameter label: what messages call it.
  package init(descriptor: Int32, label: String) {
    self.init(label: label, name: "'\(label)'", source: descriptor, decoder: nil, head: [])
  }

  private init(label: String, name: String, source: Int32, decoder: Decoder?, head: [UInt8]) {
    (self.label, self.name, self.source, self.decoder, self.head) = (label, name, source, decoder, head)
  }

  deinit {
    if source > 0 { close(source) }
  }

  /// Whether it is a file that lies there whole, decoded or not, and so never keeps anybody waiting.
  package var isRegularFile: Bool {
    var status = stat()
    return fstat(source, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// How many bytes of the file itself were read; below zero for what has no place, such as a pipe. A program that
  /// decodes it moves the same place on.
  package var place: Int { Int(lseek(source, 0, SEEK_CUR)) }

  /// To be called when all was read: what the program that decoded it found wrong, `nil` for nothing.
  package func finish() -> String? { decoder?.finish() }

  /// The first bytes: looked at in a file that can be read at a place, taken from one that cannot.
  private static func first(of descriptor: Int32, at place: off_t) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: Decoder.magicLength)
    while bytes.count < Decoder.magicLength {
      let wanted = Decoder.magicLength - bytes.count
      let got = buffer.withUnsafeMutableBytes { room in
        place >= 0
          ? pread(descriptor, room.baseAddress, wanted, place + off_t(bytes.count))
          : read(descriptor, room.baseAddress, wanted)
      }
      if got <= 0 { break }
      bytes += buffer[..<got]
      // A live pipe's first bytes decide as they come: records start with none of these.
      if Decoder.canBeNone(bytes) { break }
    }
    return bytes
  }
}
