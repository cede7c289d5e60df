import TweetCore

/// Counts, media, polls and places of X API v2's tweets.
extension TweetMapper {
  /// Appends `,"public_metrics":{…}`, the counts that tweet(5) names first. The rename of 2026 changed one name.
  mutating func appendV2Metrics(_ metrics: JSONValue?, to out: inout ByteBuffer) {
    guard let metrics, metrics.isObject else { return }
    out.object("public_metrics") { out in
      let fields = arena.gather(metrics, &v2MetricKeys)
      defer { arena.release(fields) }
      @inline(__always) func value(_ key: V2MetricKey) -> JSONValue? { arena.value(fields, key, in: metrics) }
      out.member("retweet_count", count: value(.retweets) ?? value(.reposts))
      out.member("reply_count", count: value(.replies))
      out.member("like_count", count: value(.likes))
      out.member("quote_count", count: value(.quotes))
      if arena.hasUnknown(fields) { out.appendCounts(of: metrics, except: v2MetricNames) }
    }
  }

  /// Appends `,"attachments":{…}`. Media and polls come from the includes; a flattened line has them already.
  func appendV2Attachments(_ attachments: JSONValue?, to out: inout ByteBuffer) {
    guard let attachments, attachments.isObject else { return }
    out.object("attachments") { out in
      out.member("media_keys", attachments["media_keys"])
      if let media = attachments["media"] {
        out.member("media", media)
      } else if let keys = attachments["media_keys"], keys.isArray {
        out.array("media") { out in
          for key in keys.elements {
            guard let medium = includes.medium(key) else { continue }
            out.append(UInt8(ascii: ","))
            out.append(known: medium)
          }
        }
      }
      out.member(
        "poll",
        attachments["poll"]
          ?? attachments["poll_ids"].flatMap { ids in
            ids.elements.lazy.compactMap { includes.poll($0) }.first
          })
      out.appendMembers(of: attachments, except: ["media_keys", "media", "poll"])
    }
  }

  /// Appends `,"geo":{…}` with what the includes have of the place.
  func appendV2Geo(_ geo: JSONValue?, to out: inout ByteBuffer) {
    guard let geo, geo.isObject, !geo.isEmpty else { return }
    out.object("geo") { out in
      out.appendKnownMembers(of: geo, except: "")
      if let place = includes.place(geo["place_id"]) { out.appendKnownMembers(of: place, except: "id") }
    }
  }
}

enum V2MetricKey: Int, ShapeKey {
  case retweets, reposts, replies, likes, quotes

  var name: StaticString {
    switch self {
    case .retweets: "retweet_count"
    case .reposts: "repost_count"
    case .replies: "reply_count"
    case .likes: "like_count"
    case .quotes: "quote_count"
    }
  }
}

private let v2MetricNames = V2MetricKey.allCases.map(\.name)
