// Half of the fuzzer's mutations change whole JSON values, as bytes changed at random seldom leave JSON behind: a value
// becomes one of another kind or a copy of another one, or goes with its key.

import TestNumbers
import TweetCore

@_silgen_name("LLVMFuzzerMutate")
private func mutateBytes(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int) -> Int

@_cdecl("LLVMFuzzerCustomMutator")
public func mutate(_ data: UnsafeMutablePointer<UInt8>, _ size: Int, _ limit: Int, _ seed: UInt32) -> Int {
  var chance = Chance(seed: UInt64(seed) | 1 << 40)
  if FuzzTarget.chosen?.isJSON != true || chance.below(2) == 0 { return mutateBytes(data, size, limit) }
  let input = Array(ByteView(start: data, count: size))
  guard let changed = ValueMutator(input).change(&chance), changed.count <= limit else {
    return mutateBytes(data, size, limit)
  }
  for (place, byte) in changed.enumerated() { data[place] = byte }
  return changed.count
}

/// Where the values of some JSON text are, found without minding whether it is JSON.
private struct ValueMutator {
  private let input: [UInt8]
  /// Keys among them: a string is a value here wherever it stands.
  private var values: [Range<Int>] = []

  private static let others = [
    "null", "true", "0", "-1", "1e999", "18446744073709551616", "\"\"", "\"0\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"",
    "\"a&amp;b #c @d https://e.fr\"", "[]", "{}", "[null]", "[[]]", "[{}]", "{\"id\":\"1\"}", "{\"\":[]}",
  ]

  init(_ input: [UInt8]) {
    self.input = input
    var open: [Int] = []
    var at = 0
    while at < input.count {
      let from = at
      at += 1
      switch input[from] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): open.append(from)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if let start = open.popLast() { values.append(start..<at) }
      case UInt8(ascii: "\""):
        while at < input.count, input[at] != UInt8(ascii: "\"") { at += input[at] == UInt8(ascii: "\\") ? 2 : 1 }
        at = min(at + 1, input.count)
        values.append(from..<at)
      case let byte where Self.isWord(byte):
        while at < input.count, Self.isWord(input[at]) { at += 1 }
        values.append(from..<at)
      default: break
      }
    }
  }

  private static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
      UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "E"):
      true
    default: false
    }
  }

  func change(_ chance: inout Chance) -> [UInt8]? {
    guard !values.isEmpty else { return nil }
    var place = values[chance.below(values.count)]
    let other: [UInt8]
    switch chance.below(4) {
    case 0:
      place = member(around: place)
      other = []
    case 1: other = Array(input[values[chance.below(values.count)]])
    default: other = Array(Self.others[chance.below(Self.others.count)].utf8)
    }
    return input[..<place.lowerBound] + other + input[place.upperBound...]
  }

  /// The value with its key and one comma, so that JSON is left.
  private func member(around value: Range<Int>) -> Range<Int> {
    var start = value.lowerBound
    if start > 0, input[start - 1] == UInt8(ascii: ":") {
      start = values.last { $0.upperBound == start - 1 }?.lowerBound ?? start
    }
    if value.upperBound < input.count, input[value.upperBound] == UInt8(ascii: ",") {
      return start..<value.upperBound + 1
    }
    if start > 0, input[start - 1] == UInt8(ascii: ",") { start -= 1 }
    return start..<value.upperBound
  }
}
