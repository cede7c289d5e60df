package import TweetCore

/// How far a feed has been delivered: what the next run goes on from.
package struct Checkpoint: Sendable, Equatable {
  /// Posts that may be missing: newer than `since` and older than `until`, both ids exclusive. Without `since` the gap
  /// goes back as far as the service does. Where no id leads to them, `cursor` is the token of the page that they begin
  /// on.
  package struct Gap: Sendable, Equatable {
    package var since: String?
    package var until: String
    package var cursor: String?

    package init(since: String?, until: String, cursor: String? = nil) {
      self.since = since
      self.until = until
      self.cursor = cursor
    }
  }

  /// Whose posts a source of a person has.
  package struct Person: Sendable, Equatable {
    /// The account's, which stays.
    package var id: String
    /// Its name now; `nil` if that is still the one in the source.
    package var username: String?
    /// Whether the name in the source is somebody else's now.
    package var isNameTaken = false

    package init(id: String) { self.id = id }
  }

  /// Whose checkpoint it is.
  package struct Key: Sendable, Hashable {
    package var service: String
    /// The service's URL; `nil` for a source plugin, whose argument says which host it asks.
    package var base: String?
    /// `nil` for an account without a name.
    package var account: String?
    /// The SOURCE in its normal form.
    package var feed: String

    package init(service: String, base: String?, account: String?, feed: String) {
      self.service = service
      self.base = base
      self.account = account
      self.feed = feed
    }

    /// Reads a `checkpoint` record (tweet(5)) or an entry of a ``CheckpointList``; `nil` if a part is missing.
    package init?(_ object: JSONValue) {
      guard let service = object["service"]?.nonEmptyString, let feed = object["feed"]?.nonEmptyString else {
        return nil
      }
      self.init(
        service: service, base: object["base"]?.nonEmptyString, account: object["account"]?.nonEmptyString, feed: feed)
    }

    /// Appends the members that say whose service it is.
    package func appendOwner(to buffer: inout ByteBuffer) {
      buffer.member("service", service)
      buffer.member("base", base)
      buffer.member("account", account)
    }
  }

  /// The newest post that was delivered.
  package var newestID: String?
  /// The oldest first.
  package var gaps: [Gap] = []
  /// What a source plugin continues from. Only the plugin understands it.
  package var cursor: String?
  /// Of a source of a person.
  package var person: Person?
  /// When it was saved; now, unless it was read.
  package var updatedAt = Timestamp.shown

  package init(newestID: String? = nil, gaps: [Gap] = [], cursor: String? = nil) {
    self.newestID = newestID
    self.gaps = gaps
    self.cursor = cursor
  }

  /// Reads a `checkpoint` record (tweet(5)) or an entry of a ``CheckpointList``.
  package init(_ object: JSONValue) {
    newestID = object["newest_id"]?.nonEmptyString
    cursor = object["cursor"]?.nonEmptyString
    if let user = object["user"], let id = user["id"]?.nonEmptyString {
      person = Person(id: id)
      person?.username = user["username"]?.nonEmptyString
      person?.isNameTaken = user["name_taken"]?.bool == true
    }
    for gap in object["gaps"].map({ Array($0.elements) }) ?? [] {
      guard let until = gap["until_id"]?.nonEmptyString else { continue }
      gaps.append(
        Gap(since: gap["since_id"]?.nonEmptyString, until: until, cursor: gap["cursor"]?.nonEmptyString))
    }
    let time = object["updated_at"] ?? object["at"]
    if let time = time?.string.flatMap({ Timestamp(parsing: $0) }) { updatedAt = time }
  }

  /// Appends `newest_id`, `cursor`, `user` and `gaps`, those that there are.
  package func appendMembers(to buffer: inout ByteBuffer) {
    buffer.member("newest_id", newestID)
    buffer.member("cursor", cursor)
    if let person {
      buffer.key("user")
      buffer.object {
        $0.member("id", person.id)
        $0.member("username", person.username)
        if person.isNameTaken { $0.member("name_taken", true) }
      }
    }
    buffer.array("gaps") { buffer in
      for gap in gaps {
        buffer.element {
          $0.member("since_id", gap.since)
          $0.member("until_id", gap.until)
          $0.member("cursor", gap.cursor)
        }
      }
    }
  }
}

/// The checkpoints of several feeds as one JSON document, `{"tw":"checkpoints","checkpoints":[…]}`: what a file of
/// `--state` holds.
package struct CheckpointList: Sendable {
  private struct Entry: Sendable {
    let key: Checkpoint.Key?
    let checkpoint: Checkpoint
    /// The object as it was read.
    let text: [UInt8]
  }

  private var entries: [Entry] = []

  package init() {}

  /// - Parameter bytes: the document; nothing is an empty list.
  /// - Returns: `nil` for something else.
  package init?(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    guard let document = try? JSONDocument(bytes), document["tw"]?.equals("checkpoints") == true else {
      return nil
    }
    entries = document.list("checkpoints").map { object in
      object.read { Entry(key: Checkpoint.Key($0), checkpoint: Checkpoint($0), text: Array($0.raw)) }
    }
  }

  package func checkpoint(of key: Checkpoint.Key) -> Checkpoint? { entries.first { $0.key == key }?.checkpoint }

  /// When the last of them was saved; `nil` if there is none.
  package var updatedAt: Timestamp? { entries.map(\.checkpoint.updatedAt).max() }

  /// Whose posts a source of a person has, as the last one knows it.
  package var person: Checkpoint.Person? { entries.last { $0.checkpoint.person != nil }?.checkpoint.person }

  /// Whether one of them is a source plugin's own.
  package var hasCursor: Bool { entries.contains { $0.checkpoint.cursor != nil } }

  /// Replaces the checkpoint of a feed; the others stay as they are, with their order.
  package mutating func set(_ checkpoint: Checkpoint, of key: Checkpoint.Key) {
    entries.removeAll { $0.key == key }
    var buffer = ByteBuffer(capacity: 256)
    buffer.object {
      key.appendOwner(to: &$0)
      $0.member("feed", key.feed)
      checkpoint.appendMembers(to: &$0)
      $0.member("updated_at", checkpoint.updatedAt)
    }
    entries.append(Entry(key: key, checkpoint: checkpoint, text: buffer.array))
  }

  /// Appends the checkpoints of another list.
  package mutating func append(_ other: CheckpointList) { entries += other.entries }

  /// Keeps the last `count` checkpoints.
  package mutating func keepLast(_ count: Int) { entries = entries.suffix(count) }

  /// The document.
  package var document: ByteBuffer {
    var buffer = ByteBuffer()
    buffer.append("{\"tw\":\"checkpoints\",\"checkpoints\":[")
    for (number, entry) in entries.enumerated() {
      buffer.append(number == 0 ? "\n" : ",\n")
      buffer.append(entry.text)
    }
    buffer.append("\n]}\n")
    return buffer
  }
}
