import Libc
import TweetCore

/// Finds the URLs of one text, in order.
///
/// Every URL has a domain and every domain a full stop, so the full stops are looked for and what is around them read:
/// text without one costs nothing more. Each byte is read a few times at most, whatever the text.
struct URLScanner {
  private let text: UnsafeBufferPointer<UInt8>
  /// Where the last match ended: nothing before it is read again.
  private var free = 0
  /// Where the next full stop is looked for.
  private var place = 0
  /// Up to here, no domain of more than one label before its top-level domain is left to be found.
  private var barren = 0
  /// Domains of a match without a protocol may be several; those still to be given, last first.
  private var pending: [TextEntity] = []

  init(_ text: UnsafeBufferPointer<UInt8>) {
    self.text = text
  }

  mutating func next() -> TextEntity? {
    while true {
      if let entity = pending.popLast() { return entity }
      guard let start = text.baseAddress, place < text.count,
        let found = memchr(start + place, Int32(UInt8(ascii: ".")), text.count - place)
      else { return nil }
      let dot = UnsafeRawPointer(found) - UnsafeRawPointer(start)
      place = dot + 1
      if let match = match(around: dot) {
        (free, place) = (match.end, match.end)
        collect(match)
      }
    }
  }

  // MARK: Matching

  /// What twitter-text's pattern for URLs takes in: not yet sure to be one.
  private struct Match {
    let start: Int
    /// Past the protocol.
    let domain: Range<Int>
    let hasPath: Bool
    let end: Int

    var hasProtocol: Bool { start < domain.lowerBound }
  }

  private mutating func match(around dot: Int) -> Match? {
    let label = labelStart(before: dot)
    guard label < dot, isLabelEdge(endingAt: dot) else { return nil }
    let domainEnds = domainEnds(from: dot)
    guard let widest = domainEnds.wide ?? domainEnds.narrow else { return nil }
    if let start = protocolStart(before: label), ScalarSets.isLabelCharacter(decodeScalar(text, at: label).value),
      domainEnds.wide != nil || !hasUnderscore(label..<dot)
    {
      return finish(start: start, domain: label..<widest)
    }
    // Only a label before others may hold underscores.
    var earliest = label
    if domainEnds.wide == nil, let underscore = text[label..<dot].lastIndex(of: UInt8(ascii: "_")) {
      earliest = underscore + 1
    }
    guard let start = bareStart(in: earliest..<dot) else { return nil }
    return finish(start: start, domain: start..<widest)
  }

  /// Where the run of label characters, hyphens and underscores before a full stop starts.
  private func labelStart(before dot: Int) -> Int {
    var start = dot
    while start > free {
      let before = text.scalar(before: start)
      guard isLabelPart(before.value) else { break }
      start = before.start
    }
    return start
  }

  private func isLabelPart(_ scalar: UInt32) -> Bool {
    ScalarSets.isLabelCharacter(scalar) || scalar == 0x2D || scalar == 0x5F
  }

  private func isLabelEdge(endingAt end: Int) -> Bool {
    ScalarSets.isLabelCharacter(text.scalar(before: end).value)
  }

  private func hasUnderscore(_ range: Range<Int>) -> Bool {
    text[range].contains(UInt8(ascii: "_"))
  }

  /// Where `http://` or `https://` before a domain starts, if it may start there.
  private func protocolStart(before domain: Int) -> Int? {
    for start in [domain - 7, domain - 8] where start >= free && mayStart(at: start) {
      if text.matches(start == domain - 7 ? "http://" : "https://", at: start) { return start }
    }
    return nil
  }

  /// Whether what stands before `index`, and was not taken by a match before, lets a URL start there.
  private func mayStart(at index: Int) -> Bool {
    if index == 0 { return true }
    return index > free && ScalarSets.mayPrecedeURL(text.scalar(before: index).value)
  }

  /// Where a domain without a protocol starts in the label before the first full stop: at the earliest place that may
  /// start one. At the text's start, what may stand before a URL is taken for that first.
  private func bareStart(in label: Range<Int>) -> Int? {
    var place = label.lowerBound
    if place == 0, let second = secondScalar(in: label) { return second }
    while place < label.upperBound {
      let scalar = decodeScalar(text, at: place)
      if ScalarSets.isLabelCharacter(scalar.value), mayStart(at: place) { return place }
      place += scalar.length
    }
    return nil
  }

