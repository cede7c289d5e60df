import Libc
import TweetCore

/// The process that decodes pictures: this program again, started by ``PictureDecoder`` with ``argument``. It can reach
/// nothing but its two descriptors, so that a picture that takes over a decoder has taken over little.
///
/// Descriptor 0 is a socket for requests and answers, descriptor 1 the file in memory that both processes have: a
/// request's picture, and then its answer's pixels, are at its beginning. Nothing that this process writes is believed:
/// the pixels are only pixels, and an answer is checked.
package enum DecoderProcess {
  /// What has a program of the kit be this process.
  package static let argument = "--decode-pictures"

  /// How many bytes of a picture follow, and the longest side of what is wanted: 4 bytes each, in this machine's order.
  typealias Request = (count: UInt32, side: UInt32)
  static let requestSize = 8

  /// 0 or a ``DecodingFault``, then width and height: 4 bytes each.
  typealias Answer = (fault: UInt32, width: UInt32, height: UInt32)
  static let answerSize = 12

  /// No side of a thumbnail is longer, nor of a picture that is posted.
  package static let longestSide = 4096
  /// Processor time for one picture: 25 million pixels of PNG take 1.1 s.
  private static let processorSeconds = 5
  /// What the program itself needs, the picture, and the decoded pixels; progressive JPEG takes the most, 6 bytes a
  /// pixel.
  private static let memory = 768 << 20

  /// Serves requests until the other end of the socket is closed.
  package static func serve() -> Never {
    let decoding = PictureDecoding()
    let isConfined = Confinement.begin(memory: memory, fileSize: 4 * longestSide * longestSide)
    while let words = read(2) {
      Confinement.allow(processorSeconds: processorSeconds)
      let answer =
        isConfined
        ? decode(Int(words[0]), side: min(Int(words[1]), longestSide), decoding)
        : [DecodingFault.notConfined.rawValue, 0, 0]
      guard write(answer) else { break }
    }
    exit(0)
  }

  private static func decode(_ count: Int, side: Int, _ decoding: PictureDecoding) -> [UInt32] {
    do throws(DecodingFault) {
      let pixels = try decoding.decode(MemoryFile.read(count, from: 1), side: side)
      guard MemoryFile.write(pixels.bytes, to: 1) else { throw .notAPicture }
      return [0, UInt32(pixels.width), UInt32(pixels.height)]
    } catch {
      return [error.rawValue, 0, 0]
    }
  }

  /// - Returns: `nil` at the end of the input.
  private static func read(_ count: Int) -> [UInt32]? {
    var words = [UInt32](repeating: 0, count: count)
    let got = words.withUnsafeMutableBytes { room in
      var done = 0
      while done < room.count {
        let piece = Libc.read(0, room.baseAddress.map { $0 + done }, room.count - done)
        if piece < 0 && errno == EINTR { continue }
        if piece <= 0 { break }
        done += piece
      }
      return done
    }
    return got == 4 * count ? words : nil
  }

  private static func write(_ words: [UInt32]) -> Bool {
    let bytes = words.flatMap { word in withUnsafeBytes(of: word) { Array($0) } }
    return writeAll(bytes, to: 0) == 0
  }
}
