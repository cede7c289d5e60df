/// A class of numbers that a language counts alike (UTS 35, Language Plural Rules).
enum PluralCategory: String {
  case zero, one, two, few, many, other
}

/// A text in the forms that it has with different numbers.
struct PluralForms {
  private var special: [(category: PluralCategory, text: [UInt8])] = []
  private var other: [UInt8] = []

  /// - Parameter text: `one=…|few=…|…`, the last for all other numbers.
  init(_ text: some Collection<UInt8>) {
    for form in text.split(separator: UInt8(ascii: "|")) {
      if let sign = form.firstIndex(of: UInt8(ascii: "=")),
        let category = PluralCategory(rawValue: String(decoding: form[..<sign], as: UTF8.self))
      {
        special.append((category, Array(form[form.index(after: sign)...])))
      } else {
        other = Array(form)
      }
    }
  }

  /// The form for numbers of a category.
  subscript(category: PluralCategory) -> [UInt8] {
    special.first { $0.category == category }?.text ?? other
  }
}
