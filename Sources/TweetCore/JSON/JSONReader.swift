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
