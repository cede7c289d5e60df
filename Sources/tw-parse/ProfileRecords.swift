import TweetCore

/// Adds each profile once as a `user` record (`--users`), before the first record that has it.
struct ProfileRecords {
  /// The profiles that were added. Memory is bounded to 8 MiB, so a profile that has not come for long is added again,
  /// which is an update for readers.
  private var seen = RecentKeys(capacity: 1 << 18)
  /// Service and id of the current profile.
  private var key: [UInt8] = []

  /// Inserts `user` records before the lines of `buffer` from `start` on, and removes `user` records of profiles that
  /// were added before.
  mutating func add(to buffer: inout ByteBuffer, from start: Int) {
    var lines = ByteBuffer(capacity: (buffer.count - start) * 2)
    buffer.withBytes { bytes in
      bytes.extracting(start...).forEachLine { line in
        // The mapper's output is valid. A line that were not would stay as it is.
        let isKept = (try? JSONDocument(Array(line)))?.read { record in
          if record["tw"]?.equals("user") ?? false, !isNew(record, of: record) { return false }
          addProfiles(of: record, in: record, to: &lines)
          return true
        }
        if isKept == false { return }
        lines.append(line)
        lines.append(UInt8(ascii: "\n"))
      }
    }
    buffer.truncate(to: start)
    lines.withBytes { buffer.append($0) }
  }

  /// Appends the authors of a tweet and of the tweets in it, and the user whom it replies to if more than a name is
  /// known.
  private mutating func addProfiles(of tweet: JSONValue, in record: JSONValue, to out: inout ByteBuffer) {
    for profile in [tweet["author"], tweet["in_reply_to_user"]] {
      guard let profile, profile["username"] != nil, profile.count > 2, isNew(profile, of: record) else { continue }
      out.record("user") { out in
        if let service = record["service"] { out.member("service", json: service.raw) }
        for (key, value) in profile.members {
          out.key(key)
          out.append(value)
        }
      }
    }
    guard let references = tweet["referenced_tweets"] else { return }
    for reference in references.elements { addProfiles(of: reference, in: record, to: &out) }
  }

  /// Whether a profile comes for the first time; `false` for one without an id.
  private mutating func isNew(_ profile: JSONValue, of record: JSONValue) -> Bool {
    guard let id = profile["id"] else { return false }
    key.removeAll(keepingCapacity: true)
    if let service = record["service"] { key += service.raw }
    key += id.raw
    return key.withBytes { seen.insert($0) }
  }
}
