import TweetCore

/// Finds the hashtags, mentions and cashtags of one text.
struct TagScanner {
  private let text: ByteView

  init(_ text: ByteView) {
    self.text = text
  }

  // MARK: Hashtags

  func appendHashtags(to found: inout [TextEntity]) {
    var offset = 0
    // A scalar of one match cannot be the one that must stand before the next.
    var matchEnd = 0
    while let sign = nextSign(UInt8(ascii: "#"), fullWidth: 0x83, from: offset) {
      offset = sign.upperBound
      guard mayStartHashtag(at: sign.lowerBound, matchEnd: matchEnd), let end = hashtagEnd(from: offset) else {
        continue
      }
      (offset, matchEnd) = (end, end)
      if followed(at: end, by: ScalarSets.isHash) { continue }
      found.append(TextEntity(.hashtag, bytes: sign.lowerBound..<end, name: sign.upperBound..<end))
    }
  }

  /// Whether what is before the sign at `index` lets a hashtag start there.
  private func mayStartHashtag(at index: Int, matchEnd: Int) -> Bool {
    if index == 0 { return true }
    guard index > matchEnd else { return false }
    let before = text.scalar(before: index).value
    // Variation selectors are marks, but they end an emoji.
    if before == 0xFE0E || before == 0xFE0F { return true }
    return before != 0x26 && ScalarSets.hashtagPart(before) == .none
  }

  /// The end of a tag whose sign ends at `start`; `nil` if it has no letter.
  private func hashtagEnd(from start: Int) -> Int? {
    var offset = start
    var hasLetter = false
    while offset < text.count {
      let scalar = decodeScalar(text, at: offset)
      // After the sign these make an emoji with it.
      if offset == start, scalar.value == 0xFE0F || scalar.value == 0x20E3 { return nil }
      switch ScalarSets.hashtagPart(scalar.value) {
      case .letter: hasLetter = true
      case .other: break
      case .none: return hasLetter ? offset : nil
      }
      offset += scalar.length
    }
    return hasLetter ? offset : nil
  }

  // MARK: Mentions

  func appendMentions(to found: inout [TextEntity]) {
    var offset = 0
    var matchEnd = 0
    while let sign = nextSign(UInt8(ascii: "@"), fullWidth: 0xA0, from: offset) {
      offset = sign.upperBound
      guard mayStartMention(at: sign.lowerBound, matchEnd: matchEnd), let mention = mention(sign) else {
        continue
      }
      (offset, matchEnd) = (mention.bytes.upperBound, mention.bytes.upperBound)
      if isNoMention(endingAt: offset) { continue }
      found.append(mention)
    }
  }

  /// Whether what is before the sign at `index` lets a mention start there.
  private func mayStartMention(at index: Int, matchEnd: Int) -> Bool {
    if index == 0 { return true }
    guard index > matchEnd else { return false }
    let before = text.scalar(before: index)
    switch before.value {
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x2A, 0x40, 0xFF20: return false
    case let value where !ScalarSets.isNameCharacter(value): return true
    default: break
    }
    // The only letters that may touch the sign are "RT", as a word of their own.
    let word = index - 2
    guard word >= matchEnd, text.matches("rt", at: word) else { return false }
    if word == 0 { return true }
    guard word > matchEnd else { return false }
    switch text.scalar(before: word).value {
    case 0x2B, 0x7E, 0x2E, 0x2D: return false
    case let value: return !ScalarSets.isNameCharacter(value)
    }
  }

  /// The user or list after a sign. A user's name has up to 20 characters, a list's up to 25, the first a letter.
  private func mention(_ sign: Range<Int>) -> TextEntity? {
    let end = nameEnd(from: sign.upperBound)
    guard end > sign.upperBound else { return nil }
    let name = sign.upperBound..<end
    guard end + 1 < text.count, text[end] == UInt8(ascii: "/"), ScalarSets.isLetter(text[end + 1]) else {
      return TextEntity(.mention, bytes: sign.lowerBound..<end, name: name)
    }
    var listEnd = end + 2
    while listEnd < text.count, listEnd < end + 26,
      ScalarSets.isNameCharacter(UInt32(text[listEnd])) || text[listEnd] == UInt8(ascii: "-")
    {
      listEnd += 1
    }
    return TextEntity(.list, bytes: sign.lowerBound..<listEnd, name: name)
  }

  private func nameEnd(from start: Int) -> Int {
    var end = start
    while end < text.count, end < start + 20, ScalarSets.isNameCharacter(UInt32(text[end])) { end += 1 }
    return end
  }

  /// Whether what follows shows that it is not a mention but a mail address, a URL or a word with accents.
  private func isNoMention(endingAt end: Int) -> Bool {
    followed(at: end) { ScalarSets.isAt($0) || ScalarSets.isLatinAccent($0) }
  }

  // MARK: Cashtags

  func appendCashtags(to found: inout [TextEntity]) {
    for sign in text.indices where text[sign] == UInt8(ascii: "$") {
      if sign > 0 {
        let before = text.scalar(before: sign).value
        guard ScalarSets.isSpace(before) || ScalarSets.isDirectional(before) else { continue }
      }
      guard let end = cashtagEnd(from: sign + 1) else { continue }
      found.append(TextEntity(.cashtag, bytes: sign..<end, name: sign + 1..<end))
    }
  }

  /// The end of a symbol: up to six letters, and possibly a full stop or underscore and one or two letters more.
  private func cashtagEnd(from start: Int) -> Int? {
    let stem = lettersEnd(from: start)
    guard (1...6).contains(stem - start) else { return nil }
    if stem < text.count, text[stem] == UInt8(ascii: ".") || text[stem] == UInt8(ascii: "_") {
      let end = lettersEnd(from: stem + 1)
      if (1...2).contains(end - stem - 1), mayEndCashtag(at: end) { return end }
    }
    return mayEndCashtag(at: stem) ? stem : nil
  }

  private func lettersEnd(from start: Int) -> Int {
    var end = start
    while end < text.count, end - start < 7, ScalarSets.isLetter(text[end]) { end += 1 }
    return end
  }

  private func mayEndCashtag(at end: Int) -> Bool {
    if end == text.count { return true }
    let next = decodeScalar(text, at: end).value
    return ScalarSets.isSpace(next) || ScalarSets.isPunctuation(next)
  }

  // MARK: Signs

  /// The next sign, in ASCII or full-width: the latter has the bytes `EF BC` and `fullWidth`.
  private func nextSign(_ sign: UInt8, fullWidth: UInt8, from start: Int) -> Range<Int>? {
    var offset = start
    while offset < text.count {
      let byte = text[offset]
      if byte == sign { return offset..<offset + 1 }
      if byte == 0xEF, offset + 2 < text.count, text[offset + 1] == 0xBC, text[offset + 2] == fullWidth {
        return offset..<offset + 3
      }
      offset += 1
    }
    return nil
  }

  /// Whether one of these scalars is at `index`, or `://`.
  private func followed(at index: Int, by isStop: (UInt32) -> Bool) -> Bool {
    guard index < text.count else { return false }
    return isStop(decodeScalar(text, at: index).value) || text.matches("://", at: index)
  }
}
