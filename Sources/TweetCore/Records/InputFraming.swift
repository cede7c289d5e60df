/// What stands around the documents of an input: a byte order mark, a script's assignment, open arrays, and the lines of an
/// event stream.
struct InputFraming {
  /// How many arrays are open around the current document. Their elements are documents.
  var openArrays = 0
  /// The event that the next document belongs to.
  private var event = StreamEvent.post
  private var isPreamblePassed: Bool

  /// - Parameter isPreamblePassed: whether the input begins behind the start of a file.
  init(isPreamblePassed: Bool = false) { self.isPreamblePassed = isPreamblePassed }

  /// The event that the current document belongs to. An event has one document; later ones belong to none.
  mutating func takeEvent() -> StreamEvent {
    defer { event = .post }
    return event
  }

  /// How many bytes at the start of the input belong to no document: U+FEFF, which some editors and Windows' redirection
  /// write, and the assignment of X's archives, which are scripts (`window.YTD.tweets.part0 = `). 0 after the first call.
  mutating func preambleLength(of bytes: UnsafeBufferPointer<UInt8>) -> Int {
    if isPreamblePassed { return 0 }
    isPreamblePassed = true
    let mark = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    let name = bytes[mark...].prefix(Self.longestName).prefix { Self.isInAssignment($0) }
    let hasAssignment = !name.isEmpty && name.endIndex < bytes.count && bytes[name.endIndex] == UInt8(ascii: "=")
    return hasAssignment ? name.endIndex + 1 : mark
  }

  private static var longestName: Int { 256 }

  /// The characters of a dotted name in a script, and the spaces after it.
  private static func isInAssignment(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"),
      UInt8(ascii: "."), UInt8(ascii: " "), UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: false
    }
  }

  /// Reads a line of a stream of server-sent events as curl writes it: `event: update`, `data: {…}`, a comment.
  /// - Returns: how many bytes stand before its data, or all of them when it has none for us; `nil` when it is no such line.
  mutating func parseEventLine(_ line: UnsafeBufferPointer<UInt8>) -> Int? {
    if line.starts(with: "data:".utf8) {
      // An event that no record can hold may have data that is not JSON: `undefined`.
      return event == .other ? line.count : 5
    }
    if line.starts(with: "event:".utf8) {
      let name = line.dropFirst(6).drop { $0 == 0x20 }.prefix { $0 > 0x20 }
      event = StreamEvent(UnsafeBufferPointer(rebasing: name))
      return line.count
    }
    let isComment = line.first == UInt8(ascii: ":")
    return isComment || line.starts(with: "id:".utf8) || line.starts(with: "retry:".utf8) ? line.count : nil
  }
}
