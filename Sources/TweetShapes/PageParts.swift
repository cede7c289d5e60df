import TweetCore

/// How far a page has been mapped. Its records are appended in parts, so that those of a long page are never all held.
struct PageParts {
  /// How many elements the earlier parts mapped.
  fileprivate var mapped = 0
  /// How many elements this part has seen, the ones that earlier parts mapped included.
  fileprivate var seen = 0
  /// How many bytes of output the earlier parts made.
  fileprivate var written = 0
  /// Where in the output this part ends; `nil` when it is the last.
  fileprivate var end: Int?
  /// What was wrong in the list that the part before ended in.
  fileprivate var faults = ElementFaults()
  /// What was wrong in the lists before that.
  fileprivate var reason: String?
  /// Whether an element is being mapped. It may be a page itself, which is appended whole.
  fileprivate var isInsideElement = false

  /// Whether the document has another part.
  var isOpen: Bool { mapped > 0 }

  /// Starts the next part of the document, or the first part of a new one.
  mutating func begin() {
    (seen, end) = (0, nil)
  }

  /// Ends a part that began at `start` in the output.
  /// - Parameter reason: what is wrong with the elements of this part.
  /// - Returns: what is wrong with the whole document when this was its last part, else `nil`.
  mutating func finish(_ reason: String?, from start: Int, _ out: inout ByteBuffer) -> String? {
    guard let end else {
      defer { self = PageParts() }
      return self.reason ?? reason
    }
    out.truncate(to: end)
    self.reason = self.reason ?? reason
    written += end - start
    mapped = seen - 1
    return nil
  }
}

/// What is wrong with the elements of a list.
private struct ElementFaults {
  var first: String?
  var count = 0
}

extension TweetMapper {
  /// A page's users and posts are inlined wherever they are referred to. Real pages become about three times as long.
  /// When the records of a page are this many times as long as the page, only ids are written.
  private static var inlineFactor: Int { 64 }
  /// One element, or a document that is not a page, may grow by this many bytes.
  private static var inlineLength: Int { 4 << 20 }

  /// Sets ``inlineLimit`` for an element or a document.
  /// - Parameters:
  ///   - start: where in the output it starts.
  ///   - length: its length in the input.
  mutating func limitInlining(from start: Int, length: Int) {
    let left = (1 << 20) + pageLength * Self.inlineFactor - parts.written
    inlineLimit = min(partStart + left, start + Self.inlineLength + 2 * length)
  }

  /// Maps each element of a list by itself, so that a bad one does not spoil the others.
  /// - Returns: what is wrong with the first bad one, and how many there are.
  mutating func mapEach(
    of list: JSONValue, into out: inout ByteBuffer,
    _ map: (inout TweetMapper, JSONValue, inout ByteBuffer) -> String?
  ) -> String? {
    if parts.end != nil { return nil }
    let isOuter = !parts.isInsideElement
    parts.isInsideElement = true
    defer { if isOuter { parts.isInsideElement = false } }
    var faults = ElementFaults()
    for element in list.elements {
      if isOuter {
        parts.seen += 1
        if parts.seen <= parts.mapped { continue }
        if parts.isOpen, parts.seen == parts.mapped + 1 {
          // What comes before this element was written with an earlier part.
          out.truncate(to: partStart)
          written.removeAll()
          swap(&faults, &parts.faults)
        } else if out.count - partStart >= partLength {
          (parts.end, parts.faults) = (out.count, faults)
          return nil
        }
        limitInlining(from: out.count, length: element.raw.count)
      }
      let start = out.count
      let found = map(&self, element, &out)
      guard let reason = takeFaultOfID() ?? found else { continue }
      out.truncate(to: start)
      written.removeAll()
      faults.first = faults.first ?? reason
      faults.count += 1
    }
    // Set last, because an element may be a page itself.
    isPage = true
    guard let first = faults.first else { return nil }
    return list.count == 1 ? first : "\(faults.count) of \(list.count) elements: \(first)"
  }
}
