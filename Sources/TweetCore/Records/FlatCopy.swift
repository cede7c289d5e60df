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
}
