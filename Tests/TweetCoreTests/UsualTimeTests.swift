import Testing

@testable import TweetCore

/// The short way that times take must lead where the long one does.
struct UsualTimeTests {
  private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
  private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

  /// What `text` becomes the short way; `nil` where that is not for it.
  private func shortened(_ text: [UInt8]) -> String? {
    text.withBytes { bytes in
      guard let time = UsualTime(bytes) else { return nil }
      var out = ByteBuffer()
      time.append(to: &out)
      return out.string
    }
  }

  private func read(_ text: [UInt8]) -> String? {
    text.withBytes { Timestamp(ascii: $0)?.rfc3339 }
  }

  /// A moment of the day with this number in both of X's forms.
  private func forms(of day: Int) -> [[UInt8]] {
    let second = day * 7919 % 86_400
    let time = Timestamp(milliseconds: Int64(day * 86_400 + second) * 1000)
    let date = time.date
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let clock = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
    let named =
      "\(Self.weekdays[day % 7]) \(Self.months[date.month - 1]) \(two(date.day)) \(clock) +0000 \(date.year)"
    return [Array(time.rfc3339.utf8), Array(named.utf8)]
  }

  @Test func everyDayOfACenturyIsTheSame() {
    var others = 0
    for day in 10_957..<47_482 {
      for form in forms(of: day) {
        let short = shortened(form)
        if short == nil { others += 1 }
        #expect(short == nil || short == read(form))
      }
    }
    // The 25 leap days of 2000 to 2099, in both forms.
    #expect(others == 50)
  }

  @Test func noDamagedTimeIsTakenForAnother() {
    for form in forms(of: 18_934) + forms(of: 18_993) {
      for place in form.indices {
        for byte in UInt8(0)...UInt8(255) {
          var damaged = form
          damaged[place] = byte
          if let short = shortened(damaged) { #expect(short == read(damaged)) }
        }
      }
    }
  }
}
