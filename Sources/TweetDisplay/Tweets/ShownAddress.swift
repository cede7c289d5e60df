package import TweetCore

/// Web addresses for people to see: first the host that they lead to, and nothing that pretends to be another host.
package enum ShownAddress {
  /// Longer addresses get no link: they would only fill the memory of a terminal.
  private static let longest = 2048

  /// The parts of an address that are shown, as ranges of its bytes.
  private struct Parts {
    var host: Range<Int>
    /// Path, query and fragment.
    var tail: Range<Int>

    /// `nil` if it is not `http://` or `https://` with a host.
    init?(_ url: ByteView) {
      guard let start = Parts.endOfScheme(url) else { return nil }
      let end = url[start...].firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
      // Before an "@" is a user's name, the oldest trick to look like another host. Browsers read "\" as "/", others as
      // a part of the name.
      let authority = start..<(end ?? url.count)
      let user = url[authority].lastIndex { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "\\") }
      host = (user.map { $0 + 1 } ?? authority.lowerBound)..<authority.upperBound
      tail = authority.upperBound..<url.count
      if host.isEmpty { return nil }
    }

    private static func endOfScheme(_ url: ByteView) -> Int? {
      for scheme: StaticString in ["https://", "http://"] where url.count > scheme.utf8CodeUnitCount {
        let wanted = scheme.bytes
        if zip(url, wanted).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) { return wanted.count }
      }
      return nil
    }
  }

  /// The address a link of a record leads to, as far as it is known: where redirects end, else what the short address
  /// stands for, else the short address.
  package static func target(of link: JSONValue) -> JSONValue? {
    link["unwound_url"] ?? link["expanded_url"] ?? link["url"]
  }

  /// Appends `host/path` of a URL, without the scheme and `www.`, in at most `most` columns: a long path is cut at its
  /// end, a long host at its front. What is no web address is shown as it is.
  package static func appendShort(
    _ url: ByteView, most: Int, ellipsis: StaticString, to buffer: inout ByteBuffer
  ) {
    let start = buffer.count
    guard let parts = Parts(url) else {
      Printable.append(ByteView(rebasing: url.prefix(longest)), to: &buffer)
      buffer.cut(from: start, most: most, ellipsis: ellipsis)
      return
    }
    var host = parts.host
    host = withoutWWW(url[host]).indices
    // One column is kept for the ellipsis, so that what is cut at the end is never the host.
    let room = max(most - ellipsis.columns, 4)
    if host.count > room {
      buffer.append(ellipsis)
      host = host.suffix(room - ellipsis.columns)
      while host.count > 1, url[host.lowerBound] & 0xC0 == 0x80 { host = host.dropFirst() }
    }
    Printable.append(ByteView(rebasing: url[host]), to: &buffer)
    let tail = url[parts.tail].prefix(longest)
    if tail.count > 1 || tail.first != UInt8(ascii: "/") {
      Printable.append(ByteView(rebasing: tail), to: &buffer)
    }
    buffer.cut(from: start, most: max(most, 4 + ellipsis.columns), ellipsis: ellipsis)
  }

  /// Appends the host of a web address, without `www.`, in at most `most` columns: a longer one is cut at its front.
  /// What is no web address is shown as it is, cut at its end.
  package static func appendHost(
    _ url: ByteView, most: Int, ellipsis: StaticString, to buffer: inout ByteBuffer
  ) {
    guard let parts = Parts(url) else { return appendShort(url, most: most, ellipsis: ellipsis, to: &buffer) }
    appendShort(
      ByteView(rebasing: url[..<parts.host.upperBound]), most: most, ellipsis: ellipsis, to: &buffer)
  }

  /// Appends an address from which nothing is left out: of a web address all bytes that are not visible ASCII are
  /// percent-escaped, so that it is one word for whoever copies it.
  package static func appendWhole(_ url: ByteView, to buffer: inout ByteBuffer) {
    if Parts(url) != nil { escape(url, to: &buffer) } else { Printable.append(url, to: &buffer) }
  }

  /// Whether words that link to an address are this address, whole or cut at their end, with or without its scheme and
  /// `www.`. Words that end before the end of the host are not: `paypal.com` does not spell
  /// `https://paypal.com.evil.example`.
  package static func isSpelled(by words: ByteView, _ url: ByteView) -> Bool {
    guard let parts = Parts(url) else { return words.elementsEqual(url) }
    var words = words[...]
    for mark in ["...", "…"] where words.suffix(mark.utf8.count).elementsEqual(mark.utf8) {
      words = words.dropLast(mark.utf8.count)
    }
    let start = Parts(ByteView(rebasing: words))?.host.lowerBound ?? 0
    let spelled = withoutWWW(words.dropFirst(start))
    let address = withoutWWW(url[parts.host.lowerBound...])
    let hostLength = withoutWWW(url[parts.host]).count
    guard spelled.count >= hostLength, spelled.count <= address.count else { return false }
    return zip(spelled, address).allSatisfy { $0 == $1 || $0 | 0x20 == $1 | 0x20 && $0 | 0x20 >= UInt8(ascii: "a") }
  }

  private static func withoutWWW(_ name: Slice<ByteView>) -> Slice<ByteView> {
    let www: [UInt8] = [0x77, 0x77, 0x77, 0x2E]
    return name.starts(with: www) && name.count > www.count ? name.dropFirst(www.count) : name
  }

  /// Appends a web address with all bytes percent-escaped that are not visible ASCII, so that it can be part of a
  /// terminal sequence. Appends nothing if it is not a web address, or too long.
  static func appendEscaped(_ url: ByteView, to buffer: inout ByteBuffer) {
    guard url.count <= longest, Parts(url) != nil else { return }
    escape(url, to: &buffer)
  }

  private static func escape(_ url: ByteView, to buffer: inout ByteBuffer) {
    var offset = 0
    while offset < url.count {
      var end = offset
      while end < url.count, url[end] &- 0x21 < 0x5E { end += 1 }
      buffer.append(ByteView(rebasing: url[offset..<end]))
      if end < url.count {
        buffer.append(UInt8(ascii: "%"))
        buffer.append(hex: url[end])
      }
      offset = end + 1
    }
  }

  /// Reads the address of a post: where the post's id is in a URL like `https://x.com/jack/status/20/photo/1`, and
  /// whether the URL leads to one of its pictures or videos. `nil` if it is not such an address.
  package static func post(_ url: ByteView) -> (id: Range<Int>, isMedia: Bool)? {
    guard let parts = Parts(url) else { return nil }
    let marker: StaticString = "/status/"
    let wanted = marker.bytes
    var offset = parts.tail.lowerBound
    while offset + wanted.count < url.count {
      if url[offset...].starts(with: wanted) {
        let start = offset + wanted.count
        let end = url[start...].firstIndex { $0 &- UInt8(ascii: "0") >= 10 } ?? url.count
        let rest = url[end...]
        let isMedia = rest.starts(with: "/photo/".utf8) || rest.starts(with: "/video/".utf8)
        return end > start ? (start..<end, isMedia) : nil
      }
      offset += 1
    }
    return nil
  }
}
