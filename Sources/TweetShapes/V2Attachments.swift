import TweetCore

/// Counts, media, polls and places of X API v2's tweets.
extension TweetMapper {
  /// Appends `,"public_metrics":{…}`, the counts that tweet(5) names first. The rename of 2026 changed one name.
  mutating func appendV2Metrics(_ metrics: JSONValue?, to out: inout ByteBuffer) {
    guard let metrics, metrics.isObject else { return }
    let keyStart = out.count
    out.append(",\"public_metrics\":")
    let start = out.count
    let fields = arena.gather(metrics, &v2MetricKeys)
    defer { arena.release(fields) }
    @inline(__always) func value(_ key: V2MetricKey) -> JSONValue? { arena.value(fields, key, in: metrics) }
    out.append(",\"retweet_count\":", count: value(.retweets) ?? value(.reposts))
    out.append(",\"reply_count\":", count: value(.replies))
    out.append(",\"like_count\":", count: value(.likes))
    out.append(",\"quote_count\":", count: value(.quotes))
    if arena.hasUnknown(fields) { out.appendCounts(of: metrics, except: v2MetricNames) }
    out.closeObject(from: start, keyStart: keyStart)
  }

  /// Appends `,"attachments":{…}`. Media and polls come from the includes; a flattened line has them already.
  func appendV2Attachments(_ attachments: JSONValue?, to out: inout ByteBuffer) {
    guard let attachments, attachments.isObject else { return }
    let keyStart = out.count
    out.append(",\"attachments\":")
    let start = out.count
    out.append(",\"media_keys\":", attachments["media_keys"])
    if let media = attachments["media"] {
      out.append(",\"media\":", media)
    } else if let keys = attachments["media_keys"], keys.isArray {
      let mediaKeyStart = out.count
      out.append(",\"media\":")
      let mediaStart = out.count
      for key in keys.elements {
        guard let medium = includes.medium(key) else { continue }
        out.append(UInt8(ascii: ","))
        out.append(medium)
      }
      out.closeArray(from: mediaStart, keyStart: mediaKeyStart)
    }
    out.append(
      ",\"poll\":",
      attachments["poll"]
        ?? attachments["poll_ids"].flatMap { ids in
          ids.elements.lazy.compactMap { includes.poll($0) }.first
        })
    out.appendMembers(of: attachments, except: ["media_keys", "media", "poll"])
    out.closeObject(from: start, keyStart: keyStart)
  }

  /// Appends `,"geo":{…}` with what the includes have of the place.
  func appendV2Geo(_ geo: JSONValue?, to out: inout ByteBuffer) {
    guard let geo, geo.isObject, !geo.isEmpty else { return }
    let keyStart = out.count
    out.append(",\"geo\":")
    let start = out.count
    out.appendMembers(of: geo, except: [])
    if let place = includes.place(geo["place_id"]) { out.appendMembers(of: place, except: ["id"]) }
    out.closeObject(from: start, keyStart: keyStart)
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
