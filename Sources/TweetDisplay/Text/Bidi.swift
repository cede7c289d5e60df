package import TweetCore

/// Keeps text that runs from right to left from reordering what is beside it.
///
/// Terminals that know the bidirectional algorithm apply it to whole rows: an Arabic name would move the handle and
/// time after it to its other side. First-strong isolates (U+2068 … U+2069, UAX 9) around the name prevent that.
/// Terminals that do not know them draw nothing for them.
package enum Bidi {
  /// Whether any letter of a UTF-8 text is of a script that is written from right to left.
  package static func isRightToLeft(_ text: ByteView) -> Bool {
    var offset = 0
    while offset < text.count {
      // Lead bytes below these are Latin, Greek and Cyrillic.
      if text[offset] < 0xD6 {
        offset += 1
        continue
      }
      let scalar = decodeScalar(text, at: offset)
      switch scalar.value {
      case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFC, 0x10800...0x10FFF, 0x1E800...0x1EFFF: return true
      default: offset += scalar.length
      }
    }
    return false
  }

  /// Puts an isolate around all that was appended from `start` on, if it has right-to-left letters.
  package static func isolate(_ buffer: inout ByteBuffer, from start: Int) {
    let tail: [UInt8]? = buffer.withBytes { bytes in
      let tail = ByteView(rebasing: bytes[start...])
      return isRightToLeft(tail) ? Array(tail) : nil
    }
    guard let tail else { return }
    buffer.truncate(to: start)
    buffer.append(opening)
    buffer.append(tail)
    buffer.append(closing)
  }

  /// First-strong isolate.
  package static let opening: StaticString = "\u{2068}"
  /// Pop directional isolate.
  package static let closing: StaticString = "\u{2069}"
}
