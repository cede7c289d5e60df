import TweetCore

/// Hashtags, mentions and cashtags of one text.
struct TagScanner {
  private let text: UnsafeBufferPointer<UInt8>

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  // MARK: Hashtags

  func addHashtags(to found: inout [TextEntity]) {
    var place = 0
    // What a tag took is not there any more to stand before another.
    var free = 0
    while let sign = nextSign(UInt8(ascii: "#"), fullWidth: 0x83, from: place) {
      place = sign.upperBound
      guard mayPrecedeHashtag(sign.lowerBound, free: free), let end = hashtagEnd(from: place) else { continue }
      (place, free) = (end, end)
      if followed(at: end, by: ScalarSets.isHash) { continue }
      found.append(TextEntity(.hashtag, bytes: sign.lowerBound..<end, name: sign.upperBound..<end))
    }
  }

  private func mayPrecedeHashtag(_ index: Int, free: Int) -> Bool {
    if index == 0 { return true }
    guard index > free else { return false }
    let before = text.scalar(before: index).value
    // Variation selectors are marks, but they end an emoji.
    if before == 0xFE0E || before == 0xFE0F { return true }
    return before != 0x26 && ScalarSets.hashtagPart(before) == .none
  }

  /// The end of a tag whose sign ends at `start`; `nil` when there is none, or none with a letter in it.
  private func hashtagEnd(from start: Int) -> Int? {
    var place = start
    var hasLetter = false
    while place < text.count {
      let scalar = decodeScalar(text, at: place)
      // Behind the sign these make an emoji of it.
      if place == start, scalar.value == 0xFE0F || scalar.value == 0x20E3 { return nil }
      switch ScalarSets.hashtagPart(scalar.value) {
      case .letter: hasLetter = true
      case .other: break
      case .none: return hasLetter ? place : nil
      }
      place += scalar.length
    }
    return hasLetter ? place : nil
  }

  // MARK: Mentions

  func addMentions(to found: inout [TextEntity]) {
    var place = 0
    // The same holds here.
    var free = 0
    while let sign = nextSign(UInt8(ascii: "@"), fullWidth: 0xA0, from: place) {
      place = sign.upperBound
      guard mayPrecedeMention(sign.lowerBound, free: free), let mention = mention(sign) else { continue }
      (place, free) = (mention.bytes.upperBound, mention.bytes.upperBound)
      if isMentionBroken(at: place) { continue }
      found.append(mention)
    }
  }

  private func mayPrecedeMention(_ index: Int, free: Int) -> Bool {
    if index == 0 { return true }
    guard index > free else { return false }
    let before = text.scalar(before: index)
    switch before.value {
    case 0x21, 0x23, 0x24, 0x25, 0x26, 0x2A, 0x40, 0xFF20: return false
    case let value where !ScalarSets.isNameCharacter(value): return true
    default: break
    }
    // `RT@name` is the one word that may touch it, if it is a word.
    let word = index - 2
    guard word >= free, text.matches("rt", at: word) else { return false }
    if word == 0 { return true }
    guard word > free else { return false }
    switch text.scalar(before: word).value {
    case 0x2B, 0x7E, 0x2E, 0x2D: return false
    case let value: return !ScalarSets.isNameCharacter(value)
    }
  }

  /// The user or list behind a sign: a name of up to 20, a list's of up to 25 that starts with a letter.
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

  /// Whether what follows says that it was no mention but an address, a URL or a word with accents.
  private func isMentionBroken(at end: Int) -> Bool {
    followed(at: end) { ScalarSets.isAt($0) || ScalarSets.isLatinAccent($0) }
  }

  // MARK: Cashtags

  func addCashtags(to found: inout [TextEntity]) {
    for sign in text.indices where text[sign] == UInt8(ascii: "$") {
      if sign > 0 {
        let before = text.scalar(before: sign).value
        guard ScalarSets.isSpace(before) || ScalarSets.isDirectional(before) else { continue }
      }
      guard let end = cashtagEnd(from: sign + 1) else { continue }
      found.append(TextEntity(.cashtag, bytes: sign..<end, name: sign + 1..<end))
    }
  }

  /// Up to six letters, then perhaps a full stop or underscore and one or two more.
  private func cashtagEnd(from start: Int) -> Int? {
    let stem = lettersEnd(from: start)
    guard (1...6).contains(stem - start) else { return nil }
    if stem < text.count, text[stem] == UInt8(ascii: ".") || text[stem] == UInt8(ascii: "_") {
      let end = lettersEnd(from: stem + 1)
      if (1...2).contains(end - stem - 1), isCashtagOver(at: end) { return end }
    }
    return isCashtagOver(at: stem) ? stem : nil
  }

  private func lettersEnd(from start: Int) -> Int {
    var end = start
    while end < text.count, end - start < 7, ScalarSets.isLetter(text[end]) { end += 1 }
    return end
  }

  private func isCashtagOver(at end: Int) -> Bool {
    if end == text.count { return true }
    let next = decodeScalar(text, at: end).value
    return ScalarSets.isSpace(next) || ScalarSets.isPunctuation(next)
  }

  // MARK: Signs

  /// The next sign, plain or full-width: the latter are `EF BC` and `fullWidth`.
  private func nextSign(_ sign: UInt8, fullWidth: UInt8, from start: Int) -> Range<Int>? {
    var place = start
    while place < text.count {
      let byte = text[place]
      if byte == sign { return place..<place + 1 }
      if byte == 0xEF, place + 2 < text.count, text[place + 1] == 0xBC, text[place + 2] == fullWidth {
        return place..<place + 3
      }
      place += 1
    }
    return nil
  }

  /// Whether at `index` stands one of these, or `://`.
  private func followed(at index: Int, by isStop: (UInt32) -> Bool) -> Bool {
    guard index < text.count else { return false }
    return isStop(decodeScalar(text, at: index).value) || text.matches("://", at: index)
  }
}
