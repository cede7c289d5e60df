import TweetCore

/// How far a page has come that is given in parts, so that what a long one becomes is never held whole.
struct PageParts {
  /// How many elements the parts before took, and how many of all were passed in this one.
  fileprivate var taken = 0
  fileprivate var passed = 0
  /// How many bytes the parts before were.
  fileprivate var given = 0
  /// Where in the output this part ends; `nil` when it is the last.
  fileprivate var end: Int?
  /// What was wrong in the list that the part before ended in, and in the lists before that.
  fileprivate var faults = ElementFaults()
  fileprivate var reason: String?
  /// Whether an element is in work: it may be a page of its own, which is given whole.
  fileprivate var isInside = false

  /// Whether the document has another part.
  var isOpen: Bool { taken > 0 }

  /// Starts a part, whose document was given in part already or is new.
  mutating func begin() {
    (passed, end) = (0, nil)
  }

  /// Ends a part that began at `start` in the output.
  /// - Parameter reason: what is wrong with the document as far as it was gone through.
  /// - Returns: what is wrong with all of it, once its last part has ended.
  mutating func finish(_ reason: String?, from start: Int, _ out: inout ByteBuffer) -> String? {
    guard let end else {
      defer { self = PageParts() }
      return self.reason ?? reason
    }
    out.truncate(to: end)
    self.reason = self.reason ?? reason
    given += end - start
    taken = passed - 1
    return nil
  }
}

/// What is wrong with the elements of a list.
private struct ElementFaults {
  var first: String?
  var count = 0
}

extension TweetMapper {
  /// A page's users and posts are put in wherever they are referred to. Real pages grow by three times or so; one made to
  /// grow without end gets only ids once its records are this many times as long as itself.
  private static var inlineFactor: Int { 64 }
  /// The same for one element, or a document that is no page: what is put in beyond its own length.
  private static var inlineLength: Int { 4 << 20 }

  /// Sets how far what follows may grow by what is put into it.
  /// - Parameters:
  ///   - place: where in the output it starts.
  ///   - length: its own length.
  mutating func limitInlining(from place: Int, length: Int) {
    let rest = (1 << 20) + pageLength * Self.inlineFactor - parts.given
    inlineLimit = min(partStart + rest, place + Self.inlineLength + 2 * length)
  }

  /// Appends each element of a page by itself, so that a bad one takes no other along.
  /// - Returns: what is wrong with the first bad one, and how many there are.
  mutating func mapEach(
    of list: JSONValue, into out: inout ByteBuffer,
    _ map: (inout TweetMapper, JSONValue, inout ByteBuffer) -> String?
  ) -> String? {
    if parts.end != nil { return nil }
    let isOuter = !parts.isInside
    parts.isInside = true
    defer { if isOuter { parts.isInside = false } }
    var faults = ElementFaults()
    for element in list.elements {
      if isOuter {
        parts.passed += 1
        if parts.passed <= parts.taken { continue }
        if parts.isOpen, parts.passed == parts.taken + 1 {
          // What stands before the element was given with the parts before.
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
      guard let reason = map(&self, element, &out) else { continue }
      out.truncate(to: start)
      written.removeAll()
      faults.first = faults.first ?? reason
      faults.count += 1
    }
    // Set last: an element may be a page of its own.
    isPage = true
    guard let first = faults.first else { return nil }
    return list.count == 1 ? first : "\(faults.count) of \(list.count) elements: \(first)"
  }
}
