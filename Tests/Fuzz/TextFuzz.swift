import TweetCore
import TweetDisplay
import TwitterText

// Texts of strangers: what is found in them, and how they are shown.
extension FuzzTarget {
  /// Entities are parts of the text, in order, their names inside them and their offsets scalars of it; a text's part
  /// that could be posted is a part of it.
  static let entities = FuzzTarget(name: "entities") { input in
    input.withBytes { bytes in
      var end = 0
      for entity in TextEntities.find(in: bytes) {
        require(entity.bytes.lowerBound >= end && entity.bytes.upperBound <= bytes.count, "out of order: \(entity)")
        require(!entity.name.isEmpty && entity.name.clamped(to: entity.bytes) == entity.name, "its name: \(entity)")
        let before = bytes.prefix(entity.bytes.lowerBound).count { $0 & 0xC0 != 0x80 }
        let inside = bytes[entity.bytes].count { $0 & 0xC0 != 0x80 }
        require((entity.start, entity.end) == (before, before + inside), "its offsets: \(entity)")
        end = entity.bytes.upperBound
      }
    }
    let text = String(decoding: input, as: UTF8.self)
    for limits in [LengthLimits.v1, .v2, .v3] {
      let length = WeightedLength(text, limits: limits)
      require(length.weightedLength >= 0 && length.validRange.lowerBound == 0, "\(length)")
      require(length.validRange.upperBound <= text.unicodeScalars.count, "more than the text: \(length)")
      if length.isValid { require(length.validRange.upperBound == text.unicodeScalars.count, "less: \(length)") }
    }
  }

  /// What a terminal answers means the same, in whatever pieces it comes.
  static let terminals = FuzzTarget(name: "terminals") { input in
    var whole = TerminalAnswers()
    whole.append(input)
    // More than some kilobytes are no answer; of these only a part is looked at.
    if input.count > 4096 { return }
    var pieces = TerminalAnswers()
    for byte in input { pieces.append(CollectionOfOne(byte)) }
    require(pieces.isComplete == whole.isComplete && pieces.pictures == whole.pictures, "\(pieces) and \(whole)")
    require(pieces.cell == whole.cell, "\(pieces) and \(whole)")
  }

  /// Text is shown without control characters, in lines no wider than asked for, of which none is lost.
  static let display = FuzzTarget(name: "display") { input in
    let line = Printable.line(String(decoding: input, as: UTF8.self))
    require(line.unicodeScalars.allSatisfy { !isControl($0) }, "a control character in a message")
    var shown = ByteBuffer()
    input.withBytes { Printable.append($0, to: &shown, newline: "\n") }
    let text = shown.string
    require(Array(text.utf8) == shown.array, "what is shown is no UTF-8")
    require(text.unicodeScalars.allSatisfy { $0 == "\n" || !isControl($0) }, "a control character on the screen")
    var wrap = TextWrap()
    for width in [1, 7, 40] {
      shown.withBytes { bytes in
        require(wrap.wrap(bytes, width: width), "not all of it")
        var end = 0
        for line in wrap.lines {
          require(line.start >= end && line.end >= line.start && line.end <= bytes.count, "\(line) after \(end)")
          // What is left out between lines is their end, and the spaces before it.
          require(isSpace(bytes[end..<line.start]), "lost before \(line): \(Array(bytes[end..<line.start]))")
          let part = ByteView(rebasing: bytes[line.start..<line.end])
          let widest = DisplayWidth.widest(of: part)
          require(widest == line.width, "\(line) is up to \(widest) columns")
          // A letter, or an emoji of several, that is wider than the line stands alone.
          require(line.width <= width || DisplayWidth.of(part) <= 2, "\(line) is wider than \(width)")
          end = line.end
        }
        require(isSpace(bytes[end...]), "lost at the end")
      }
    }
    shown.withBytes { _ = Bidi.isRightToLeft($0) }
  }

  private static func isSpace(_ bytes: Slice<ByteView>) -> Bool {
    // With the marks and joiners that stand on a space.
    String(decoding: bytes, as: UTF8.self).unicodeScalars.allSatisfy {
      let category = $0.properties.generalCategory
      return $0.properties.isWhitespace || $0.properties.isGraphemeExtend || [.spacingMark, .format].contains(category)
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
  }

  /// A time that was read comes back from what is written of it; the quick way for usual times gives what the other
  /// does.
  static let times = FuzzTarget(name: "times") { input in
    input.withBytes { bytes in
      let time = Timestamp(ascii: bytes)
      if let usual = UsualTime(bytes) {
        var text = ByteBuffer()
        usual.append(to: &text)
        require(text.string == time?.rfc3339, "\(text.string) is not \(time?.rfc3339 ?? "a time")")
      }
      guard let time else { return }
      if (0...9999).contains(time.date.year) {
        require(Timestamp(parsing: time.rfc3339) == time, "\(time.rfc3339) is another time")
      }
      var text = ByteBuffer()
      for name in [nil, "de", "ar"] {
        let locale = ReaderLocale(name.flatMap { LocaleName($0) })
        for form in TimeForm.allCases {
          locale.append(time, as: form, now: Timestamp(milliseconds: 1_700_000_000_000), to: &text)
        }
        locale.appendFull(time, to: &text)
      }
    }
  }
}
