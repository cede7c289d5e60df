import CZlib
import TweetCore

/// Bytes as a gzip file of their own (RFC 1952). Several of them in a row are a gzip file too, and each can be read
/// alone.
enum GzipMember {
  static func compress(_ bytes: [UInt8]) throws(ToolError) -> [UInt8] {
    var stream = z_stream()
    guard tw_deflate_init_gzip(&stream) == Z_OK else { throw .inputOutput("cannot compress: memory is short") }
    defer { deflateEnd(&stream) }
    var input = bytes
    var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, uLong(bytes.count))))
    let code = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        (stream.next_in, stream.avail_in) = (input.baseAddress, uInt(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, uInt(output.count))
        return deflate(&stream, Z_FINISH)
      }
    }
    guard code == Z_STREAM_END else { throw .bug("zlib cannot compress \(bytes.count) bytes at once: \(code)") }
    output.removeLast(output.count - Int(stream.total_out))
    return output
  }
}
