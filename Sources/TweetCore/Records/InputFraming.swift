/// What stands around the documents of an input: a byte order mark, the assignments of scripts, open arrays, an outbox,
/// and the lines of an event stream.
struct InputFraming {
  /// How many arrays are open around the current document. Their elements are documents.
  private(set) var openArrays = 0
  /// What comes before the next token in the innermost array; `nil` after bad bytes, which may have had anything.
  private var last: ArrayToken?
  /// Whether the array that is open is an outbox's, see ``startOutbox(_:)``.
  private(set) var isOutbox = false
  /// Whether this is after the array of an outbox, in the object around it.
  private(set) var isAfterOutbox = false
  /// The event that the next document belongs to.
  private var event = StreamEvent.post
  private var isPreamblePassed: Bool
  private var outboxRest = OutboxRest()
  /// Whether the input is what a service wrote, to its end: a file of an archive, or a stream of events. Nothing in it
  /// is a record of the kit.
  private(set) var isForeign: Bool

  /// - Parameters:
  ///   - isPreamblePassed: whether the input begins after the start of a file.
  ///   - isForeign: whether it is a file of an archive.
  init(isPreamblePassed: Bool = false, isForeign: Bool = false) {
    (self.isPreamblePassed, self.isForeign) = (isPreamblePassed, isForeign)
  }

  /// The event that the current document belongs to. An event has one document; later ones belong to none.
  mutating func takeEvent() -> StreamEvent {
    defer { event = .post }
    return event
  }

  /// How many bytes at the start of the input belong to no document: U+FEFF, which some editors and Windows'
  /// redirection write, and the assignment of X's archives, which are scripts (`window.YTD.tweets.part0 = `). 0 after
  /// the first call.
  mutating func preambleLength(of bytes: ByteView) -> Int {
    if isPreamblePassed { return 0 }
    isPreamblePassed = true
    let mark = bytes.starts(with: Self.mark) ? Self.mark.count : 0
    return mark + (assignmentLength(of: bytes.extracting(mark...)) ?? 0)
  }

