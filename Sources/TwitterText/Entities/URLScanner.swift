import Libc
import TweetCore

/// Finds the URLs of one text, in order.
///
/// Every URL has a domain, and every domain a full stop: so it searches for full stops and reads what is around them.
/// No byte is read more than a few times, whatever the text.
struct URLScanner {
  private let text: ByteView
  /// The end of the last match. Nothing before it is read again.
  private var matchEnd = 0
  /// Where to search for the next full stop.
  private var offset = 0
  /// No domain with two labels or more before its top-level domain starts before this.
  private var longDomainsFrom = 0
  /// A match without a protocol may have several domains: those that are not returned yet, the last first.
  private var pending: [TextEntity] = []

  init(_ text: ByteView) {
    self.text = text
  }

  mutating func next() -> TextEntity? {
    while true {
      if let entity = pending.popLast() { return entity }
      guard let dot = text.firstIndex(of: UInt8(ascii: "."), from: offset) else { return nil }
      offset = dot + 1
      if let match = match(around: dot) {
        (matchEnd, offset) = (match.end, match.end)
        appendURLs(of: match)
      }
    }
  }

  // MARK: Matching

  /// What twitter-text's pattern for URLs matches; later checks may find that it is none.
  private struct Match {
    let start: Int
    let domain: Range<Int>
    let hasPath: Bool
    let end: Int

    var hasProtocol: Bool { start < domain.lowerBound }
  }

  private mutating func match(around dot: Int) -> Match? {
    let label = labelStart(before: dot)
    guard label < dot, isLabelEdge(endingAt: dot) else { return nil }
    let domainEnds = domainEnds(from: dot)
    guard let domainEnd = domainEnds.long ?? domainEnds.short else { return nil }
    if let start = protocolStart(before: label), ScalarSets.isLabelCharacter(decodeScalar(text, at: label).value),
      domainEnds.long != nil || !hasUnderscore(label..<dot)
    {
      return match(from: start, domain: label..<domainEnd)
    }
    // Only labels before the last two may have underscores.
    var earliest = label
    if domainEnds.long == nil, let underscore = text[label..<dot].lastIndex(of: UInt8(ascii: "_")) {
      earliest = underscore + 1
    }
    guard let start = bareStart(in: earliest..<dot) else { return nil }
    return match(from: start, domain: start..<domainEnd)
  }

  /// Where the run of label characters, hyphens and underscores before a full stop starts.
  private func labelStart(before dot: Int) -> Int {
    var start = dot
    while start > matchEnd {
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
    for start in [domain - 7, domain - 8] where start >= matchEnd && mayStart(at: start) {
      if text.matches(start == domain - 7 ? "http://" : "https://", at: start) { return start }
    }
    return nil
  }

  /// Whether what is before `index`, and no part of the last match, lets a URL start there.
  private func mayStart(at index: Int) -> Bool {
    if index == 0 { return true }
    return index > matchEnd && ScalarSets.mayPrecedeURL(text.scalar(before: index).value)
  }

  /// Where a domain without a protocol starts in the label before the first full stop: at the first offset where it
  /// may. At the start of the text, a first scalar that may precede a URL is taken to precede it.
  private func bareStart(in label: Range<Int>) -> Int? {
    var offset = label.lowerBound
    if offset == 0, let second = secondScalar(in: label) { return second }
    while offset < label.upperBound {
      let scalar = decodeScalar(text, at: offset)
      if ScalarSets.isLabelCharacter(scalar.value), mayStart(at: offset) { return offset }
      offset += scalar.length
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

  /// Where a domain whose first full stop is `dot` may end: `short` with one label before its top-level domain, `long`
  /// with two or more, as many as possible.
  private mutating func domainEnds(from dot: Int) -> (short: Int?, long: Int?) {
    var label = dot + 1
    let short = TopLevelDomain.end(in: text, from: label)
    if dot < longDomainsFrom { return (short, nil) }
    var long: Int?
    while true {
      var end = label
      var hasUnderscore = false
      while end < text.count {
        let scalar = decodeScalar(text, at: end)
        guard isLabelPart(scalar.value) else { break }
        if scalar.value == 0x5F { hasUnderscore = true }
        end += scalar.length
      }
      guard end > label, end < text.count, text[end] == UInt8(ascii: "."), isLabelEdge(endingAt: end),
        ScalarSets.isLabelCharacter(decodeScalar(text, at: label).value)
      else {
        if long == nil { longDomainsFrom = end }
        return (short, long)
      }
      if !hasUnderscore, let found = TopLevelDomain.end(in: text, from: end + 1) { long = found }
      label = end + 1
    }
  }

  /// The match with this domain: reads the port, path and query after it.
  private func match(from start: Int, domain: Range<Int>) -> Match {
    var end = domain.upperBound
    if end + 1 < text.count, text[end] == UInt8(ascii: ":") {
      var digits = end + 1
      while digits < text.count, text[digits].isASCIIDigit { digits += 1 }
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

  // MARK: Checking

  /// Appends the URLs of a match to those to return: none if it breaks a limit.
  private mutating func appendURLs(of match: Match) {
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
    let domains = latinDomains(in: match.domain)
    for (index, domain) in domains.enumerated().reversed() {
      // The last domain has the path. A query or a port without a path is not a part of a URL.
      let end = match.hasPath && index == domains.count - 1 ? match.end : domain.upperBound
      guard URLParts.isWithinLimits(text, url: domain.lowerBound..<end, domain: domain) else { continue }
      pending.append(url(domain.lowerBound..<end))
    }
  }

  private func url(_ bytes: Range<Int>) -> TextEntity {
    TextEntity(.url, bytes: bytes, name: bytes)
  }

  /// The domains in a match without a protocol: only those in Latin letters are found, and other letters part them.
  private func latinDomains(in range: Range<Int>) -> [Range<Int>] {
    let domain = text.extracting(range)
    var found: [Range<Int>] = []
    var start = 0
    while start < domain.count {
      var end = latinLabelEnd(in: domain, from: start)
      if end == start {
        start += decodeScalar(domain, at: start).length
        continue
      }
      var last: Int?
      while end < domain.count, domain[end] == UInt8(ascii: ".") {
        if let known = TopLevelDomain.end(in: domain, from: end + 1) { last = known }
        let next = latinLabelEnd(in: domain, from: end + 1)
        if next == end + 1 { break }
        end = next
      }
      if let last { found.append(range.lowerBound + start..<range.lowerBound + last) }
      start = last ?? end
    }
    return found
  }

  private func latinLabelEnd(in domain: ByteView, from start: Int) -> Int {
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
