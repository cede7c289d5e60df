/// A JSON document, or a value inside one, that keeps the memory in which it is: for answers of a service, for records
/// that are held while something is fetched, for tests.
///
/// A ``JSONValue`` is a view that can outlive its bytes. So a document gives one only while ``read(_:)`` runs, and what
/// comes out of it is `Sendable`, as no view is.
@dynamicMemberLookup
package struct JSONDocument {
  private let memory: JSONMemory
  private let value: JSONValue

  /// Copies and checks `text`, which must be exactly one JSON value. Lone surrogate escapes become U+FFFD.
  package init(_ text: [UInt8]) throws(JSONFault) {
    memory = try JSONMemory(text)
    value = memory.root
  }

  package init(_ text: String) throws(JSONFault) {
    try self.init(Array(text.utf8))
  }

  private init(_ value: JSONValue, in memory: JSONMemory) {
    (self.memory, self.value) = (memory, value)
  }

  /// Calls `body` with the value, which is valid until `body` returns.
  package func read<Result: Sendable, E: Error>(_ body: (JSONValue) throws(E) -> Result) throws(E) -> Result {
    defer { withExtendedLifetime(memory) {} }
    return try body(value)
  }

  /// What a ``JSONValue`` says about itself, such as `string` or `isObject`.
  package subscript<Member: Sendable>(dynamicMember member: KeyPath<JSONValue, Member>) -> Member {
    read { $0[keyPath: member] }
  }

  /// The value of the first member of that name; `nil` when there is none or this is not an object.
  package subscript(_ key: StaticString) -> JSONDocument? {
    value[key].map { JSONDocument($0, in: memory) }
  }

  /// Its members in order; none when it is not an object.
  package var members: [(key: JSONDocument, value: JSONDocument)] {
    value.members.map { (JSONDocument($0.key, in: memory), JSONDocument($0.value, in: memory)) }
  }

  /// Its elements in order; none when it is not an array.
  package var elements: [JSONDocument] {
    value.elements.map { JSONDocument($0, in: memory) }
  }

  /// The elements of an array member; none when there is no such array.
  package func list(_ key: StaticString) -> [JSONDocument] { self[key]?.elements ?? [] }

  /// The value of the first member whose decoded name is `key`, for a name known only at run time.
  package func member(named key: String) -> JSONDocument? {
    value.member(named: key).map { JSONDocument($0, in: memory) }
  }

  /// Whether it is a string with exactly this text.
  package func equals(_ text: StaticString) -> Bool { read { $0.equals(text) } }
}

/// The bytes of a document and their index.
private final class JSONMemory {
  private let bytes: UnsafeMutablePointer<UInt8>
  private let index: JSONIndex

  init(_ text: [UInt8]) throws(JSONFault) {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count + JSONIndex.padding)
    text.withBytes { source in
      if let start = source.baseAddress { memory.update(from: start, count: text.count) }
    }
    (memory + text.count).update(repeating: 0, count: JSONIndex.padding)
    var index = JSONIndex()
    if let fault = index.check(memory, count: text.count) {
      memory.deallocate()
      throw fault
    }
    self.index = index
    bytes = memory
  }

  deinit { bytes.deallocate() }

  /// Valid as long as this object.
  var root: JSONValue { index.value(at: 0) }
}

/// What is wrong with some bytes that should have been JSON (RFC 8259).
package enum JSONFault: Error, Equatable, Sendable {
  case empty
  case badUTF8
  case controlCharacter
  case unclosedString
  case badEscape
  case badNumber
  case badLiteral
  case badGrammar
  case tooDeep
  case cutOff
  case tooLarge
  case tooManyNodes

  /// The reason, as messages name it.
  package var reason: String {
    switch self {
    case .empty: "nothing but white space"
    case .badUTF8: "not UTF-8"
    case .controlCharacter: "a control character in a string"
    case .unclosedString: "a string has no end"
    case .badEscape: "a bad escape in a string"
    case .badNumber: "a bad number"
    case .badLiteral: "a bad word (expected true, false or null)"
    case .badGrammar: "not JSON"
    case .tooDeep: "nested deeper than \(JSONIndex.maximumDepth) levels"
    case .cutOff: "cut off before its end"
    case .tooLarge: "too large to index"
    case .tooManyNodes: "too many values for its length"
    }
  }
}

/// Reads one JSON document after another with the same memory: for streams of messages, where a ``JSONDocument`` for
/// each would spend as much time on allocating as on reading.
package final class JSONReader {
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var index = JSONIndex()

  package init() {
    capacity = 16 << 10
    memory = .allocate(capacity: capacity + JSONIndex.padding)
  }

  deinit { memory.deallocate() }

  /// More memory than this, which a large document needed, is freed with the next document.
  private static let kept = 1 << 20

  /// Checks `text`, which must be exactly one JSON value, as ``JSONDocument`` does.
  ///
  /// - Parameter readable: how many bytes after the text can be read. A line with enough of them is not copied.
  /// - Returns: the value, valid until the next call, and as long as the text is neither moved nor freed.
  package func read(_ text: ByteView, readable: Int = 0) throws(JSONFault) -> JSONValue {
    if readable >= JSONIndex.padding, let start = text.baseAddress, Self.isLineEnd(start[text.count]),
      // Lone surrogates are overwritten in a copy.
      JSONEscapes.check(text) == .nothing
    {
      return try index.value(of: start, count: text.count)
    }
    if text.count > capacity || capacity > Self.kept && text.count < Self.kept {
      memory.deallocate()
      capacity = text.count < Self.kept ? text.count * 2 : text.count
      memory = .allocate(capacity: capacity + JSONIndex.padding)
    }
    if let start = text.baseAddress { memory.update(from: start, count: text.count) }
    (memory + text.count).update(repeating: 0, count: JSONIndex.padding)
    if let fault = index.check(memory, count: text.count) { throw fault }
    return index.value(at: 0)
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") }
}
