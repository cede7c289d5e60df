import TweetCore
import TweetDisplay

extension ByteBuffer {
  /// Appends the id of a tweet in feeds: a `tag:` URI (RFC 4151) that stays the same whatever becomes of the tweet's
  /// address and of its author's name. The domain is one that nobody can have (RFC 2606 §2).
  mutating func append(feedIDOf tweet: JSONValue?, service: JSONValue?) {
    append("tag:tw.invalid,2026:")
    append(feedName: service?.rawString ?? ByteView.empty)
    append(":")
    append(feedName: tweet?.rawString ?? ByteView.empty)
  }

  /// Appends a name as a part of a `tag:` URI: what RFC 3986's `pchar` and `/` do not have is percent-encoded.
  mutating func append(feedName name: ByteView) {
    for byte in name {
      switch byte {
      case 0x2D...0x3A, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: "@"):
        append(byte)
      default: append(percentEncoded: byte)
      }
    }
  }

  /// Appends text on one line, without control characters and without white space at its ends; longer text is cut at a
  /// space, with an ellipsis after it.
  /// - Parameter most: scalars.
  mutating func append(firstWordsOf text: ByteView, most: Int) {
    let start = count
    var scalars = 0
    var lastSpace: Int?
    var needsSpace = false
    var offset = 0
    while offset < text.count {
      let scalar = decodeScalar(text, at: offset)
      let from = offset
      offset += scalar.length
      switch Printable.Nature(of: scalar.value) {
      case .newline, .tab:
        needsSpace = count > start
        continue
      case .control, .hidden, .tag: continue
      case .plain:
        if scalar.value == 0x20 {
          needsSpace = count > start
          continue
        }
      }
      if needsSpace {
        lastSpace = count
        append(UInt8(ascii: " "))
        scalars += 1
        needsSpace = false
      }
      if scalars >= most {
        if let lastSpace, count - lastSpace < 40 { truncate(to: lastSpace) }
        return append("…")
      }
      append(ByteView(rebasing: text[from..<offset]))
      scalars += 1
    }
  }

  /// Appends text in which control characters are U+FFFD, for formats that have no markup to escape.
  mutating func append(visible text: ByteView, newline: StaticString = " ") {
    var offset = 0
    while offset < text.count {
      let scalar = decodeScalar(text, at: offset)
      let start = offset
      offset += scalar.length
      switch scalar.value {
      case 0x0D where offset < text.count && text[offset] == 0x0A: continue
      case 0x0A, 0x0D, 0x85, 0x2028, 0x2029: append(newline)
      case 0x09: append(UInt8(ascii: " "))
      case ..<0x20, 0x7F..<0xA0, 0xFFFE, 0xFFFF: append("\u{FFFD}")
      default: append(ByteView(rebasing: text[start..<offset]))
      }
    }
  }
}

/// The media type that an address shows by its extension.
struct MediaType {
  let name: StaticString

  /// - Parameter url: a web address; what is after `?` or `#` does not count. `nil` for an extension that is not known.
  init?(_ url: ByteView) {
    let path = url.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard let dot = path.lastIndex(of: UInt8(ascii: ".")) else { return nil }
    let known: [(StaticString, StaticString)] = [
      ("jpg", "image/jpeg"), ("jpeg", "image/jpeg"), ("png", "image/png"), ("gif", "image/gif"), ("webp", "image/webp"),
      ("mp4", "video/mp4"), ("webm", "video/webm"), ("m3u8", "application/vnd.apple.mpegurl"), ("mp3", "audio/mpeg"),
      ("ogg", "audio/ogg"), ("m4a", "audio/mp4"),
    ]
    let wanted = path[(dot + 1)...]
    let found = known.first { name, _ in
      wanted.elementsEqual(name.bytes)
    }
    guard let found else { return nil }
    name = found.1
  }
}
