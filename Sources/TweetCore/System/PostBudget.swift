/// A bound on the posts read a day, as `--budget` and the setting `budget` spell it.
package enum PostBudget: Sendable, Equatable {
  case perDay(Int)
  case unlimited

  /// `5000/day`, `5000`, `unlimited`; `nil` for anything else.
  package init?(_ text: String) {
    if text == "unlimited" {
      self = .unlimited
    } else {
      let number = text.hasSuffix("/day") ? text.dropLast(4) : text[...]
      // Digits alone: no sign. Twelve of them are more than anybody can pay for.
      guard number.count <= 12, number.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
        let posts = Int(number), posts > 0
      else { return nil }
      self = .perDay(posts)
    }
  }
}
