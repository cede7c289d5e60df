import TweetCore

/// The limits of the domain name system, which hold for a name's encoded form.
enum HostName {
  /// The longest label, in bytes as it is looked up (RFC 1035).
  private static let longestLabel = 63

  /// How many characters a host takes in punycode (RFC 3492); `nil` when it cannot be a host: a label that is empty or
  /// too long, or one that says it is encoded and is not.
  static func encodedLength(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
    var length = 0
    var start = host.startIndex
    var place = start
    let text = host.base
    while true {
      let stop = place < host.endIndex ? fullStopLength(text, at: place) : 0
      guard stop > 0 || place == host.endIndex else {
        place += 1
        continue
      }
      guard let encoded = labelLength(UnsafeBufferPointer(rebasing: text[start..<place])) else { return nil }
      length += encoded
      if place == host.endIndex { return length }
      length += 1
      place += stop
      start = place
    }
  }

  /// How many bytes a full stop takes here, 0 when there is none. Three of other scripts part labels too (RFC 3490).
  private static func fullStopLength(_ text: UnsafeBufferPointer<UInt8>, at index: Int) -> Int {
    if text[index] == UInt8(ascii: ".") { return 1 }
    guard text[index] >= 0xE0 else { return 0 }
    switch decodeScalar(text, at: index).value {
    case 0x3002, 0xFF0E, 0xFF61: return 3
    default: return 0
    }
  }

  private static func labelLength(_ label: UnsafeBufferPointer<UInt8>) -> Int? {
    var length = label.count
    if label.contains(where: { $0 >= 0x80 }) {
      var scalars: [UInt32] = []
      var place = 0
      while place < label.count {
        let scalar = decodeScalar(label, at: place)
        // Every scalar takes one character at least.
        guard scalars.count < longestLabel else { return nil }
        scalars.append(scalar.value)
        place += scalar.length
      }
      if label.matches("xn--", at: 0) { return nil }
      length = 4 + punycodeLength(scalars)
    }
    return (1...longestLabel).contains(length) ? length : nil
  }

  /// How many digits and letters RFC 3492's encoder writes for a label.
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

  /// How many digits a number takes as a generalised variable-length integer of base 36.
  private static func digits(of number: Int, bias: Int) -> Int {
    var (rest, count, place) = (number, 1, 36)
    while true {
      let threshold = min(max(place - bias, 1), 26)
      if rest < threshold { return count }
      rest = (rest - threshold) / (36 - threshold)
      (count, place) = (count + 1, place + 36)
    }
  }

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
