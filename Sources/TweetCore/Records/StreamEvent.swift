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
