import Testing

@testable import TweetCore

struct RecentKeysTests {
  private func insert(_ number: Int, _ keys: inout RecentKeys) -> Bool {
    Array("\(number)".utf8).withBytes { keys.insert($0) }
  }

  @Test func remembersTheLastAndForgetsTheFirst() {
    var keys = RecentKeys(capacity: 100)
    for number in 0..<1000 {
      #expect(insert(number, &keys))
      for recent in max(0, number - 99)...number { #expect(!insert(recent, &keys), "\(recent) after \(number)") }
    }
    #expect(insert(0, &keys))
  }

  @Test func numbersAreRememberedWithoutBeingInserted() {
    var keys = RecentKeys(capacity: 2)
    #expect(!keys.contains(1))
    for number in 1...3 { #expect(keys.insert(number) && keys.contains(number)) }
    #expect(keys.contains(2) && !keys.insert(2))
  }

  /// The largest of all comes again when the set that it was in is full.
  @Test func theLargestIsRememberedToo() {
    var keys = RecentKeys(capacity: 2)
    #expect(keys.insert(1) && keys.insert(2))
    #expect(!keys.insert(2) && !keys.insert(1))
  }

  /// One that comes again and again is never forgotten, however many others come between.
  @Test func keepsWhatIsSeenOften() {
    var keys = RecentKeys(capacity: 100)
    #expect(insert(-1, &keys))
    for number in 0..<10_000 {
      #expect(insert(number, &keys))
      if number % 50 == 0 { #expect(!insert(-1, &keys)) }
    }
  }
}
