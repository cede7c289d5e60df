/// One JSON document of the input, on one line whatever its layout was.
///
/// It is a view: valid until the next call of the scanner that returned it.
package struct Record {
  /// The document's value, all of it valid text.
  package let root: JSONValue
  /// Its bytes in the input, with line breaks and half surrogate pairs.
  package let source: ByteView
  /// The number of the line of the input on which it starts, from 1.
  package let line: Int
  /// Whether it stands inside something: an array, the data of an event, a file of an archive. Only a service's answers
  /// do, so that it is never a record of the kit, whatever it says of itself (tweet(5), "Authority").
  package let isElement: Bool
  /// Whether it may have escapes of characters that need none.
  package let hasPlainEscapes: Bool
  /// What the server-sent event that contained it is about; a post when there was no event.
  package var event = StreamEvent.post

  /// - Parameters:
  ///   - root: the document's value.
  ///   - source: its bytes in the input; `nil` if they are those of the value.
  package init(
    root: JSONValue, source: ByteView? = nil, line: Int = 1, isElement: Bool = false, hasPlainEscapes: Bool = true,
    event: StreamEvent = .post
  ) {
    self.root = root
    self.source = source ?? root.raw
    self.line = line
    self.isElement = isElement
    self.hasPlainEscapes = hasPlainEscapes
    self.event = event
  }

  /// Its bytes on one line, without a newline.
  package var bytes: ByteView { root.raw }

  /// The value of `"tw"`, the record's type; `nil` when there is none, and for what cannot be a record.
  package var type: JSONValue? { isElement ? nil : root["tw"] }
}

/// A piece of the input that is not a record, and why.
///
/// It is a view: valid until the next call of the scanner that returned it.
package struct BadRecord {
  /// Its bytes in the input, with the newline at its end if it has one.
  package let bytes: ByteView
  /// The number of the line on which it starts, from 1.
  package let line: Int
  /// What is wrong; `nil` when this is a further piece of a bad record that is too large for one.
  package let reason: String?

  package init(bytes: ByteView, line: Int, reason: String?) {
    (self.bytes, self.line, self.reason) = (bytes, line, reason)
  }

  /// From a document that is valid JSON, but not a record.
  package init(_ record: Record, reason: String) {
    self.init(bytes: record.source, line: record.line, reason: reason)
  }
}

extension JSONValue {
  /// The longest text of a record or a document in bytes of UTF-8. What is done with one takes memory of many times its
  /// length: as HTML in XML each quotation mark is ten bytes. Servers that set their own limits allow posts of some
  /// hundred thousand bytes.
  private static let longestText = 1 << 20

  /// What is wrong with a record or a document that has a longer text; `nil` for none.
  package var textFault: String? {
    hasString(longerThan: Self.longestText) ? "a text longer than \(Self.longestText) bytes" : nil
  }
}
