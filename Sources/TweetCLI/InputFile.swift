import Libc
package import TweetCore

/// An open input. It is closed at the end of its life, but standard input stays open. A program of the system decodes
/// compressed files and UTF-16 while they are read.
package struct InputFile: ~Copyable {
  /// Where the plain bytes are read.
  package var descriptor: Int32 { decoder?.output ?? source }
  /// What messages call it: `standard input`, or the path in quotes.
  package let name: String
  /// What messages print before a line number: the path, or `-`.
  package let label: String
  /// Bytes that were already read from ``descriptor``, to recognise what it is.
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
    let offset = lseek(source, 0, SEEK_CUR)
    let bytes = offset >= 0 || mayWait ? Self.firstBytes(of: source, at: offset) : []
    let head = offset >= 0 ? [] : bytes
    var decoder: Decoder?
    do throws(ToolError) {
      if let kind = Decoder.kind(of: bytes) {
        decoder = try Decoder(kind, descriptor: source, head: head, name: name)
      }
    } catch {
      if source > 0 { close(source) }
      throw error
    }
    self.init(label: path, name: name, source: source, decoder: decoder, head: decoder == nil ? head : [])
  }

  /// Owns a descriptor from now on, the end of a pipe for example.
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

  /// Whether it is a regular file, decoded or not. Reading one does not wait for anybody.
  package var isRegularFile: Bool {
    var status = stat()
    return fstat(source, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// How many bytes of the file itself were read; below zero for a pipe, which has no offset. A program that decodes the
  /// file shares this offset.
  package var offset: Int { Int(lseek(source, 0, SEEK_CUR)) }

  /// Waits for the program that decodes it. To be called when all was read.
  /// - Returns: what that program found wrong; `nil` for nothing.
  package func finish() -> String? { decoder?.finish() }

  /// The first bytes. They stay unread in a file that has an offset, and are consumed from a pipe.
  private static func firstBytes(of descriptor: Int32, at offset: off_t) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: Decoder.magicLength)
    while bytes.count < Decoder.magicLength {
      let wanted = Decoder.magicLength - bytes.count
      let got = buffer.withUnsafeMutableBytes { room in
        offset >= 0
          ? pread(descriptor, room.baseAddress, wanted, offset + off_t(bytes.count))
          : read(descriptor, room.baseAddress, wanted)
      }
      if got <= 0 { break }
      bytes += buffer[..<got]
      // Records begin with none of these bytes, so a live pipe is recognised as plain by its first byte.
      if Decoder.isPlain(bytes) { break }
    }
    return bytes
  }
}
