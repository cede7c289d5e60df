/// Titles of pages, as strangers wrote them.
enum PageTitle {
  /// In Unicode scalars; longer titles are cut.
  static let limit = 300

  /// The title on one line, without control characters, and bounded; `nil` if nothing is left.
  static func tidy(_ text: String, limit: Int = limit) -> String? {
    var result = String.UnicodeScalarView()
    var count = 0
    var isGap = false
    for scalar in text.unicodeScalars where count < limit {
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: isGap = count > 0
      case .surrogate, .privateUse, .unassigned: continue
      // What turns the order of the text around would also turn that of the lines in which a title is shown.
      case .format where isBidiControl(scalar): continue
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

  /// Unicode's property Bidi_Control (UAX #9 §2).
  static func isBidiControl(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
