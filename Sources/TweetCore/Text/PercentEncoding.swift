/// Percent-encoding as RFC 3986 §2.1 defines it, in the one spelling that OAuth signs (RFC 5849 §3.6).
package enum PercentEncoding {
  /// Encodes every byte of the text's UTF-8 except `A-Za-z0-9-._~`, with upper-case hexadecimal digits: for a value in
  /// a query, a form or a path.
  package static func encode(_ text: String) -> String {
    var encoded = ""
    for byte in text.utf8 {
      if isUnreserved(byte) {
        encoded.unicodeScalars.append(Unicode.Scalar(byte))
      } else {
        encoded += byte < 16 ? "%0" : "%"
        encoded += String(byte, radix: 16, uppercase: true)
      }
    }
    return encoded
  }

  /// Whether a byte may stand in an address as it is, wherever it stands (RFC 3986 §2.3).
  package static func isUnreserved(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "-._~".utf8.contains(byte)
  }

  /// Decodes `%XX`; bytes that are not UTF-8 become U+FFFD, and a `%` without two digits stays.
  ///
  /// - Parameter form: whether `+` is a space, as in forms and queries (application/x-www-form-urlencoded).
  package static func decode(_ text: some StringProtocol, form: Bool = false) -> String {
    var bytes: [UInt8] = []
    let encoded = Array(text.utf8)
    var at = 0
    while at < encoded.count {
      let byte = encoded[at]
      if byte == UInt8(ascii: "%"), at + 2 < encoded.count, let high = digit(encoded[at + 1]),
        let low = digit(encoded[at + 2])
      {
        bytes.append(high << 4 | low)
        at += 3
        continue
      }
      bytes.append(form && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
      at += 1
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Decodes the pairs `name=value` of a form or a query; a pair without `=` has an empty value.
  package static func pairs(_ text: some StringProtocol) -> [(name: String, value: String)] {
    text.split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return (decode(parts[0], form: true), parts.count > 1 ? decode(parts[1], form: true) : "")
    }
  }

  /// Encodes pairs as a form or a query.
  package static func form(_ pairs: [(String, String)]) -> String {
    pairs.map { "\(encode($0))=\(encode($1))" }.joined(separator: "&")
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}
