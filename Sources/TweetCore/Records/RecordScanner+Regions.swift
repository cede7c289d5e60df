import Libc

/// How much of the bytes at hand is indexed at once, and how a part that fails is taken apart.
extension RecordScanner {
  /// Sets `regionEnd` behind the last newline at hand, where no valid document has a token in two; behind everything
  /// when the input has ended. False when there is nothing new to try.
  mutating func findRegion() -> Bool {
    removeGuard()
    if piecewiseEnd > start {
      regionEnd = pieceEnd(from: start, limit: piecewiseEnd)
      return true
    }
    if ended {
      regionEnd = end
      return end > start
    }
    if let found = last(0x0A, from: searched) { newlineEnd = found + 1 }
    searched = end
    regionEnd = max(start, newlineEnd)
    if regionEnd == start, end - start >= min(Self.readSize, maxRecord) { regionEnd = bracketEnd() }
    return regionEnd > start && (triedWith == 0 || isWorthRetry())
  }

  /// Behind the last closing bracket at hand, for long lines: an array on one line is gone through as it comes. The
  /// document that the cut may have gone through is tried again with more.
  private mutating func bracketEnd() -> Int {
    let first = max(start, searchedForBrackets)
    if let found = last(UInt8(ascii: "}"), from: first) { lastBracketEnd = found + 1 }
    searchedForBrackets = end
    return max(start, lastBracketEnd)
  }

  /// The last place of a byte in what is at hand from `first` on.
  private func last(_ byte: UInt8, from first: Int) -> Int? {
    let pattern = UInt64(byte) &* Self.ones
    var at = end
    while at - first >= 8 {
      // A byte that is zero makes its high bit, and no other below the first such one.
      let word = UnsafeRawPointer(base + at - 8).loadUnaligned(as: UInt64.self) ^ pattern
      if (word &- Self.ones) & ~word & (Self.ones << 7) != 0 { break }
      at -= 8
    }
    while at > first, base[at - 1] != byte { at -= 1 }
    return at > first ? at - 1 : nil
  }

  private static var ones: UInt64 { 0x0101_0101_0101_0101 }

  /// Puts a NUL behind a region that no newline ends, for the grammar to stop at.
  private mutating func setGuard() {
    guard regionEnd < end, base[regionEnd - 1] != 0x0A else { return }
    guarded = base[regionEnd]
    guardPlace = regionEnd
    base[regionEnd] = 0
  }

  /// Puts the byte back.
  mutating func removeGuard() {
    if guardPlace >= 0 { base[guardPlace] = guarded }
    guardPlace = -1
  }

  /// An incomplete document is tried again when half as much again has come, or when what has come looks like its end: so
  /// a short one does not wait. All looks at such ends together go over a few times the document's length at most,
  /// whatever the pieces are that it comes in.
  private func isWorthRetry() -> Bool {
    let held = regionEnd - start
    if held <= triedWith { return false }
    // Another one, too, before it is given up as too large.
    if held >= triedWith + triedWith / 2 || end - start > maxRecord { return true }
    if triedInAll > max(Self.freeTries, held * Self.triesOfLength) { return false }
    let first = max(start, regionEnd - Self.endLength)
    var at = regionEnd
    while at > first, base[at - 1] <= 0x20 { at -= 1 }
    return at > first && (base[at - 1] == UInt8(ascii: "}") || base[at - 1] == UInt8(ascii: "]"))
  }

  /// So many bytes are gone over in some 10 ms. A short document never comes to that; for a longer one it is less than a
  /// microsecond for each of its bytes.
  private static var freeTries: Int { 16 << 20 }
  private static var triesOfLength: Int { 8 }
  /// A document's closing bracket is looked for in so many last bytes: a line break and some spaces may follow it.
  private static var endLength: Int { 16 }

  /// Gives up the document at hand until there is more of it.
  mutating func waitForMore() {
    triedWith = regionEnd - start
    triedInAll += triedWith
    piecewiseEnd = start
    regionEnd = start
  }

