package import TweetCore

/// How far a feed has been delivered: what the next run goes on from.
package struct Checkpoint: Sendable, Equatable {
  /// Posts that may be missing: newer than `since` and older than `until`, both ids exclusive. Without `since` the gap goes
  /// back as far as the service does.
  package struct Gap: Sendable, Equatable {
    package var since: String?
    package var until: String

    package init(since: String?, until: String) {
      self.since = since
      self.until = until
    }
  }

  /// The newest post that was delivered.
  package var newestID: String?
  /// The oldest first.
  package var gaps: [Gap] = []
  /// When it was saved; now, unless it was read from a file.
  package var updatedAt = Timestamp.shown

  package init(newestID: String? = nil, gaps: [Gap] = []) {
    self.newestID = newestID
    self.gaps = gaps
  }
}

/// The file of `--state`: the checkpoints of feeds, one entry a service, base address, account and feed.
///
/// One JSON file, in which checkpoints are called `places` and gaps `holes`. It is read again before each change and
/// replaced whole, under a lock beside it, so that several programs may share it. A change costs one fsync(2), some
/// milliseconds: once a page or every few seconds, not once a post. What a checkpoint says is delivered must have been
/// written before, or a crash loses it.
package struct CheckpointFile: Sendable {
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

  /// The checkpoint of a feed; `nil` if it has none, or there is no file yet.
  /// - Throws: `ToolError.configuration` for a file that holds something else.
  package func checkpoint(of feed: String) throws(ToolError) -> Checkpoint? {
    guard let document = try read() else { return nil }
    for entry in document.root.list("places") where isEntry(entry, of: feed) {
      var checkpoint = Checkpoint(newestID: entry["newest_id"]?.nonEmptyString)
      for gap in entry.list("holes") {
        guard let until = gap["until_id"]?.nonEmptyString else { continue }
        checkpoint.gaps.append(Checkpoint.Gap(since: gap["since_id"]?.nonEmptyString, until: until))
      }
      if let time = entry["updated_at"]?.string.flatMap({ Timestamp(parsing: $0) }) { checkpoint.updatedAt = time }
      return checkpoint
    }
    return nil
  }

  /// Saves the checkpoint of a feed; those of other feeds stay as they are.
  package func save(_ checkpoint: Checkpoint, of feed: String) throws(ToolError) {
    try FileLock.hold(path + ".lock") { (_) throws(ToolError) in
      var buffer = ByteBuffer()
      buffer.append("{\"tw\":\"places\",\"places\":[")
      if let document = try read() {
        for entry in document.root.list("places") where !isEntry(entry, of: feed) {
          buffer.append("\n")
          buffer.append(entry.raw)
          buffer.append(",")
        }
      }
      buffer.append("\n")
      append(checkpoint, of: feed, to: &buffer)
      buffer.append("\n]}\n")
      try StateFile.replace(path, with: buffer)
    }
  }

  private func append(_ checkpoint: Checkpoint, of feed: String, to buffer: inout ByteBuffer) {
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
    if let id = checkpoint.newestID {
      buffer.append(",\"newest_id\":")
      buffer.appendJSONString(id)
    }
    if !checkpoint.gaps.isEmpty {
      buffer.append(",\"holes\":[")
      for (number, gap) in checkpoint.gaps.enumerated() {
        buffer.append(number == 0 ? "{" : ",{")
        if let since = gap.since {
          buffer.append("\"since_id\":")
          buffer.appendJSONString(since)
          buffer.append(",")
        }
        buffer.append("\"until_id\":")
        buffer.appendJSONString(gap.until)
        buffer.append("}")
      }
      buffer.append("]")
    }
    buffer.append(",\"updated_at\":\"\(Timestamp.shown.rfc3339)\"}")
  }

  private func isEntry(_ entry: JSONValue, of feed: String) -> Bool {
    entry["feed"]?.string == feed && entry["service"]?.string == service && entry["base"]?.string == base
      && entry["account"]?.nonEmptyString == account
  }

  private func read() throws(ToolError) -> JSONDocument? {
    guard let bytes = try StateFile.read(path), !bytes.isEmpty else { return nil }
    // A file that is something else must not be replaced.
    guard let document = try? JSONDocument(bytes), document.root["tw"]?.equals("places") == true else {
      throw .configuration("'\(path)' is not a file of checkpoints (--state)")
    }
    return document
  }
}

extension CheckpointFile {
  /// Saves a checkpoint that the next poll round saves again; if this fails, a notice says so.
  func saveOrWarn(_ checkpoint: Checkpoint, of feed: String, to writer: inout FeedWriter) throws(ToolError) {
    do throws(ToolError) {
      try save(checkpoint, of: feed)
    } catch {
      try writer.write(.checkpointNotSaved(error))
    }
  }
}

extension Notice {
  /// That a checkpoint cannot be saved, for now.
  static func checkpointNotSaved(_ error: ToolError) -> Notice {
    Notice(.warning, "not-kept", "the checkpoint is not saved: \(error.message ?? "writing failed")")
  }
}
