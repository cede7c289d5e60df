import TweetCore

/// The limits of the domain name system. They hold for the encoded form of a name.
enum HostName {
  /// The longest label, in bytes of its encoded form (RFC 1035).
  private static let longestLabel = 63

  /// How many characters a host has in punycode (RFC 3492). `nil` if it cannot be a host: if a label is empty or too
  /// long, or starts as if it were encoded (`xn--`) but has characters beyond ASCII.
  static func encodedLength(_ host: Slice<ByteView>) -> Int? {
    var length = 0
    var start = host.startIndex
    var offset = start
    let text = host.base
    while true {
      let stop = offset < host.endIndex ? fullStopLength(text, at: offset) : 0
      guard stop > 0 || offset == host.endIndex else {
        offset += 1
        continue
      }
      guard let encoded = labelLength(text.extracting(start..<offset)) else { return nil }
      length += encoded
      if offset == host.endIndex { return length }
      length += 1
      offset += stop
      start = offset
    }
  }

  /// How many bytes the full stop at `index` has; 0 if there is none. Labels are also parted by three full stops of
  /// other scripts (RFC 3490).
  private static func fullStopLength(_ text: ByteView, at index: Int) -> Int {
    if text[index] == UInt8(ascii: ".") { return 1 }
    guard text[index] >= 0xE0 else { return 0 }
    switch decodeScalar(text, at: index).value {
    case 0x3002, 0xFF0E, 0xFF61: return 3
    default: return 0
    }
  }

  private static func labelLength(_ label: ByteView) -> Int? {
    var length = label.count
    if label.contains(where: { $0 >= 0x80 }) {
      var scalars: [UInt32] = []
      var offset = 0
      while offset < label.count {
        let scalar = decodeScalar(label, at: offset)
        // Every scalar is encoded as one character at least.
        guard scalars.count < longestLabel else { return nil }
        scalars.append(scalar.value)
        offset += scalar.length
      }
      if label.matches("xn--", at: 0) { return nil }
      length = 4 + punycodeLength(scalars)
    }
    return (1...longestLabel).contains(length) ? length : nil
  }

  /// How many characters RFC 3492's encoder writes for a label, `xn--` not included.
  private static func punycodeLength(_ scalars: [UInt32]) -> Int {
    let basic = scalars.count { $0 < 0x80 }
    var length = basic > 0 ? basic + 1 : 0
    var (threshold, bias, handled) = (UInt32(0x80), 72, basic)
    var delta = 0
    while handled < scalars.count {
      let next = scalars.reduce(UInt32.max) { $1 >= threshold ? min($0, $1) : $0 }
      delta += Int(next - threshold) * (handled + 1)
      for scalar in scalars {
        if scalar < next { delta += 1 }
        guard scalar == next else { continue }
        length += digits(of: delta, bias: bias)
        bias = adapted(delta, points: handled + 1, isFirst: handled == basic)
        (delta, handled) = (0, handled + 1)
      }
      delta += 1
      threshold = next + 1
    }
    return length
  }

  /// How many digits a number has as a generalised variable-length integer of base 36 (RFC 3492, section 3.3).
  private static func digits(of number: Int, bias: Int) -> Int {
    var (rest, count, position) = (number, 1, 36)
    while true {
      let threshold = min(max(position - bias, 1), 26)
      if rest < threshold { return count }
      rest = (rest - threshold) / (36 - threshold)
      (count, position) = (count + 1, position + 36)
    }
  }

  /// The next bias (RFC 3492, section 6.1).
  private static func adapted(_ delta: Int, points: Int, isFirst: Bool) -> Int {
    var rest = delta / (isFirst ? 700 : 2)
    rest += rest / points
    var steps = 0
    while rest > 455 {
      rest /= 35
      steps += 36
    }
    return steps + 36 * rest / (rest + 38)
  }
}
