/// A text in Unicode's normalization form C, in which X counts it.
///
/// The standard library does the work, by a property that it has for itself and its tests. The only public way to it is
/// full Foundation (docs/decisions/unicode.md).
struct NormalizedText {
  private(set) var utf8: [UInt8]
  /// For each scalar of ``utf8``, how many scalars of the original text are left if this text is cut after it; a
  /// character that normalizing may have changed is not cut through. Empty if the original was normalized.
  private(set) var cuts: [Int] = []

  init(_ text: String) {
    utf8 = text._nfcCodeUnits
    if text.utf8.elementsEqual(utf8) { return }
    utf8.removeAll(keepingCapacity: true)
    var scalars = 0
    for character in text {
      let normalized = String(character)._nfcCodeUnits
      utf8 += normalized
      // Continuation bytes start no scalar.
      let count = normalized.count { $0 & 0xC0 != 0x80 }
      cuts.append(contentsOf: repeatElement(scalars, count: count - 1))
      scalars += character.unicodeScalars.count
      cuts.append(scalars)
    }
  }
}
