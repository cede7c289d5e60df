import Libc

/// Random numbers that a seed repeats (SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number
/// generators", 2014).
package struct Chance: RandomNumberGenerator, Sendable {
  /// The seed of the whole run: `$TW_TEST_SEED`, else a new one, which is printed when a test first asks for it.
  package static let runSeed: UInt64 = {
    if let text = getenv("TW_TEST_SEED"), let seed = UInt64(String(cString: text)) { return seed }
    let seed = UInt64.random(in: 1...999_999_999)
    let line = "chance: TW_TEST_SEED=\(seed) brings the same numbers again\n"
    _ = line.withCString { write(2, $0, strlen($0)) }
    return seed
  }()

  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  /// The numbers of one test: they follow from the run's seed and the test's name, whichever tests run besides.
  package init(of test: String = #function, in file: String = #fileID) {
    // FNV-1a.
    let name = (file + test).utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    self.init(seed: Self.runSeed ^ name)
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  package mutating func number(in range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// A number from 0 up to, not including, `limit`.
  package mutating func below(_ limit: Int) -> Int { number(in: 0...limit - 1) }
}

extension Chance {
  /// Waits up to this many microseconds.
  package mutating func pause(upTo microseconds: Int) { usleep(UInt32(number(in: 0...microseconds))) }
}
