import TweetCore

/// Gnip's activity streams, the form of X's enterprise products until v2. A tweet is an activity of an actor: its `verb` is
/// `post` or `share`, and what is special to X has keys that begin with `twitter_`.
extension TweetMapper {
  /// Appends one activity as a record line.
  mutating func mapGnip(activity: JSONValue, into out: inout ByteBuffer) -> String? {
    out.append("{\"tw\":\"tweet\"")
    if let reason = appendGnip(activity, depth: 0, to: &out) { return reason }
    out.append("}\n")
    return nil
  }

  private mutating func appendGnip(_ activity: JSONValue, depth: Int, to out: inout ByteBuffer) -> String? {
    guard depth < Self.maximumNesting else { return "tweets within tweets, \(depth) levels deep" }
    guard let id = activity["id"]?.lastPart(after: ":"), !id.isEmpty else { return "an activity without an id" }
    guard let actor = activity["actor"], let actorID = actor["id"]?.lastPart(after: ":"), !actorID.isEmpty else {
      return "an activity without an actor"
    }
    let original = activity["verb"]?.equals("share") ?? false ? activity["object"] : nil
    out.append(",\"id\":", inside: id)
    if depth == 0 { out.appendServiceAndLink(context, id: id, username: actor["preferredUsername"]?.rawString) }
    out.append(",\"created_at\":", time: activity["postedTime"])
    out.append(",\"text\":\"")
    let textStart = out.count
    let shift = appendGnipText(activity, original: original, to: &out)
    textRange = textStart..<out.count
    out.append("\"")
    out.append(",\"lang\":", activity["twitter_lang"])
    out.append(",\"source\":", activity["generator"]?["displayName"])
    out.append(",\"author_id\":", inside: actorID)
    out.append(",\"author\":")
    appendGnip(actor: actor, id: actorID, to: &out)
    appendGnipCounts(activity, to: &out)
    let source = original ?? activity
    let author = original?["actor"].flatMap { actor in
      actor["preferredUsername"].map {
        RetweetedAuthor(
          username: $0.rawString, id: actor["id"]?.lastPart(after: ":"), name: actor["displayName"])
      }
    }
    let entities = source["long_object"]?["twitter_entities"] ?? source["twitter_entities"]
    appendV1Entities(entities, author: author, shift: shift, to: &out)
    let long = activity["long_object"]
    appendV1Attachments(
      long?["twitter_extended_entities"] ?? activity["twitter_extended_entities"] ?? activity["twitter_entities"],
      to: &out)
    if let reason = appendGnipReferences(activity, original: original, depth: depth, to: &out) { return reason }
    appendGnipGeo(activity["geo"], place: activity["location"], to: &out)
    if depth == 0 {
      out.append(matchingRules: activity["gnip"]?["matching_rules"])
      out.append(context.feeds)
      out.append(context.retrieved)
    }
    appendGnipExtra(activity, to: &out)
    return nil
  }

  private func appendGnipText(_ activity: JSONValue, original: JSONValue?, to out: inout ByteBuffer) -> OffsetShift {
    let nothing = UnsafeBufferPointer<UInt8>(start: nil, count: 0)
    if let original, let name = original["actor"]?["preferredUsername"], name.isString {
      out.append("RT @")
      out.append(name.rawString)
      out.append(": ")
      let body = original["long_object"]?["body"] ?? original["body"]
      var shift = out.append(tweetText: body?.rawString ?? nothing)
      shift.prefix = 6 + name.rawString.scalarCount
      return shift
    }
    return out.append(tweetText: (activity["long_object"]?["body"] ?? activity["body"])?.rawString ?? nothing)
  }

  private func appendGnip(actor: JSONValue, id: UnsafeBufferPointer<UInt8>, to out: inout ByteBuffer) {
    out.append("{\"id\":\"")
    out.append(id)
    out.append("\"")
    out.append(",\"username\":", actor["preferredUsername"])
    out.append(",\"name\":", actor["displayName"])
    out.append(",\"profile_image_url\":", actor["image"])
    out.append(",\"verified\":", actor["verified"])
    out.append(",\"description\":", actor["summary"])
    out.append(",\"location\":", actor["location"]?["displayName"])
    out.append(",\"url\":", actor["links"]?.elements.lazy.compactMap { $0["href"] }.first)
    out.append(",\"created_at\":", time: actor["postedTime"])
    let keyStart = out.count
    out.append(",\"public_metrics\":")
    let start = out.count
    out.append(",\"followers_count\":", count: actor["followersCount"])
    out.append(",\"following_count\":", count: actor["friendsCount"])
    out.append(",\"tweet_count\":", count: actor["statusesCount"])
    out.append(",\"listed_count\":", count: actor["listedCount"])
    out.append(",\"like_count\":", count: actor["favoritesCount"])
    out.closeObject(from: start, keyStart: keyStart)
    out.appendExtra(of: actor, except: gnipActorNames)
    out.append("}")
  }

