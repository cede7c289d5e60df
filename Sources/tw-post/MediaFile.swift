import Libc
import TweetCore

/// A picture or video on disk.
struct MediaFile: ~Copyable {
  /// What messages call it.
  let name: String
  /// The media type.
  let type: String
  /// In bytes.
  let size: Int
  private let descriptor: Int32

  /// - Parameter name: what messages call it, if that is not its path.
  /// - Throws: `ToolError.noInput` for a file that cannot be read, `ToolError.badData` for one that is not a picture or
  ///   video.
  init(_ path: String, named name: String? = nil) throws(ToolError) {
    let name = name ?? "'\(path)'"
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw .noInput("cannot open \(name)", errno) }
    var status = stat()
    var start = [UInt8](repeating: 0, count: 12)
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      pread(descriptor, &start, start.count, 0) == start.count, let type = Self.type(start)
    else {
      close(descriptor)
      if let format = HEIFFormat(start) {
        throw .badData(
          "\(name) is a picture as \(format.rawValue), which services do not take: make a JPEG of it, such as with heif-convert"
        )
      }
      throw .badData("\(name) is not a picture or video that can be posted (JPEG, PNG, GIF, WebP, MP4, MOV, WebM)")
    }
    self.name = name
    self.type = type
    self.descriptor = descriptor
    size = Int(status.st_size)
  }

  deinit { close(descriptor) }

  /// The media type by the first bytes of the file.
  private static func type(_ start: [UInt8]) -> String? {
    func has(_ text: String, at offset: Int = 0) -> Bool { start[offset...].starts(with: text.utf8) }
    if start.starts(with: [0xFF, 0xD8, 0xFF]) { return "image/jpeg" }
    if start.starts(with: [0x89] + Array("PNG".utf8)) { return "image/png" }
    if has("GIF8") { return "image/gif" }
    if has("RIFF"), has("WEBP", at: 8) { return "image/webp" }
    return VideoFormat(start)?.rawValue
  }

  /// A piece of the file; none after its end.
  func piece(at offset: Int, length: Int) throws(ToolError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: min(length, max(0, size - offset)))
    var count = 0
    while count < bytes.count {
      let got = bytes[count...].withUnsafeMutableBytes {
        pread(descriptor, $0.baseAddress, $0.count, off_t(offset + count))
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else {
        throw .inputOutput("cannot read \(name): \(got < 0 ? describe(errno: errno) : "it became shorter")")
      }
      count += got
    }
    return bytes
  }
}
