import TweetCore

/// What happens when a tweet was deleted: it goes, its retweets go, and tweets that hold a copy of it lose the copy.
extension TweetWriter {
  mutating func delete(_ record: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> AddedRecord {
    let isNew = try tombstones.add(
      service: service, id: id, user: record["user_id"], now: now, in: database)
    if let old = try tweets.stored(service: service, id: id, json: UnsafeBufferPointer(start: nil, count: 0)) {
      try remove(old)
    }
    try clean(holdersOf: id, service: service)
    return AddedRecord(isNew: isNew)
  }

  private mutating func clean(holdersOf id: JSONValue, service: JSONValue) throws(ToolError) {
    guard let id = id.string, let name = service.string else { return }
    for holder in try references.holders(service: name, id: id) {
      guard let tweet = try tweets.stored(key: holder.key), let json = tweet.json else { continue }
      if holder.isRetweet {
        try remove(tweet)
        continue
      }
      let document = try JSONDocument.stored(json)
      var cleaned = ByteBuffer(capacity: json.count)
      try appendWithoutDeleted(document.root, service: service, to: &cleaned)
      try tweets.rewrite(holder.key, cleaned.array)
    }
  }

  private mutating func remove(_ tweet: StoredTweet) throws(ToolError) {
    let document = try JSONDocument.stored(tweet.json ?? [])
    try entities.remove(document.root["entities"], of: tweet.key)
    try references.removeAll(of: tweet.key)
    try feeds.removeAll(of: tweet.key)
    try tweets.remove(tweet)
  }

  /// Whether a tweet, or what it retweets, was deleted.
  func isDeleted(_ tweet: JSONValue, service: JSONValue, id: JSONValue) throws(ToolError) -> Bool {
    if try tombstones.has(service: service, id: id) { return true }
    guard let list = tweet["referenced_tweets"] else { return false }
    for reference in list.elements where reference["type"]?.equals("retweeted") == true {
      if let inner = reference["id"], try tombstones.has(service: service, id: inner) { return true }
    }
    return false
  }

  /// Whether a tweet holds more of a deleted one than its id.
  func holdsDeleted(_ tweet: JSONValue, service: JSONValue) throws(ToolError) -> Bool {
    guard let list = tweet["referenced_tweets"] else { return false }
    for reference in list.elements {
      if reference["text"] != nil, let id = reference["id"], try tombstones.has(service: service, id: id) {
        return true
      }
      if try holdsDeleted(reference, service: service) { return true }
    }
    return false
  }

  /// Appends a tweet with nothing but type and id of the deleted ones inside it.
  func appendWithoutDeleted(
    _ tweet: JSONValue, service: JSONValue, to buffer: inout ByteBuffer
  ) throws(ToolError) {
    var separator = UInt8(ascii: "{")
    for (key, value) in tweet.members {
      buffer.append(separator)
      separator = UInt8(ascii: ",")
      buffer.append(key.raw)
      buffer.append(UInt8(ascii: ":"))
      guard key.equals("referenced_tweets"), value.isArray else {
        buffer.append(value.raw)
        continue
      }
      var bracket = UInt8(ascii: "[")
      for reference in value.elements {
        buffer.append(bracket)
        bracket = UInt8(ascii: ",")
        try append(reference: reference, service: service, to: &buffer)
      }
      buffer.append(value.isEmpty ? "[]" : "]")
    }
    buffer.append(tweet.isEmpty ? "{}" : "}")
  }

  private func append(
    reference: JSONValue, service: JSONValue, to buffer: inout ByteBuffer
  ) throws(ToolError) {
    guard reference.isObject else { return buffer.append(reference.raw) }
    guard let id = reference["id"], try tombstones.has(service: service, id: id) else {
      return try appendWithoutDeleted(reference, service: service, to: &buffer)
    }
    buffer.append("{")
    if let type = reference["type"] {
      buffer.append("\"type\":")
      buffer.append(type.raw)
      buffer.append(",")
    }
    buffer.append("\"id\":")
    buffer.append(id.raw)
    buffer.append("}")
  }
}
