import Libc

/// Streams of server-sent events as curl writes them down: `event: update`, `data: {…}`, comments and empty lines.
extension RecordScanner {
  /// Takes the line that starts at `offset` as one of an event stream.
  /// - Returns: where its data starts, or its end when it has none for us; `nil` when it is no such line.
  mutating func eventLine(at offset: Int) -> Int? {
    guard openArrays == 0, offset == 0 || base[offset - 1] == 0x0A else { return nil }
    let limit = memchr(base + offset, 0x0A, regionEnd - offset).map {
      $0.assumingMemoryBound(to: UInt8.self) - base
    }
    let line = UnsafeBufferPointer(start: base + offset, count: (limit ?? regionEnd) - offset)
    if line.starts(with: "data:".utf8) {
      // An event that no record can hold may have data that is no JSON: `undefined`.
      return event == .other ? offset + line.count : offset + 5
    }
    if line.starts(with: "event:".utf8) {
      let name = line.dropFirst(6).drop { $0 == 0x20 }.prefix { $0 > 0x20 }
      event = StreamEvent(UnsafeBufferPointer(rebasing: name))
      return offset + line.count
    }
    let isComment = line.first == UInt8(ascii: ":")
    guard isComment || line.starts(with: "id:".utf8) || line.starts(with: "retry:".utf8) else {
      return nil
    }
    return offset + line.count
  }
}
