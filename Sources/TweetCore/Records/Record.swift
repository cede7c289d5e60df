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

extension ByteBuffer {
  /// Appends a `notice` record (tweet(5)) as a line.
  /// - Parameters:
  ///   - level: `info`, `warning` or `error`.
  ///   - service: the inside of a JSON string; `nil` for a notice of no service.
  ///   - more: appends the members that only this notice has.
  package mutating func notice<E: Error>(
    _ level: StaticString, _ code: String, _ message: String?, service: [UInt8]? = nil,
    _ more: (inout ByteBuffer) throws(E) -> Void
  ) throws(E) {
    try record("notice") { (out) throws(E) in
      out.member("level", level)
      out.member("code", code)
      out.member("message", message)
      if let service { out.string("service") { $0.append(service) } }
      try more(&out)
    }
  }
}

extension ByteBuffer {
  /// Appends a `delete` record, a line of tweet(5): the service says that a post is gone.
  ///
  /// - Parameters:
  ///   - id: the post's id at the service.
  ///   - user: the author's id; `nil` if it is not known.
  package mutating func deletion(of id: String, service: String, user: String? = nil) {
    record("delete") { out in
      out.member("service", service)
      out.member("id", id)
      out.member("user_id", user)
    }
  }
}

/// The members that a check of tw-linkcheck writes into a link of a record.
package enum CheckMembers {
  /// Whether a check writes a member of this name.
  /// - Parameter hasTitle: whether it writes `title`, which X writes too.
  package static func contain(_ name: JSONValue, hasTitle: Bool) -> Bool {
    // By its length first: most names of a link are not ours, and links are many.
    switch name.rawString.count {
    case 3: name.spells("was")
    case 4: name.spells("card")
    case 5: name.spells("error") || name.spells("chain") || hasTitle && name.spells("title")
    case 6: name.spells("status")
    case 7: name.spells("verdict")
    case 8: name.spells("music_id") || name.spells("soft_404") || name.spells("failures") || name.spells("archived")
    case 9: name.spells("link_kind") || name.spells("redirects") || name.spells("page_text")
    case 10: name.spells("checked_at") || name.spells("downgraded")
    case 11: name.spells("unwound_url")
    case 12: name.spells("content_type") || name.spells("link_kind_by")
    case 13:
      name.spells("canonical_url") || name.spells("redirect_kind") || name.spells("rel_canonical")
        || name.spells("failing_since")
    case 16: name.spells("stored_redirects")
    default: false
    }
  }
}

extension JSONValue {
  /// Of the record of a retweet, what it has of the retweeted tweet: its id, and mostly all of it. `nil` for another
  /// tweet.
  package var retweeted: JSONValue? { self["referenced_tweets"]?.firstRetweeted }

  /// The retweeted tweet among `referenced_tweets`.
  package var firstRetweeted: JSONValue? { elements.first { $0["type"]?.equals("retweeted") == true } }
}

/// What an event of a Mastodon stream is about, by its name.
package enum StreamEvent {
  /// A status, or something that contains one.
  case post
  /// The deletion of a status; its data is only the id.
  case delete
  /// Announcements, changed filters and the like, which no record holds.
  case other

  /// - Parameter name: the event's name.
  package init(_ name: ByteView) {
    if name.elementsEqual("delete".utf8) {
      self = .delete
    } else if name.starts(with: "announcement".utf8) || name.starts(with: "filters_".utf8)
      || name.elementsEqual("notifications_merged".utf8)
      || name.elementsEqual("encrypted_message".utf8)
    {
      self = .other
    } else {
      self = .post
    }
  }
}
