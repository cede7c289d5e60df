/// One JSON document that is owned: its bytes are copied and checked once. For replies of a service, for records that
/// must be held while something is fetched, for tests.
package struct JSONDocument: ~Copyable {
  private let bytes: UnsafeMutablePointer<UInt8>
  private let index: JSONIndex

  /// Checks `text`, which must hold just one JSON value. Lone surrogate escapes are read as U+FFFD.
  package init(_ text: [UInt8]) throws(JSONFault) {
    let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: text.count + JSONIndex.padding)
    text.withUnsafeBufferPointer { source in
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

  package init(_ text: String) throws(JSONFault) {
    try self.init(Array(text.utf8))
  }

  deinit { bytes.deallocate() }

  /// The document's one value. Valid as long as the document lives.
  package var root: JSONValue { index.value(at: 0) }
}
