/// An amount of US dollars, never below zero.
package struct Money: Sendable, Hashable, Comparable {
  /// Millionths of a dollar. The largest number stands for all that are larger.
  package let millionths: Int

  package init(millionths: Int) { self.millionths = max(0, millionths) }

  /// Parses `5`, `0.50` or `.005`: digits with at most six after the point; `nil` for anything else.
  package init?(dollars text: some StringProtocol) {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let whole = parts[0]
    let rest = parts.count > 1 ? String(parts[1]) : "0"
    // Nobody can pay for more than nine digits.
    guard !(whole + rest).isEmpty, !rest.isEmpty, whole.utf8.count <= 9, rest.utf8.count <= 6,
      (whole + rest).utf8.allSatisfy(\.isASCIIDigit),
      let fraction = Int(rest + String(repeating: "0", count: 6 - rest.utf8.count))
    else { return nil }
    self.init(millionths: (Int(whole) ?? 0) * 1_000_000 + fraction)
  }

  package static let zero = Money(millionths: 0)

  package static func < (one: Money, other: Money) -> Bool { one.millionths < other.millionths }

  package static func + (one: Money, other: Money) -> Money {
    let (sum, isTooLarge) = one.millionths.addingReportingOverflow(other.millionths)
    return Money(millionths: isTooLarge ? .max : sum)
  }

  /// Nothing is left of less than what is taken away.
  package static func - (one: Money, other: Money) -> Money { Money(millionths: one.millionths - other.millionths) }

  package static func * (price: Money, count: Int) -> Money {
    let (product, isTooLarge) = price.millionths.multipliedReportingOverflow(by: max(0, count))
    return Money(millionths: isTooLarge ? .max : product)
  }

  /// `0.5`: dollars as a decimal number without needless zeros.
  package var decimal: String {
    let digits = String(millionths % 1_000_000)
    var fraction = String(repeating: "0", count: 6 - digits.utf8.count) + digits
    while fraction.hasSuffix("0") { fraction.removeLast() }
    return "\(millionths / 1_000_000)" + (fraction.isEmpty ? "" : ".\(fraction)")
  }

  /// `$5`, `$0.50`, `$0.005`, as people write it.
  package var text: String {
    let number = decimal
    guard let point = number.firstIndex(of: ".") else { return "$\(number)" }
    return number[point...].utf8.count == 2 ? "$\(number)0" : "$\(number)"
  }
}