  /// Indexes the region. When it fails as a whole it is gone through a piece at a time.
  mutating func indexRegion() -> Step? {
    skipPreamble()
    regionStart = start
    place = 0
    let length = regionEnd - start - (regionEnd > start && base[regionEnd - 1] == 0x0A ? 1 : 0)
    // The newline, the NUL or the padding behind the text ends every grammar state that expects more.
    setGuard()
    switch index.build(base + start, count: length) {
    case nil: return nil
    case .empty:
      skip(to: regionEnd)
      return nil
    case .some(let fault):
      removeGuard()
      // The cut of a long line may have gone through a text: with more at hand it will be elsewhere.
      if !ended, piecewiseEnd <= start, base[regionEnd - 1] != 0x0A {
        waitForMore()
        return .needsInput
      }
      if piecewiseEnd > start {
        return waitsForEnd() ? .needsInput : bad(fault.reason)
      }
      piecewiseEnd = regionEnd
      regionEnd = start
      return nil
    }
  }

  /// Some editors and Windows' redirection put U+FEFF before the first byte; X's archives are scripts, whose files start
  /// like `window.YTD.tweets.part0 = `.
  private mutating func skipPreamble() {
    guard !isBegun else { return }
    isBegun = true
    if end - start >= 3, base[start] == 0xEF, base[start + 1] == 0xBB, base[start + 2] == 0xBF { start += 3 }
    var at = start
    while at < min(end, start + 256), isAssignment(base[at]) { at += 1 }
    if at > start, at < end, base[at] == UInt8(ascii: "=") { start = at + 1 }
  }

  /// The characters of a dotted name in a script, and the space behind it.
  private func isAssignment(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: " "), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  /// The end of the piece that starts at `from`: a bracket or comma between documents by itself; the bracket that closes
  /// an object which spans lines, told by its indentation; else the next line that does not look like the middle of a
  /// document.
  func pieceEnd(from: Int, limit: Int) -> Int {
    var first = from
    while first < limit, isSpace(base[first]) { first += 1 }
    guard first < limit else { return limit }
    switch base[first] {
    case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: ","): return first + 1
    default: break
    }
    let isObject = base[first] == UInt8(ascii: "{")
    let indent = indent(ofLineAt: first)
    var at = first
    while at < limit {
      guard let newline = memchr(base + at, 0x0A, limit - at) else { return limit }
      at = newline.assumingMemoryBound(to: UInt8.self) - base + 1
      var text = at
      while text < limit, base[text] == 0x20 || base[text] == 0x09 { text += 1 }
      if isObject, text < limit, base[text] == UInt8(ascii: "}"), text - at <= indent { return text + 1 }
      if at < limit, !continuesDocument(base[at]) { return at }
    }
    return limit
  }

  /// Whether a bad piece is an object whose end may still come: then it waits for more, so that what belongs to it is not
  /// taken for a piece of its own.
  mutating func waitsForEnd() -> Bool {
    guard !ended, regionEnd == piecewiseEnd, isSpace(base[start]) || base[start] == UInt8(ascii: "{"),
      regionEnd - start < maxRecord, base[regionEnd - 1] == 0x0A
    else { return false }
    waitForMore()
    return true
  }

  /// JSON's white space.
  func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
  }

  /// How much white space the line starts with that a byte stands on.
  private func indent(ofLineAt place: Int) -> Int {
    var lineStart = place
    while lineStart > 0, base[lineStart - 1] != 0x0A { lineStart -= 1 }
    var text = lineStart
    while text < place, base[text] == 0x20 || base[text] == 0x09 { text += 1 }
    return text - lineStart
  }

  /// Pretty-printed documents go on with indented lines and closing brackets.
  private func continuesDocument(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x20, 0x09, UInt8(ascii: "}"), UInt8(ascii: "]"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""):
      true
    default: false
    }
  }
}
