import TweetCore
import TweetDisplay

/// A URL as a person should see it: the place it leads to first, nothing that pretends to be another.
enum WebAddress {
  /// Longer addresses are no links: they would only be there to fill a terminal's memory.
  private static let longest = 2048

  /// The parts of an address that are shown, as ranges of its bytes.
  private struct Parts {
    var host: Range<Int>
    /// Path, query and fragment.
    var rest: Range<Int>

    /// `nil` when it is not `http://` or `https://` with a host.
    init?(_ url: UnsafeBufferPointer<UInt8>) {
      guard let start = Parts.endOfScheme(url) else { return nil }
      let end = url[start...].firstIndex { [UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) }
      // What stands before an "@" is a user's name, and the oldest trick to look like another host.
      let authority = start..<(end ?? url.count)
      let user = url[authority].lastIndex { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "\\") }
      host = (user.map { $0 + 1 } ?? authority.lowerBound)..<authority.upperBound
      rest = authority.upperBound..<url.count
      if host.isEmpty { return nil }
    }

    private static func endOfScheme(_ url: UnsafeBufferPointer<UInt8>) -> Int? {
      for scheme: StaticString in ["https://", "http://"] where url.count > scheme.utf8CodeUnitCount {
        let wanted = UnsafeBufferPointer(start: scheme.utf8Start, count: scheme.utf8CodeUnitCount)
        if zip(url, wanted).allSatisfy({ $0 | 0x20 == $1 | 0x20 }) { return wanted.count }
      }
      return nil
    }
  }

  /// Appends `host/path` of a URL, without the scheme and `www.`, in at most `most` columns: a long path is cut at its
  /// end, a long host at its front. What is no web address is shown as it is.
  static func appendShort(
    _ url: UnsafeBufferPointer<UInt8>, most: Int, ellipsis: StaticString, to buffer: inout ByteBuffer
  ) {
    let start = buffer.count
    guard let parts = Parts(url) else {
      Printable.append(UnsafeBufferPointer(rebasing: url.prefix(longest)), to: &buffer)
      buffer.cut(from: start, most: most, ellipsis: ellipsis)
      return
    }
    var host = parts.host
    let www: [UInt8] = [0x77, 0x77, 0x77, 0x2E]
    if url[host].starts(with: www), host.count > www.count { host = host.dropFirst(www.count) }
    // One column less, so that what is cut at the end is never the host.
    let room = max(most - ellipsis.columns, 4)
    if host.count > room {
      buffer.append(ellipsis)
      host = host.suffix(room - ellipsis.columns)
      while host.count > 1, url[host.lowerBound] & 0xC0 == 0x80 { host = host.dropFirst() }
    }
    Printable.append(UnsafeBufferPointer(rebasing: url[host]), to: &buffer)
    let rest = url[parts.rest].prefix(longest)
    if rest.count > 1 || rest.first != UInt8(ascii: "/") {
      Printable.append(UnsafeBufferPointer(rebasing: rest), to: &buffer)
    }
    buffer.cut(from: start, most: max(most, 4 + ellipsis.columns), ellipsis: ellipsis)
  }

  /// Appends a web address with everything escaped that is not visible ASCII, as a terminal sequence may carry it;
  /// nothing at all when it is none.
  static func appendSafe(_ url: UnsafeBufferPointer<UInt8>, to buffer: inout ByteBuffer) {
    guard url.count <= longest, Parts(url) != nil else { return }
    let digits: StaticString = "0123456789ABCDEF"
    for byte in url {
      if byte > 0x20, byte < 0x7F {
        buffer.append(byte)
      } else {
        buffer.append(UInt8(ascii: "%"))
        buffer.append(digits.utf8Start[Int(byte >> 4)])
        buffer.append(digits.utf8Start[Int(byte & 15)])
      }
    }
  }

  /// Where a URL like `https://x.com/jack/status/20/photo/1` has the post's id, and what follows that; `nil` when it is no
  /// post's address.
  static func post(_ url: UnsafeBufferPointer<UInt8>) -> (id: Range<Int>, isMedia: Bool)? {
    guard let parts = Parts(url) else { return nil }
    let marker: StaticString = "/status/"
    let wanted = UnsafeBufferPointer(start: marker.utf8Start, count: marker.utf8CodeUnitCount)
    var at = parts.rest.lowerBound
    while at + wanted.count < url.count {
      if url[at...].starts(with: wanted) {
        let start = at + wanted.count
        let end = url[start...].firstIndex { $0 &- UInt8(ascii: "0") >= 10 } ?? url.count
        let tail = url[end...]
        let isMedia = tail.starts(with: "/photo/".utf8) || tail.starts(with: "/video/".utf8)
        return end > start ? (start..<end, isMedia) : nil
      }
      at += 1
    }
    return nil
  }
}
