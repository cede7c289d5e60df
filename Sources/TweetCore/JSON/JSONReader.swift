/// Reads one JSON document after another: for streams of messages, where a ``JSONDocument`` each would cost as much memory
/// management as reading.
package final class JSONReader {
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity: Int
  private var index = JSONIndex()

  package init() {
    capacity = 16 << 10
    memory = .allocate(capacity: capacity + JSONIndex.padding)
  }

  deinit { memory.deallocate() }

  /// Memory that one large document left behind is given back with the next one.
  private static let kept = 1 << 20

  /// Checks `text`, which must hold just one JSON value, as ``JSONDocument`` does.
  ///
  /// - Parameter readable: how many bytes behind the text may be read. A line with enough of them is read where it lies,
  ///   others are copied.
  /// - Returns: the value, valid until the next one is read, and as long as the text stays where it is.
  package func read(_ text: UnsafeBufferPointer<UInt8>, readable: Int = 0) throws(JSONFault) -> JSONValue {
    if readable >= JSONIndex.padding, let start = text.baseAddress, Self.isLineEnd(start[text.count]),
      // What has to be mended is mended in the copy.
      JSONEscapes.check(text) == .nothing
    {
      if let fault = index.checkGrammar(start, count: text.count) { throw fault }
      return index.value(at: 0)
    }
    if text.count > capacity || capacity > Self.kept && text.count < Self.kept {
      memory.deallocate()
      capacity = text.count * 2
      memory = .allocate(capacity: capacity + JSONIndex.padding)
    }
    if let start = text.baseAddress { memory.update(from: start, count: text.count) }
    (memory + text.count).update(repeating: 0, count: JSONIndex.padding)
    if let fault = index.check(memory, count: text.count) { throw fault }
    return index.value(at: 0)
  }

  private static func isLineEnd(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\r") || byte == UInt8(ascii: "\n") }
}
