package import TweetCore

/// How far a feed has been read: what to go on from.
package struct Place: Sendable, Equatable {
  /// A stretch that was left out: posts newer than `since` and older than `until`, both ids exclusive. Without `since` it
  /// goes back as far as the service does.
  package struct Hole: Sendable, Equatable {
    package var since: String?
    package var until: String

    package init(since: String?, until: String) {
      self.since = since
      self.until = until
    }
  }

  /// The newest post that was written.
  package var newestID: String?
  /// The oldest first.
  package var holes: [Hole] = []
  /// When it was kept; the moment of saving, unless it was read.
  package var updatedAt = Timestamp.shown

  package init(newestID: String? = nil, holes: [Hole] = []) {
    self.newestID = newestID
    self.holes = holes
  }
}

/// The file of `--state`: the places of feeds, one entry a service, base address, account and feed.
///
/// One JSON file. It is read anew before each change and replaced whole, under a lock beside it, so several programs may
/// keep their places in one file. A change costs one fsync(2), some milliseconds: once a page or every few seconds, not
/// once a post. What is kept must have been written and flushed before, or a crash loses it.
package struct Places: Sendable {
  private let path: String
  private let service: String
  private let base: String
  private let account: String?

  /// - Parameter path: the file; need not be there yet.
  package init(_ path: String, for access: ServiceAccess) {
    self.path = path
    service = access.service
    base = access.base
    account = access.account
  }

  /// Where a feed stopped; `nil` when it has no entry, or there is no file yet.
  /// - Throws: `ToolError.configuration` for a file that holds something else.
  package func place(of feed: String) throws(ToolError) -> Place? {
    guard let document = try read() else { return nil }
    for entry in document.root.list("places") where isOurs(entry, feed) {
      var place = Place(newestID: entry["newest_id"]?.nonEmptyString)
      for hole in entry.list("holes") {
        guard let until = hole["until_id"]?.nonEmptyString else { continue }
        place.holes.append(Place.Hole(since: hole["since_id"]?.nonEmptyString, until: until))
      }
      if let time = entry["updated_at"]?.string.flatMap({ Timestamp(parsing: $0) }) { place.updatedAt = time }
      return place
    }
    return nil
  }

  /// Keeps a feed's place; those of other feeds stay as they are.
  package func save(_ place: Place, of feed: String) throws(ToolError) {
    try FileLock.hold(path + ".lock") { (_) throws(ToolError) in
      var buffer = ByteBuffer()
      buffer.append("{\"tw\":\"places\",\"places\":[")
      if let document = try read() {
        for entry in document.root.list("places") where !isOurs(entry, feed) {
          buffer.append("\n")
          buffer.append(entry.raw)
          buffer.append(",")
        }
      }
      buffer.append("\n")
      append(place, of: feed, to: &buffer)
      buffer.append("\n]}\n")
      try StateFile.replace(path, with: buffer)
    }
  }

  private func append(_ place: Place, of feed: String, to buffer: inout ByteBuffer) {
    buffer.append("{\"service\":")
    buffer.appendJSONString(service)
    buffer.append(",\"base\":")
    buffer.appendJSONString(base)
    if let account {
      buffer.append(",\"account\":")
      buffer.appendJSONString(account)
    }
    buffer.append(",\"feed\":")
    buffer.appendJSONString(feed)
    if let id = place.newestID {
      buffer.append(",\"newest_id\":")
      buffer.appendJSONString(id)
    }
    if !place.holes.isEmpty {
      buffer.append(",\"holes\":[")
      for (number, hole) in place.holes.enumerated() {
        buffer.append(number == 0 ? "{" : ",{")
        if let since = hole.since {
          buffer.append("\"since_id\":")
          buffer.appendJSONString(since)
          buffer.append(",")
        }
        buffer.append("\"until_id\":")
        buffer.appendJSONString(hole.until)
        buffer.append("}")
      }
      buffer.append("]")
    }
    buffer.append(",\"updated_at\":\"\(Timestamp.shown.rfc3339)\"}")
  }

  private func isOurs(_ entry: JSONValue, _ feed: String) -> Bool {
    entry["feed"]?.string == feed && entry["service"]?.string == service && entry["base"]?.string == base
      && entry["account"]?.nonEmptyString == account
  }

  private func read() throws(ToolError) -> JSONDocument? {
    guard let bytes = try StateFile.read(path), !bytes.isEmpty else { return nil }
    // A file that is something else must not be replaced.
    guard let document = try? JSONDocument(bytes), document.root["tw"]?.equals("places") == true else {
      throw .configuration("'\(path)' is not a file that keeps places (--state)")
    }
    return document
  }
}

extension Places {
  /// Keeps a place that is kept anew each round: a round that cannot says so, and leaves it to the next.
  func saveOrTell(_ place: Place, of feed: String, to writer: inout FeedWriter) throws(ToolError) {
    do throws(ToolError) {
      try save(place, of: feed)
    } catch {
      try writer.write(.notKept(error))
    }
  }
}

extension Notice {
  /// A place cannot be kept, for now.
  static func notKept(_ error: ToolError) -> Notice {
    Notice(.warning, "not-kept", "the place is not kept: \(error.message ?? "writing failed")")
  }
}
