/// A one-line copy of a document that spanned lines.
struct FlatCopy: ~Copyable {
  private var bytes = ByteBuffer(capacity: 64)
  private var index: JSONIndex

  init() { index = JSONIndex() }

  /// Copies `value`, and gives the view of the copy; `nil` when there is no memory for its index.
  mutating func copy(_ value: JSONValue) -> JSONValue? {
    bytes.removeAll()
    value.appendCompact(to: &bytes)
    let length = bytes.count
    for _ in 0..<JSONIndex.padding { bytes.append(0) }
    let start = bytes.withBytes { $0.baseAddress }
    guard let start, index.build(start, count: length) == nil, case .value = index.scan(from: 0) else { return nil }
    return index.value(at: 0)
  }

  /// Whether `text` is one whole document and nothing else. Replaces the copy.
  mutating func isDocument(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.removeAll()
    bytes.append(text)
    for _ in 0..<JSONIndex.padding { bytes.append(0) }
    guard let start = bytes.withBytes({ $0.baseAddress }), index.build(start, count: text.count) == nil,
      case .value(let end) = index.scan(from: 0)
    else { return false }
    return end == index.count
  }
}
