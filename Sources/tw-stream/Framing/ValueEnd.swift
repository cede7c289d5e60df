import TweetCore

/// Follows the brackets and strings of a JSON text whose end is not known, each byte once.
///
/// A text can be whole only where it is ``Place/balanced``. If it is balanced and yet no JSON, no longer text that
/// begins with it is JSON: an object or an array has ended there, and neither a number nor a name goes on after a
/// line's end.
struct ValueEnd: Sendable {
  enum Place {
    /// Nothing but white space came.
    case before
    /// A bracket is open.
    case inside
    /// As many brackets were closed as opened.
    case balanced
    /// A line ends in a string, or a bracket is closed that was not open: it is not JSON and will never be.
    case broken
  }

  private var depth = 0
  private var hasBegun = false
  private var isInString = false
  private var isEscaped = false
  /// How many bytes of the text were looked at.
  private var looked = 0

  /// - Parameter text: from the first byte on, longer than it was the last time, up to the end of a line.
  /// - Returns: where its end is.
  mutating func look(_ text: Slice<ByteView>) -> Place {
    for byte in text[(text.startIndex + looked)...] where depth >= 0 {
      if isEscaped {
        isEscaped = false
      } else if isInString {
        isEscaped = byte == UInt8(ascii: "\\")
        isInString = byte != UInt8(ascii: "\"")
      } else {
        switch byte {
        case UInt8(ascii: "\""): isInString = true
        case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
        case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
        case 0x20, 0x09...0x0D: continue
        default: break
        }
        hasBegun = true
      }
    }
    looked = text.count
    if !hasBegun { return .before }
    return depth < 0 || isInString ? .broken : depth == 0 ? .balanced : .inside
  }
}
