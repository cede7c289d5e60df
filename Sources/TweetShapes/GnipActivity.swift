import TweetCore

/// Gnip's activity streams, the form of X's enterprise products until v2. A tweet is an activity of an actor: its
/// `verb` is `post` or `share`, and what is special to X has keys that begin with `twitter_`.
extension TweetMapper {
  /// Appends one activity as a record line.
  mutating func mapGnip(activity: JSONValue, into out: inout ByteBuffer) -> String? {
    out.record("tweet") { out in appendGnip(activity, depth: 0, to: &out) }
  }

  private mutating func appendGnip(_ activity: JSONValue, depth: Int, to out: inout ByteBuffer) -> String? {
    guard depth < Self.maximumNesting else { return "tweets within tweets, \(depth) levels deep" }
    guard let id = activity["id"]?.lastPart(after: ":"), id.isNumericID else { return "an activity without an id" }
    guard let actor = activity["actor"], let actorID = actor["id"]?.lastPart(after: ":"), actorID.isNumericID else {
      return "an activity without an actor"
    }
    let original = activity["verb"]?.equals("share") ?? false ? activity["object"] : nil
    out.member("id", inside: id)
    if depth == 0 { out.appendServiceAndLink(context, id: id, username: actor["preferredUsername"]?.rawString) }
    let isRead = out.member("created_at", time: activity["postedTime"])
    let shift = out.string("text") { out in
      let textStart = out.count
      defer { textRange = textStart..<out.count }
      return appendGnipText(activity, original: original, to: &out)
    }
    out.member("lang", activity["twitter_lang"])
    out.member("source", activity["generator"]?["displayName"])
    out.member("author_id", inside: actorID)
    out.key("author")
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
    out.object("extra") { out in
      if !isRead { out.member("postedTime", activity["postedTime"]) }
      out.appendMembers(of: activity, except: gnipActivityNames)
    }
    return nil
  }

  private func appendGnipText(_ activity: JSONValue, original: JSONValue?, to out: inout ByteBuffer) -> OffsetShift {
    if let original, let name = original["actor"]?["preferredUsername"], name.isString {
      out.append("RT @")
      out.append(knownInside: name.rawString)
      out.append(": ")
      let body = original["long_object"]?["body"] ?? original["body"]
      var shift = out.append(tweetText: body?.rawString ?? .empty)
      shift.prefix = 6 + name.rawString.scalarCount
      return shift
    }
    return out.append(tweetText: (activity["long_object"]?["body"] ?? activity["body"])?.rawString ?? .empty)
  }

  private func appendGnip(actor: JSONValue, id: ByteView, to out: inout ByteBuffer) {
    out.object { out in
      out.member("id", inside: id)
      out.member("username", actor["preferredUsername"])
      out.member("name", actor["displayName"])
      out.member("profile_image_url", actor["image"])
      out.member("verified", actor["verified"])
      out.member("description", actor["summary"])
      out.member("location", actor["location"]?["displayName"])
      out.member("url", actor["links"]?.elements.lazy.compactMap { $0["href"] }.first)
      let isRead = out.member("created_at", time: actor["postedTime"])
      out.object("public_metrics") { out in
        out.member("followers_count", count: actor["followersCount"])
        out.member("following_count", count: actor["friendsCount"])
        out.member("tweet_count", count: actor["statusesCount"])
        out.member("listed_count", count: actor["listedCount"])
        out.member("like_count", count: actor["favoritesCount"])
      }
      out.object("extra") { out in
        if !isRead { out.member("postedTime", actor["postedTime"]) }
        out.appendMembers(of: actor, except: gnipActorNames)
      }
    }
  }

  private func appendGnipCounts(_ activity: JSONValue, to out: inout ByteBuffer) {
    out.object("public_metrics") { out in
      out.member("retweet_count", count: activity["retweetCount"])
      out.member("like_count", count: activity["favoritesCount"])
    }
  }

  private mutating func appendGnipReferences(
    _ activity: JSONValue, original: JSONValue?, depth: Int, to out: inout ByteBuffer
  ) -> String? {
    // Of the tweet that it replies to there is only the link, http://twitter.com/NAME/statuses/ID. Its slashes may be
    // escaped, so it is decoded before it is split.
    let parts = activity["inReplyTo"]?["link"]?.string?.split(separator: "/").map(String.init) ?? []
    if parts.count >= 3 {
      out.object("in_reply_to_user") { $0.member("username", parts[parts.count - 3]) }
    }
    return out.array("referenced_tweets") { out in
      for (tweet, type) in [(original, "retweeted"), (activity["twitter_quoted_status"], "quoted")] {
        guard let tweet else { continue }
        let reason = out.element { out in
          out.member("type", type)
          return appendGnip(tweet, depth: depth + 1, to: &out)
        }
        if let reason { return reason }
      }
      if parts.count >= 3, let id = parts.last, id.withBytes({ $0.isNumericID }) {
        out.element { out in
          out.member("type", "replied_to")
          out.member("id", id)
        }
      }
      return nil
    }
  }

  /// Appends `,"geo":{…}`. Gnip's point has the latitude first, as v1.1's `geo`; records have the longitude first.
  private func appendGnipGeo(_ point: JSONValue?, place: JSONValue?, to out: inout ByteBuffer) {
    out.object("geo") { out in
      if let id = place?["link"]?.lastPart(after: "/").flatMap({ $0.prefixUpTo(UInt8(ascii: ".")) }) {
        out.member("place_id", inside: id)
      }
      out.append(point: point)
      if let place {
        out.member("full_name", place["displayName"])
        out.member("name", place["name"])
        out.member("country", place["country_code"])
        out.member("country_code", place["twitter_country_code"])
        out.member("place_type", place["twitter_place_type"])
        out.member("geo", place["geo"])
      }
    }
  }
}

private let gnipActorNames: [StaticString] = [
  "id", "preferredUsername", "displayName", "image", "verified", "summary", "location", "links", "postedTime",
  "followersCount", "friendsCount", "statusesCount", "listedCount", "favoritesCount", "objectType",
]

private let gnipActivityNames: [StaticString] = [
  "id", "objectType", "verb", "actor", "object", "postedTime", "body", "long_object", "twitter_lang", "generator",
  "twitter_entities", "twitter_extended_entities", "twitter_quoted_status", "inReplyTo", "geo", "location",
  "retweetCount", "favoritesCount", "link", "provider", "display_text_range", CanonicalAddress.crosspost,
]

extension JSONValue {
  /// A string's bytes after the last `separator`; all of them when it has none; `nil` for a value that is not a string.
  func lastPart(after separator: Unicode.Scalar) -> ByteView? {
    guard isString else { return nil }
    let bytes = rawString
    guard let at = bytes.lastIndex(of: UInt8(ascii: separator)) else { return bytes }
    return bytes.extracting((at + 1)...)
  }
}

extension ByteView {
  fileprivate func prefixUpTo(_ byte: UInt8) -> ByteView {
    extracting(..<(firstIndex(of: byte) ?? endIndex))
  }
}
