/// Guesses the language of a text by its script. That is enough for a test service, whose Latin posts are English.
enum Language {
  /// A language tag as X writes it (Hebrew is `iw` there), `und` for a text without letters.
  static func guess(_ text: String) -> String {
    var counts: [String: Int] = [:]
    // Links and names are Latin in every language.
    let words = text.split(separator: " ").filter { !$0.contains("://") && !$0.hasPrefix("@") && !$0.hasPrefix("#") }
    for scalar in words.joined(separator: " ").unicodeScalars {
      if let tag = tag(scalar) { counts[tag, default: 0] += 1 }
    }
    // Kana tells Japanese from Chinese, even among many Han characters.
    if counts["ja"] != nil { return "ja" }
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key ?? "und"
  }

  /// A tag as X writes it, as the standard and other services do; `nil` for no language.
  static func standard(_ tag: String) -> String? { tag == "und" ? nil : tag == "iw" ? "he" : tag }

  /// A tag as others write it, as X does.
  static func stored(_ tag: String) -> String { tag == "he" ? "iw" : tag }

  private static func tag(_ scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x3040...0x30FF: "ja"
    case 0x3400...0x9FFF: "zh"
    case 0xAC00...0xD7AF: "ko"
    case 0x0590...0x05FF: "iw"
    case 0x0600...0x06FF: "ar"
    case 0x0900...0x097F: "hi"
    case 0x0400...0x04FF: "ru"
    case 0x0370...0x03FF: "el"
    default: scalar.properties.isAlphabetic && scalar.value < 0x250 ? "en" : nil
    }
  }
}
