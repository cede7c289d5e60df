import TweetCore

/// Web addresses from outside that a document may link to.
///
/// A reader that follows one goes to the host that it names, by http or https, and nowhere else: `javascript:`, `data:`
/// and other schemes are refused, and so is what programs read differently, as `https://good.example\@evil.example/`.
enum SafeAddress {
  /// Longer addresses are no links: some browsers and feed readers do not take them.
  private static let longest = 8192

  /// Appends an address as a URI (RFC 3986) or, if its host has other letters than ASCII's, as an IRI (RFC 3987): bytes
  /// that have no place in it are percent-encoded. `&` and `'` are the only bytes that markup must escape.
  /// - Returns: whether it is an address that may be linked; if not, nothing was appended.
  static func append(_ url: ByteView, to output: inout ByteBuffer) -> Bool {
    let schemes: [StaticString] = ["https://", "http://"]
    guard url.count <= longest, let scheme = schemes.first(where: { url.hasPrefix(ignoringCase: $0) }) else {
      return false
    }
    let start = scheme.utf8CodeUnitCount
    let end = url[start...].firstIndex { $0 == 0x2F || $0 == 0x3F || $0 == 0x23 || $0 == 0x5C } ?? url.count
    guard end == url.count || url[end] != 0x5C,
      HostName.isValid(ByteView(rebasing: url[start..<end]))
    else { return false }
    output.append(scheme)
    for byte in url[start..<end] { output.append(byte &- 0x41 < 26 ? byte | 0x20 : byte) }
    if end == url.count || url[end] != 0x2F { output.append(UInt8(ascii: "/")) }
    appendTail(ByteView(rebasing: url[end...]), to: &output)
    return true
  }

  /// Path, query and fragment.
  private static func appendTail(_ tail: ByteView, to output: inout ByteBuffer) {
    var isInFragment = false
    for (offset, byte) in tail.enumerated() {
      switch byte {
      case UInt8(ascii: "#") where !isInFragment:
        isInFragment = true
        output.append(byte)
      case UInt8(ascii: "%") where offset + 2 < tail.count && isHex(tail[offset + 1]) && isHex(tail[offset + 2]):
        output.append(byte)
      case let byte where isURLCharacter(byte): output.append(byte)
      default: output.append(percentEncoded: byte)
      }
    }
  }

  private static func isHex(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 6 }

  /// The ASCII characters of RFC 3986 that may stand in paths, queries and fragments.
  private static func isURLCharacter(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "!"), UInt8(ascii: "$"), 0x26...0x2F,
      UInt8(ascii: ":"), UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "?"), UInt8(ascii: "@"),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      true
    default: false
    }
  }
}

/// The host and port of a web address.
private enum HostName {
  /// Whether it is a name, an IPv4 or an IPv6 address, with or without a port, and has no user name.
  static func isValid(_ authority: ByteView) -> Bool {
    var host = authority[...]
    if host.first == UInt8(ascii: "[") {
      guard let end = host.lastIndex(of: UInt8(ascii: "]")) else { return false }
      guard isPort(host[(end + 1)...]) else { return false }
      let inside = host[1..<end]
      return inside.count > 1 && inside.contains(UInt8(ascii: ":"))
        && inside.allSatisfy { $0 &- 0x30 < 10 || ($0 | 0x20) &- 0x61 < 6 || $0 == UInt8(ascii: ":") }
    }
    if let colon = host.firstIndex(of: UInt8(ascii: ":")) {
      guard isPort(host[colon...]) else { return false }
      host = host[..<colon]
    }
    guard !host.isEmpty, host.count <= 253, host.allSatisfy(isNameByte), areLetters(host) else { return false }
    let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.allSatisfy({ !$0.isEmpty && $0.count <= 63 }), let last = labels.last else { return false }
    // A host whose last part is a number is read as an IPv4 address (WHATWG URL §3.5).
    guard last.allSatisfy({ $0 &- 0x30 < 10 }) else { return !last.starts(with: "0x".utf8) }
    return labels.count == 4
      && labels.allSatisfy { label in
        label.count <= 3 && label.allSatisfy { $0 &- 0x30 < 10 } && label.reduce(0) { $0 * 10 + Int($1 - 0x30) } < 256
      }
  }

  private static func isPort(_ text: Slice<ByteView>) -> Bool {
    guard let colon = text.first else { return true }
    let digits = text.dropFirst()
    return colon == UInt8(ascii: ":") && digits.count <= 5 && digits.allSatisfy { $0 &- 0x30 < 10 }
      && digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } < 65_536
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    byte &- 0x30 < 10 || (byte | 0x20) &- 0x61 < 26 || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
      || byte == UInt8(ascii: "_") || byte >= 0x80
  }

  /// Whether all that is not ASCII is letters, digits or marks on them: no dots, spaces or slashes of other scripts.
  private static func areLetters(_ host: Slice<ByteView>) -> Bool {
    let bytes = ByteView(rebasing: host)
    var offset = 0
    while offset < bytes.count {
      let scalar = decodeScalar(bytes, at: offset)
      offset += scalar.length
      if scalar.value < 0x80 { continue }
      guard scalar.value != 0xFFFD, let scalar = Unicode.Scalar(scalar.value) else { return false }
      switch scalar.properties.generalCategory {
      case .uppercaseLetter, .lowercaseLetter, .otherLetter, .decimalNumber, .nonspacingMark, .spacingMark: continue
      default: return false
      }
    }
    return true
  }
}

extension ByteView {
  /// Whether the bytes begin with ASCII text, in whatever case its letters are.
  fileprivate func hasPrefix(ignoringCase text: StaticString) -> Bool {
    guard count > text.utf8CodeUnitCount else { return false }
    return (0..<text.utf8CodeUnitCount).allSatisfy { index in
      let wanted = text.utf8Start[index]
      return self[index] == wanted || wanted &- 0x61 < 26 && self[index] | 0x20 == wanted
    }
  }
}

extension ByteBuffer {
  /// Appends `%2F`.
  mutating func append(percentEncoded byte: UInt8) {
    append(UInt8(ascii: "%"))
    append(hex: byte)
  }
}
