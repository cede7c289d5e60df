import TweetCore

/// Bluesky's profiles: basic, detailed, or as a part of a post view.
extension TweetMapper {
  /// Appends one profile as a `user` record line.
  mutating func mapBluesky(profile: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let did = profile["did"], did.isString, !did.isBlank else {
      return "a profile without a DID"
    }
    out.append("{\"tw\":\"user\",\"service\":\"bluesky\"")
    appendBlueskyMembers(of: profile, to: &out)
    out.append("}\n")
    return nil
  }

  /// Appends a profile as the value of `author`. It must have a DID.
  mutating func appendBluesky(profile: JSONValue, to out: inout ByteBuffer) {
    let start = out.count
    appendBlueskyMembers(of: profile, to: &out)
    out.closeObject(from: start, keyStart: start)
  }

  private mutating func appendBlueskyMembers(of profile: JSONValue, to out: inout ByteBuffer) {
    let fields = arena.gather(profile, &blueskyProfileKeys)
    defer { arena.release(fields) }
    func value(_ key: BlueskyProfileKey) -> JSONValue? { arena.value(fields, key, in: profile) }

    out.append(",\"id\":", value(.did))
    out.append(",\"username\":", value(.handle))
    out.append(",\"name\":", value(.displayName))
    out.append(",\"profile_image_url\":", value(.avatar))
    if let status = value(.verification)?["verifiedStatus"] {
      out.append(status.equals("valid") ? ",\"verified\":true" : ",\"verified\":false")
    }
    out.append(",\"description\":", value(.description))
    out.append(",\"url\":", value(.website))
    out.append(",\"created_at\":", blueskyTime: value(.createdAt))
    let keyStart = out.count
    out.append(",\"public_metrics\":")
    let start = out.count
    out.append(",\"followers_count\":", count: value(.followers))
    out.append(",\"following_count\":", count: value(.follows))
    out.append(",\"tweet_count\":", count: value(.posts))
    out.closeObject(from: start, keyStart: keyStart)
    if let pinned = value(.pinnedPost)?["uri"] { out.append(",\"pinned_tweet_id\":", pinned) }
    let extraKeyStart = out.count
    out.append(",\"extra\":")
    let extraStart = out.count
    out.append(",\"verification\":", value(.verification))
    arena.appendUnknown(of: fields, in: profile, to: &out)
    out.closeObject(from: extraStart, keyStart: extraKeyStart)
  }
}

enum BlueskyProfileKey: Int, ShapeKey {
  case did, handle, displayName, avatar, verification, description, website, createdAt, followers,
    follows, posts
  case pinnedPost

  var name: StaticString {
    switch self {
    case .did: "did"
    case .handle: "handle"
    case .displayName: "displayName"
    case .avatar: "avatar"
    case .verification: "verification"
    case .description: "description"
    case .website: "website"
    case .createdAt: "createdAt"
    case .followers: "followersCount"
    case .follows: "followsCount"
    case .posts: "postsCount"
    case .pinnedPost: "pinnedPost"
    }
  }
}