  private func secondScalar(in label: Range<Int>) -> Int? {
    let first = decodeScalar(text, at: label.lowerBound)
    let second = label.lowerBound + first.length
    guard second < label.upperBound, ScalarSets.mayPrecedeURL(first.value),
      ScalarSets.isLabelCharacter(decodeScalar(text, at: second).value)
    else { return nil }
    return second
  }

  /// Where a domain whose first full stop is `dot` may end: with one label before its top-level domain, and with more,
  /// as many as there can be.
  private mutating func domainEnds(from dot: Int) -> (narrow: Int?, wide: Int?) {
    var label = dot + 1
    let narrow = TopLevelDomain.end(in: text, from: label)
    if dot < barren { return (narrow, nil) }
    var wide: Int?
    while true {
      var end = label
      var isPlain = true
      while end < text.count {
        let scalar = decodeScalar(text, at: end)
        guard isLabelPart(scalar.value) else { break }
        if scalar.value == 0x5F { isPlain = false }
        end += scalar.length
      }
      guard end > label, end < text.count, text[end] == UInt8(ascii: "."), isLabelEdge(endingAt: end),
        ScalarSets.isLabelCharacter(decodeScalar(text, at: label).value)
      else {
        if wide == nil { barren = end }
        return (narrow, wide)
      }
      if isPlain, let found = TopLevelDomain.end(in: text, from: end + 1) { wide = found }
      label = end + 1
    }
  }

  private func finish(start: Int, domain: Range<Int>) -> Match {
    var end = domain.upperBound
    if end + 1 < text.count, text[end] == UInt8(ascii: ":") {
      var digits = end + 1
      while digits < text.count, (0x30...0x39).contains(text[digits]) { digits += 1 }
      if digits > end + 1 { end = digits }
    }
    var hasPath = false
    if end < text.count, text[end] == UInt8(ascii: "/") {
      hasPath = true
      end = URLParts.pathEnd(in: text, from: end + 1)
    }
    end = URLParts.queryEnd(in: text, from: end)
    return Match(start: start, domain: domain, hasPath: hasPath, end: end)
  }

  // MARK: Collecting

  private mutating func collect(_ match: Match) {
    if match.hasProtocol {
      guard URLParts.isWithinLimits(text, url: match.start..<match.end, domain: match.domain),
        let end = URLParts.shortLinkEnd(in: text, url: match.start..<match.end)
      else { return }
      pending.append(url(match.start..<end))
      return
    }
    if match.start > 0 {
      switch text[match.start - 1] {
      case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "/"): return
      default: break
      }
    }
    let domains = plainDomains(in: match.domain)
    for (index, domain) in domains.enumerated().reversed() {
      // A path belongs to the last domain; a query or port without a path to none.
      let end = match.hasPath && index == domains.count - 1 ? match.end : domain.upperBound
      guard URLParts.isWithinLimits(text, url: domain.lowerBound..<end, domain: domain) else { continue }
      pending.append(url(domain.lowerBound..<end))
    }
  }

  private func url(_ bytes: Range<Int>) -> TextEntity {
    TextEntity(.url, bytes: bytes, name: bytes)
  }

  /// Without a protocol only domains in Latin letters count, and other letters part them.
  private func plainDomains(in range: Range<Int>) -> [Range<Int>] {
    let domain = UnsafeBufferPointer(rebasing: text[range])
    var found: [Range<Int>] = []
    var start = 0
    while start < domain.count {
      var end = plainLabelEnd(in: domain, from: start)
      if end == start {
        start += decodeScalar(domain, at: start).length
        continue
      }
      var last: Int?
      while end < domain.count, domain[end] == UInt8(ascii: ".") {
        if let known = TopLevelDomain.end(in: domain, from: end + 1) { last = known }
        let next = plainLabelEnd(in: domain, from: end + 1)
        if next == end + 1 { break }
        end = next
      }
      if let last { found.append(range.lowerBound + start..<range.lowerBound + last) }
      start = last ?? end
    }
    return found
  }

  private func plainLabelEnd(in domain: UnsafeBufferPointer<UInt8>, from start: Int) -> Int {
    var end = start
    while end < domain.count {
      let scalar = decodeScalar(domain, at: end)
      guard ScalarSets.isAlphanumeric(scalar.value) || scalar.value == 0x2D || ScalarSets.isLatinAccent(scalar.value)
      else { break }
      end += scalar.length
    }
    return end
  }
}
