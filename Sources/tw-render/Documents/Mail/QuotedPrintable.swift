import TweetCore

/// Encodes text as quoted-printable (RFC 2045 §6.7), piece by piece, in lines of at most 76 characters.
///
/// What programs on the way may take for something else is encoded too: a line that begins with `F` could be a postmark
/// (`From `), and one of a dot alone ends the input of sendmail(8).
struct QuotedPrintable {
  private var columns = 0
  /// A space at the end of a line would get lost.
  private var hasSpace = false

  /// Appends some of the text; `\n` ends a line.
  mutating func append(_ text: ByteView, to output: inout ByteBuffer) {
    for byte in text {
      if hasSpace {
        append(0x20, isPlain: byte != 0x0A, to: &output)
        hasSpace = false
      }
      switch byte {
      case 0x0A:
        output.append(byte)
        columns = 0
      case 0x20: hasSpace = true
      default: append(byte, isPlain: byte &- 0x21 < 0x5E && byte != 0x3D, to: &output)
      }
    }
  }

  /// Appends what is left.
  mutating func finish(_ output: inout ByteBuffer) {
    if hasSpace { append(0x20, isPlain: false, to: &output) }
    self = QuotedPrintable()
  }

  private mutating func append(_ byte: UInt8, isPlain: Bool, to output: inout ByteBuffer) {
    // One column is left for the "=" of a broken line.
    if columns + (isPlain ? 1 : 3) > 75 {
      output.append("=\n")
      columns = 0
    }
    let isMeant = columns > 0 || byte != UInt8(ascii: "F") && byte != UInt8(ascii: ".")
    if isPlain, isMeant {
      output.append(byte)
      columns += 1
    } else {
      output.append("=")
      output.append(hex: byte)
      columns += 3
    }
  }
}
