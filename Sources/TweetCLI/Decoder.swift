import Dispatch
import Libc
import TweetCore

/// A program of the system that turns an input into plain UTF-8 while it is read: a decompressor, or iconv for UTF-16.
///
/// The input's first bytes say which one is needed; its name does not count. The program runs as a child process, so
/// nothing is linked for it and a second core does the work.
final class Decoder {
  /// The kinds of input that need a decoder.
  enum Kind: CaseIterable {
    case gzip, bzip2, xz, zstd, utf16LittleEndian, utf16BigEndian

    /// The bytes that such an input starts with, by RFC 1952, the formats of bzip2 and xz, RFC 8878, and U+FEFF.
    var magic: [UInt8] {
      switch self {
      case .gzip: [0x1F, 0x8B]
      case .bzip2: [0x42, 0x5A, 0x68]
      case .xz: [0xFD, 0x37, 0x7A, 0x58, 0x5A, 0x00]
      case .zstd: [0x28, 0xB5, 0x2F, 0xFD]
      case .utf16LittleEndian: [0xFF, 0xFE]
      case .utf16BigEndian: [0xFE, 0xFF]
      }
    }

    /// The command that decodes standard input to standard output.
    var command: [String] {
      switch self {
      case .gzip: ["gzip", "-dc"]
      case .bzip2: ["bzip2", "-dc"]
      case .xz: ["xz", "-dc"]
      case .zstd: ["zstd", "-dcq"]
      case .utf16LittleEndian, .utf16BigEndian: ["iconv", "-f", "UTF-16", "-t", "UTF-8"]
      }
    }
  }

  /// So many bytes are enough to recognise every kind.
  static let magicLength = 6

  /// The kind of an input whose first bytes are `head`; `nil` for plain input.
  static func kind(of head: [UInt8]) -> Kind? {
    Kind.allCases.first { head.starts(with: $0.magic) }
  }

  /// Whether an input that starts with `bytes`, perhaps only the first of `magicLength`, is plain.
  static func isPlain(_ bytes: [UInt8]) -> Bool {
    !Kind.allCases.contains { kind in zip(kind.magic, bytes).allSatisfy { $0 == $1 } }
  }

  private var child: ChildProcess
  private let kind: Kind
  /// Where the plain bytes are read.
  let output: Int32

  /// Starts the program.
  /// - Parameters:
  ///   - kind: of the input.
  ///   - descriptor: the input. It must stay open until the decoder is finished.
  ///   - head: bytes that were already read from the input; the program gets them first. Empty for a file, whose first
  ///     bytes can be looked at without reading them.
  ///   - name: of the input, for messages.
  init(_ kind: Kind, descriptor: Int32, head: [UInt8], name: String) throws(ToolError) {
    self.kind = kind
    let plain = try makePipe()
    let feed = head.isEmpty ? nil : try makePipe()
    let started = ChildProcess(kind.command, input: feed?.reading ?? descriptor, output: plain.writing)
    close(plain.writing)
    if let feed { close(feed.reading) }
    guard let started else {
      close(plain.reading)
      if let feed { close(feed.writing) }
      throw .inputOutput("cannot read \(name): it needs '\(kind.command[0])', which is not installed")
    }
    child = started
    output = plain.reading
    if let feed { Self.copy(head, from: descriptor, to: feed.writing) }
  }

  deinit { close(output) }

  /// Waits for the program. To be called when its output was read to its end.
  /// - Returns: what went wrong; `nil` for nothing.
  func finish() -> String? {
    child.wait() == .exited(0) ? nil : "'\(kind.command[0])' says that the file is damaged or cut off"
  }

  /// Copies the bytes that were already read, and then the rest of the input, to the program, on a thread of its own.
  private static func copy(_ head: [UInt8], from source: Int32, to sink: Int32) {
    DispatchQueue.global().async {
      defer { close(sink) }
      var failure = head.withUnsafeBufferPointer { writeAll($0, to: sink) }
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while failure == 0 {
        let got = buffer.withUnsafeMutableBytes { read(source, $0.baseAddress, $0.count) }
        if got < 0 && errno == EINTR { continue }
        // If the source cannot be read, its input ends early, and the program reports that as damage.
        if got <= 0 { return }
        failure = buffer.withUnsafeBufferPointer { writeAll(UnsafeBufferPointer(rebasing: $0[..<got]), to: sink) }
      }
    }
  }
}
