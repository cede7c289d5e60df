import TweetCore

/// What services demand of programs that keep their posts: copies of deleted posts are removed from other records,
/// withheld posts are marked, and geographic places that a user took back are removed.
extension TweetWriter {
  /// A copy of the tweet without what may not be kept; `nil` if nothing must change.
  func redacted(_ tweet: JSONValue, service: JSONValue) throws(ToolError) -> [UInt8]? {
    guard
      tombstones.posts.hasAny || forgotten.posts.hasAny || forgottenPeople.hasAny || compliance.hasWithheld
        || compliance.hasScrubbed
    else { return nil }
    var buffer = ByteBuffer(capacity: tweet.raw.count)
    var isChanged = false
    try append(tweet, service: service, to: &buffer, &isChanged)
    return isChanged ? buffer.array : nil
  }

  /// Why a notice cannot be applied; `nil` if it can.
  static func fault(inNotice notice: JSONValue) -> String? {
    let hasUser = notice["user_id"]?.isText == true
    if notice["code"]?.equals("scrub_geo") == true {
      return hasUser && notice["up_to_id"]?.isText == true ? nil : "no \"up_to_id\""
    }
    if notice["countries"]?.isArray != true { return "no \"countries\"" }
    return hasUser || notice["id"]?.isText == true ? nil : "no \"id\""
  }

  /// Applies a notice without a fault to the stored tweets and stores it for later ones.
  mutating func apply(notice: JSONValue, service: JSONValue) throws(ToolError) -> AddResult {
    let user = notice["user_id"].flatMap { $0.isText ? $0 : nil }
    if notice["code"]?.equals("scrub_geo") == true {
      guard let user, let last = notice["up_to_id"] else { return AddResult() }
      try compliance.scrub(service: service, user: user, upTo: last, now: now)
      try redactAll(of: user, service: service)
    } else {
      guard let countries = notice["countries"] else { return AddResult() }
      if let id = notice["id"], id.isText {
        try compliance.withhold("tweet", service: service, id: id, countries: countries, now: now)
        if let key = try tweets.key(service: service, id: id) { try redact(key, isLifted: countries.isEmpty) }
        for referrer in try references.referrers(service: service.string ?? "", id: id.string ?? "") {
          try redact(referrer.key, isLifted: countries.isEmpty)
        }
      } else if let user {
        try compliance.withhold("user", service: service, id: user, countries: countries, now: now)
        try redactAll(of: user, service: service, isLifted: countries.isEmpty)
      }
    }
    return AddResult(isNew: true)
  }

  /// Redacts all stored tweets of a user, and those that contain one of them.
  private mutating func redactAll(of user: JSONValue, service: JSONValue, isLifted: Bool = false) throws(ToolError) {
    guard let key = try users.key(service: service, id: user) else { return }
    for tweet in try tweets.keys(author: key) + references.referrers(author: key) {
      try redact(tweet, isLifted: isLifted)
    }
  }

  /// Removes from a stored tweet what may no longer be kept, and updates its mark of being withheld.
  /// - Parameter isLifted: whether a withholding has ended, so that its mark is removed.
  mutating func redact(_ key: Int, isLifted: Bool = false) throws(ToolError) {
    guard let tweet = try tweets.stored(key: key), let json = tweet.json else { return }
    var buffer = ByteBuffer(capacity: json.count)
    var isChanged = false
    try JSONDocument.stored(json).read { (tweet) throws(ToolError) in
      guard let service = tweet["service"] else { return }
      try append(tweet, service: service, to: &buffer, &isChanged, isLifted: isLifted)
    }
    guard isChanged else { return }
    try JSONDocument.stored(buffer.array).read { (record) throws(ToolError) in try tweets.rewrite(tweet, record) }
    recent.append(key)
  }

  private func append(
    _ tweet: JSONValue, service: JSONValue, to buffer: inout ByteBuffer, _ isChanged: inout Bool, isLifted: Bool = false
  ) throws(ToolError) {
    let (id, author) = (tweet["id"], tweet["author"]?["id"])
    let countries = try compliance.countries(service: service, tweet: id, author: author)
    let mark = countries.map { "{\"country_codes\":\($0)}" }
    let isScrubbed = try compliance.isScrubbed(service: service, tweet: id, author: author)
    var isMarked = false
    try buffer.object { (out) throws(ToolError) in
      for (key, value) in tweet.members {
        if isScrubbed && key.equals("geo") || isLifted && mark == nil && key.equals("withheld") {
          isChanged = true
          continue
        }
        out.key(key)
        if let mark, key.equals("withheld") {
          isMarked = true
          if value.rawText != mark { isChanged = true }
          out.append(mark)
        } else if key.equals("referenced_tweets"), value.isArray {
          try append(references: value, service: service, to: &out, &isChanged, isLifted: isLifted)
        } else {
          out.append(value)
        }
      }
      // A reference that has only the id shows nothing, so it gets no mark.
      if let mark, !isMarked, tweet["text"] != nil {
        out.member("withheld", json: mark)
        isChanged = true
      }
    }
  }

  private func append(
    references list: JSONValue, service: JSONValue, to buffer: inout ByteBuffer, _ isChanged: inout Bool, isLifted: Bool
  ) throws(ToolError) {
    try buffer.array { (out) throws(ToolError) in
      for reference in list.elements {
        out.append(UInt8(ascii: ","))
        try append(reference: reference, service: service, to: &out, &isChanged, isLifted: isLifted)
      }
    }
  }

  /// Whether no copy of a tweet may be kept.
  private func mustGo(_ tweet: JSONValue, service: JSONValue) throws(ToolError) -> Bool {
    if try isByForgotten(tweet, service: service) { return true }
    guard let id = tweet["id"], tweet["text"] != nil else { return false }
    if try forgotten.posts.has(service: service, id: id) { return true }
    if keepsDeleted { return false }
    return try tombstones.posts.has(service: service, id: id)
  }

  private func append(
    reference: JSONValue, service: JSONValue, to buffer: inout ByteBuffer, _ isChanged: inout Bool, isLifted: Bool
  ) throws(ToolError) {
    guard reference.isObject else { return buffer.append(reference) }
    guard try mustGo(reference, service: service) else {
      return try append(reference, service: service, to: &buffer, &isChanged, isLifted: isLifted)
    }
    // Of a deleted or forgotten tweet only the type and the id stay.
    isChanged = true
    buffer.object { out in
      if let type = reference["type"] { out.member("type", json: type.raw) }
      if let id = reference["id"] { out.member("id", json: id.raw) }
    }
  }
}
