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
    do {
      index = try Self.check(memory, count: text.count)
    } catch {
      memory.deallocate()
      throw error
    }
    bytes = memory
  }

  package init(_ text: String) throws(JSONFault) {
    try self.init(Array(text.utf8))
  }

  deinit { bytes.deallocate() }

  /// The document's one value. Valid as long as the document lives.
  package var root: JSONValue { index.value(at: 0) }

  private static func check(_ memory: UnsafeMutablePointer<UInt8>, count: Int) throws(JSONFault) -> JSONIndex {
    var index = JSONIndex()
    if let fault = index.build(memory, count: count) { throw fault }
    let text = UnsafeMutableBufferPointer(start: memory, count: count)
    switch JSONEscapes.check(UnsafeBufferPointer(text)) {
    case .nothing: break
    case .halfPair: JSONEscapes.mend(text)
    case .fault: throw .badEscape
    }
    switch index.scan(from: 0) {
    case .fault(let fault): throw fault
    case .value(let end):
      guard end == index.count else { throw .badGrammar }
    }
    return index
  }
}
