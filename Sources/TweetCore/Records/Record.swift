/// One JSON document of the input, on one line whatever its layout was there.
///
/// A view: valid until the scanner that gave it moves on.
package struct Record {
  /// The document's value, valid text throughout.
  package let root: JSONValue
  /// Its bytes as they stand in the input, line breaks and half surrogate pairs included.
  package let source: UnsafeBufferPointer<UInt8>
  /// The line of the input its first byte stands on, from 1.
  package let line: Int
  /// Whether it is an element of a top-level array.
  package let isElement: Bool
  /// What the server-sent event that brought it is about; a post where it came in none.
  package var event = StreamEvent.post

  /// Its bytes on one line, without a newline.
  package var bytes: UnsafeBufferPointer<UInt8> { root.raw }

  /// The value of `"tw"`, the record's type; `nil` when there is none.
  package var type: JSONValue? { root["tw"] }
}

/// A piece of the input that is no record, and why.
///
/// A view: valid until the scanner that gave it moves on.
package struct BadRecord {
  /// Its bytes as they stand in the input, the newline at its end included when it has one.
  package let bytes: UnsafeBufferPointer<UInt8>
  /// The line its first byte stands on, from 1.
  package let line: Int
  /// What is wrong; `nil` when this goes on with a bad record too large to be given in one piece.
  package let reason: String?

  package init(bytes: UnsafeBufferPointer<UInt8>, line: Int, reason: String?) {
    (self.bytes, self.line, self.reason) = (bytes, line, reason)
  }

  /// A record that is valid JSON, but not what it should be.
  package init(_ record: Record, reason: String) {
    self.init(bytes: record.source, line: record.line, reason: reason)
  }
}
