/// Titles of pages, as strangers wrote them.
enum PageTitle {
  /// In Unicode scalars; longer titles are cut.
  static let limit = 300

  /// The title on one line, without control characters, and bounded; `nil` if nothing is left.
  static func tidy(_ text: String) -> String? {
    var result = String.UnicodeScalarView()
    var count = 0
    var isGap = false
    for scalar in text.unicodeScalars where count < limit {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: isGap = count > 0
      case .surrogate, .privateUse, .unassigned: continue
      default:
        if isGap, count + 2 > limit { return String(result) }
        if isGap { result.append(" ") }
        count += isGap ? 2 : 1
        isGap = false
        result.append(scalar)
      }
    }
    return result.isEmpty ? nil : String(result)
  }
}
