/// Decodes percent escapes. A broken escape stays as it is; bytes that are not UTF-8 become U+FFFD.
func percentDecoded(_ text: Substring, plusIsSpace: Bool) -> String {
  let bytes = Array(text.utf8)
  var decoded: [UInt8] = []
  decoded.reserveCapacity(bytes.count)
  var at = 0
  while at < bytes.count {
    if bytes[at] == UInt8(ascii: "%"), at + 2 < bytes.count,
      let value = UInt8(String(decoding: bytes[at + 1...at + 2], as: UTF8.self), radix: 16)
    {
      decoded.append(value)
      at += 3
    } else {
      decoded.append(plusIsSpace && bytes[at] == UInt8(ascii: "+") ? UInt8(ascii: " ") : bytes[at])
      at += 1
    }
  }
  return String(decoding: decoded, as: UTF8.self)
}

/// All but RFC 3986's unreserved characters become percent escapes, with upper-case digits.
func percentEncoded(_ text: String) -> String {
  let digits = Array("0123456789ABCDEF")
  return text.utf8.reduce(into: "") { result, byte in
    if isUnreserved(byte) {
      result.unicodeScalars.append(Unicode.Scalar(byte))
    } else {
      result.append("%")
      result.append(digits[Int(byte >> 4)])
      result.append(digits[Int(byte & 15)])
    }
  }
}

/// Whether a byte may stand in an address as it is, wherever it stands (RFC 3986 §2.3).
func isUnreserved(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
    true
  default: false
  }
}
