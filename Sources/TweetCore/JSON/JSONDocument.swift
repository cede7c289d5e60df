/// One JSON document that owns a checked copy of its bytes: for answers of a service, for records that are held while
/// something is fetched, for tests.
package struct JSONDocument: ~Copyable {
  private let bytes: UnsafeMutablePointer<UInt8>
  private let index: JSONIndex

  /// Copies and checks `text`, which must be exactly one JSON value. Lone surrogate escapes become U+FFFD.
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

  /// The document's value, valid as long as the document exists.
  package var root: JSONValue { index.value(at: 0) }
}
