/// A bound on the posts read a day, in the form that `--budget` and the setting `budget` take.
package enum PostBudget: Sendable, Equatable {
  case perDay(Int)
  case unlimited

  /// Parses `5000/day`, `5000` or `unlimited`; `nil` for anything else.
  package init?(_ text: String) {
    if text == "unlimited" {
      self = .unlimited
    } else {
      let number = text.hasSuffix("/day") ? text.dropLast(4) : text[...]
      // Only digits, no sign. Nobody can pay for more than twelve of them.
      guard number.count <= 12, number.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let posts = Int(number), posts > 0
      else { return nil }
      self = .perDay(posts)
    }
  }
}
