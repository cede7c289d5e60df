import TweetCore

/// Appends the addresses of links to text.
///
/// Where the terminal has links, the short form is enough, since the terminal knows the whole address. Elsewhere an
/// address is whole: it stands in the text if a row has room for it, and else below the text, numbered and on a row of
/// its own.
struct AddressText: ~Copyable {
  /// Short forms are cut at this many columns.
  static let widest = 48
  /// Longer ones are cut. Servers refuse requests for them (RFC 9110, section 4.1, asks for 8000 to be possible).
  static let longest = 8192

  /// Bounds the work that a hostile record can cause.
  private static let compared = 16

  private let style: TerminalStyle
  private var decoder = StringDecoder()
  /// Whole addresses that stand below the text, one after the other.
  private var listed = ByteBuffer()
  private var listedEnds: [Int] = []

  init(_ style: TerminalStyle) { self.style = style }

  /// Appends an address, linked to itself.
  /// - Parameter room: the columns of a row.
  mutating func append(_ address: JSONValue?, room: Int, to text: inout StyledText) {
    let address = decoder.decode(address, limit: Self.longest)
    if style.hasLinks {
      appendShort(address, to: &text)
    } else {
      let start = text.count
      ShownAddress.appendWhole(address, to: &text.bytes)
      // What is no longer than the row is no wider either.
      if text.count - start > room {
        let number = list(text.view(from: start))
        text.bytes.truncate(to: start)
        appendShort(address, to: &text)
        appendNumber(number, to: &text)
      }
    }
    text.mark(.link, linkingTo: address)
  }

  /// Marks what was appended since the last mark as words that link to an address, and appends the address, or its host
  /// if that is enough, so that nobody is led elsewhere by the words.
  mutating func markWords(_ address: JSONValue?, room: Int, to text: inout StyledText) {
    let target = decoder.decode(address, limit: Self.longest)
    if style.hasLinks { text.mark(.link, linkingTo: target) } else { text.mark(.link) }
    text.bytes.append(" (")
    if style.hasLinks {
      ShownAddress.appendHost(target, most: Self.widest, ellipsis: style.glyphs.ellipsis, to: &text.bytes)
      text.mark(.dim)
    } else {
      text.mark(.dim)
      // The brackets stand on the same row.
      append(address, room: room - 2, to: &text)
    }
    text.append(")", .dim)
  }

  private func appendShort(_ address: ByteView, to text: inout StyledText) {
    ShownAddress.appendShort(address, most: Self.widest, ellipsis: style.glyphs.ellipsis, to: &text.bytes)
  }

  private func appendNumber(_ number: Int, to text: inout StyledText) {
    text.bytes.append(" [")
    text.bytes.append(decimal: number)
    text.bytes.append("]")
  }

  /// The number of an address in the list, to which it is appended unless it is among the last ones there.
  private mutating func list(_ address: ByteView) -> Int {
    let known = listedEnds.indices.suffix(Self.compared).first { index in
      listed.withBytes { $0[(index > 0 ? listedEnds[index - 1] : 0)..<listedEnds[index]].elementsEqual(address) }
    }
    if let known { return known + 1 }
    listed.append(address)
    listedEnds.append(listed.count)
    return listedEnds.count
  }

  /// Adds the list, `[1] https://…`, a row for each address, and empties it.
  mutating func addList(_ layout: inout BlockLayout, _ text: inout StyledText, to rows: inout BlockRows) {
    var start = 0
    for (index, end) in listedEnds.enumerated() {
      text.bytes.append("[")
      text.bytes.append(decimal: index + 1)
      text.append("] ", .dim)
      listed.withBytes { text.bytes.append(ByteView(rebasing: $0[start..<end])) }
      text.mark(.link)
      layout.addUnbroken(text, to: &rows)
      text.removeAll()
      start = end
    }
    listed.removeAll()
    listedEnds.removeAll(keepingCapacity: true)
  }
}