  private func appendGnipCounts(_ activity: JSONValue, to out: inout ByteBuffer) {
    let keyStart = out.count
    out.append(",\"public_metrics\":")
    let start = out.count
    out.append(",\"retweet_count\":", count: activity["retweetCount"])
    out.append(",\"like_count\":", count: activity["favoritesCount"])
    out.closeObject(from: start, keyStart: keyStart)
  }

  private mutating func appendGnipReferences(
    _ activity: JSONValue, original: JSONValue?, depth: Int, to out: inout ByteBuffer
  ) -> String? {
    // Of the tweet that it replies to there is only the link, http://twitter.com/NAME/statuses/ID. Its slashes may be
    // escaped, so it is decoded before it is split.
    let parts = activity["inReplyTo"]?["link"]?.string?.split(separator: "/").map(String.init) ?? []
    if parts.count >= 3 {
      out.append(",\"in_reply_to_user\":{\"username\":")
      out.appendJSONString(parts[parts.count - 3])
      out.append("}")
    }
    let keyStart = out.count
    out.append(",\"referenced_tweets\":")
    let start = out.count
    for (tweet, type) in [(original, "retweeted"), (activity["twitter_quoted_status"], "quoted")] {
      guard let tweet else { continue }
      out.append(",{\"type\":\"\(type)\"")
      if let reason = appendGnip(tweet, depth: depth + 1, to: &out) { return reason }
      out.append("}")
    }
    if parts.count >= 3, let id = parts.last {
      out.append(",{\"type\":\"replied_to\",\"id\":")
      out.appendJSONString(id)
      out.append("}")
    }
    out.closeArray(from: start, keyStart: keyStart)
    return nil
  }

  /// Appends `,"geo":{…}`. Gnip's point has the latitude first, as v1.1's `geo`; records have the longitude first.
  private func appendGnipGeo(_ point: JSONValue?, place: JSONValue?, to out: inout ByteBuffer) {
    let keyStart = out.count
    out.append(",\"geo\":")
    let start = out.count
    if let id = place?["link"]?.lastPart(after: "/").flatMap({ $0.prefixUpTo(UInt8(ascii: ".")) }) {
      out.append(",\"place_id\":", inside: id)
    }
    if let point, let pair = point["coordinates"], pair.isArray {
      var ends = pair.elements
      if let latitude = ends.next(), let longitude = ends.next() {
        out.append(",\"coordinates\":{\"type\":\"Point\",\"coordinates\":[")
        out.append(longitude.raw)
        out.append(",")
        out.append(latitude.raw)
        out.append("]}")
      }
    }
    if let place {
      out.append(",\"full_name\":", place["displayName"])
      out.append(",\"name\":", place["name"])
      out.append(",\"country\":", place["country_code"])
      out.append(",\"country_code\":", place["twitter_country_code"])
      out.append(",\"place_type\":", place["twitter_place_type"])
      out.append(",\"geo\":", place["geo"])
    }
    out.closeObject(from: start, keyStart: keyStart)
  }

  private func appendGnipExtra(_ activity: JSONValue, to out: inout ByteBuffer) {
    out.appendExtra(of: activity, except: gnipActivityNames)
  }
}

private let gnipActorNames: [StaticString] = [
  "id", "preferredUsername", "displayName", "image", "verified", "summary", "location", "links", "postedTime",
  "followersCount", "friendsCount", "statusesCount", "listedCount", "favoritesCount", "objectType",
]

private let gnipActivityNames: [StaticString] = [
  "id", "objectType", "verb", "actor", "object", "postedTime", "body", "long_object", "twitter_lang", "generator",
  "twitter_entities", "twitter_extended_entities", "twitter_quoted_status", "inReplyTo", "geo", "location",
  "retweetCount", "favoritesCount", "link", "provider", "display_text_range",
]

extension JSONValue {
  /// A string's bytes after the last `separator`; all of them when it has none; `nil` for a value that is not a string.
  func lastPart(after separator: Unicode.Scalar) -> UnsafeBufferPointer<UInt8>? {
    guard isString else { return nil }
    let bytes = rawString
    guard let at = bytes.lastIndex(of: UInt8(ascii: separator)) else { return bytes }
    return UnsafeBufferPointer(rebasing: bytes[(at + 1)...])
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func prefixUpTo(_ byte: UInt8) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(rebasing: self[..<(firstIndex(of: byte) ?? endIndex)])
  }
}