  /// U+FEFF in UTF-8.
  static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// How many bytes the assignment has that starts here; `nil` when none does.
  mutating func assignmentLength(of bytes: ByteView) -> Int? {
    let name = bytes.prefix(Self.longestName).prefix { Self.isInAssignment($0) }
    guard !name.isEmpty, name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: "=") else { return nil }
    isForeign = true
    return name.endIndex + 1
  }

  private enum ArrayToken {
    case bracket, element, comma
  }

  /// Why the next token cannot come here in its array; `nil` if it can. It is said once.
  /// - Parameter byte: the token's first.
  mutating func fault(before byte: UInt8) -> String? {
    guard openArrays > 0, let last else { return nil }
    let fault: String? =
      switch byte {
      case UInt8(ascii: ","): last == .element ? nil : "a comma without an element before it"
      case UInt8(ascii: "]"): last == .comma ? "a comma without an element after it" : nil
      default: last == .element ? "a comma is missing between two elements" : nil
      }
    if fault != nil { self.last = nil }
    return fault
  }

  mutating func openArray() {
    openArrays += 1
    last = .bracket
  }

  mutating func closeArray() {
    openArrays -= 1
    last = .element
  }

  mutating func passComma() { last = .comma }
  mutating func passElement() { last = .element }
  mutating func passBadBytes() { last = nil }

  /// Whether an array or an outbox has not ended.
  var isInside: Bool { openArrays > 0 || isAfterOutbox }

  /// Whether what comes next has nothing to do with what came before.
  var isOutside: Bool { !isInside && !isForeign && event == .post && isPreamblePassed }

  /// Leaves what has not ended.
  mutating func leave() { (openArrays, isOutbox, isAfterOutbox) = (0, false, false) }

  /// The array of an outbox has ended.
  mutating func endOutbox() { (isOutbox, isAfterOutbox, outboxRest) = (false, true, OutboxRest()) }

  /// Where in the members after the array of an outbox the input is.
  private struct OutboxRest {
    /// How many objects and arrays are open in a member's value.
    var depth = 0
    var isValueDue = false
    /// Whether the last name was that of the array: some servers write an empty one before the one with the posts.
    var isItems = false
  }

  /// Starts an outbox, as ActivityPub servers export an account's posts: an object whose first member is `@context`,
  /// and whose `orderedItems` has the posts. It may be larger than any record, so its items are documents, and the
  /// object around them is none.
  /// - Parameter bytes: from the object on.
  /// - Returns: how many bytes stand before its array; `nil` when it is not an outbox, or that is not among the first.
  mutating func startOutbox(_ bytes: ByteView) -> Int? {
    let first = bytes.prefix(Self.longestIndent).dropFirst().drop { $0.isJSONSpace }
    guard first.starts(with: "\"@context\"".utf8) else { return nil }
    let key = Array("\"orderedItems\"".utf8)
    let head = bytes.prefix(Self.longestOutboxHead)
    var depth = 0
    var at = head.startIndex
    while at < head.endIndex {
      switch head[at] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        if depth == 0 { return nil }
      case UInt8(ascii: "\""):
        if depth == 1, head[at...].starts(with: key) {
          let value = head[(at + key.count)...].drop { $0.isJSONSpace || $0 == UInt8(ascii: ":") }
          isOutbox = value.first == UInt8(ascii: "[")
          return isOutbox ? value.startIndex : nil
        }
        at += 1
        while at < head.endIndex, head[at] != UInt8(ascii: "\"") { at += head[at] == UInt8(ascii: "\\") ? 2 : 1 }
      default: break
      }
      at += 1
    }
    return nil
  }

  /// Passes a token after the array of an outbox, such as how many items it had.
  /// - Parameter bytes: from the token on.
  /// - Returns: `false` for one that is not passed: the bracket of another array of items; one that belongs to the next
  ///   document, because the outbox was cut off.
  mutating func passOutboxEnd(_ bytes: ByteView) -> Bool {
    let token = bytes[0]
    let (opens, closes) = (Self.opens(token), token == UInt8(ascii: "}") || token == UInt8(ascii: "]"))
    if outboxRest.depth > 0 {
      outboxRest.depth += opens ? 1 : closes ? -1 : 0
      return true
    }
    if opens, outboxRest.isValueDue, !(outboxRest.isItems && token == UInt8(ascii: "[")) {
      outboxRest = OutboxRest(depth: 1)
    } else if opens {
      (isOutbox, isAfterOutbox) = (outboxRest.isValueDue, false)
      return false
    } else if !outboxRest.isValueDue, token == UInt8(ascii: "\"") {
      outboxRest.isItems = bytes.starts(with: "\"orderedItems\"".utf8)
    } else {
      outboxRest.isValueDue = token == UInt8(ascii: ":")
      isAfterOutbox = token != UInt8(ascii: "}")
    }
    return true
  }

  private static func opens(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }

  private static var longestIndent: Int { 64 }
  /// The vocabularies that servers list under `@context` have some three thousand bytes.
  private static var longestOutboxHead: Int { 64 << 10 }
  private static var longestName: Int { 256 }

  /// The characters of a dotted name in a script, and the spaces after it.
  private static func isInAssignment(_ byte: UInt8) -> Bool {
    byte.isASCIILetterOrDigit || "_. ".utf8.contains(byte)
  }

  /// Reads a line of a stream of server-sent events as curl writes it: `event: update`, `data: {…}`, a comment.
  /// - Returns: how many bytes stand before its data, or all of them when it has none for us; `nil` when it is no such
  ///   line.
  mutating func parseEventLine(_ line: ByteView) -> Int? {
    if line.starts(with: "data:".utf8) {
      isForeign = true
      // An event that no record can hold may have data that is not JSON: `undefined`.
      return event == .other ? line.count : 5
    }
    if line.starts(with: "event:".utf8) {
      isForeign = true
      let name = line.dropFirst(6).drop { $0 == 0x20 }.prefix { $0 > 0x20 }
      event = StreamEvent(ByteView(rebasing: name))
      return line.count
    }
    let isComment = line.first == UInt8(ascii: ":")
    return isComment || line.starts(with: "id:".utf8) || line.starts(with: "retry:".utf8) ? line.count : nil
  }
}
