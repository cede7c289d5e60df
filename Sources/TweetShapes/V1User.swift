import TweetCore

/// X API v1.1's user object.
extension TweetMapper {
  /// Appends a user as the value of `author`. It must have an id.
  mutating func appendV1User(_ user: JSONValue, to out: inout ByteBuffer) {
    out.object { out in appendV1Members(of: user, to: &out) }
  }

  /// Appends a user's members.
  mutating func appendV1Members(of user: JSONValue, to out: inout ByteBuffer) {
    let fields = arena.gather(user, &v1UserKeys)
    defer { arena.release(fields) }
    @inline(__always) func value(_ key: V1UserKey) -> JSONValue? { arena.value(fields, key, in: user) }

    out.member("id", asString: value(.idString)?.asID ?? value(.id)?.asID)
    out.member("username", value(.screenName))
    out.member("name", value(.name))
    out.member("profile_image_url", value(.imageURLHTTPS) ?? value(.imageURL))
    out.member("verified", value(.verified))
    out.member("protected", value(.protected))
    out.member("description", value(.description))
    out.member("location", value(.location))
    out.member("url", value(.url))
    out.member("created_at", time: value(.createdAt))
    appendV1UserCounts(user, fields, to: &out)
    appendV1UserEntities(value(.entities), to: &out)
    out.object("extra") { out in
      arena.appendUnknown(of: fields, in: user, to: &out)
    }
  }

  private func appendV1UserCounts(_ user: JSONValue, _ fields: Fields<V1UserKey>, to out: inout ByteBuffer) {
    out.object("public_metrics") { out in
      out.member("followers_count", count: arena.value(fields, .followers, in: user))
      out.member("following_count", count: arena.value(fields, .friends, in: user))
      out.member("tweet_count", count: arena.value(fields, .statuses, in: user))
      out.member("listed_count", count: arena.value(fields, .listed, in: user))
      out.member("like_count", count: arena.value(fields, .favourites, in: user))
    }
  }

  /// Appends `,"entities":{…}`: the links in the profile's text and in its address.
  private mutating func appendV1UserEntities(_ entities: JSONValue?, to out: inout ByteBuffer) {
    guard let entities, entities.isObject else { return }
    out.object("entities") { out in
      for (key, value) in entities.members where value.isObject {
        // A profile without links has none of these.
        out.object(key) { out in appendV1EntityArrays(value, author: nil, shift: OffsetShift(), to: &out) }
      }
    }
  }
}

enum V1UserKey: Int, ShapeKey {
  case id, idString, screenName, name, imageURL, imageURLHTTPS, verified, protected, description, location, url
  case createdAt, followers, friends, statuses, listed, favourites, entities

  var name: StaticString {
    switch self {
    case .id: "id"
    case .idString: "id_str"
    case .screenName: "screen_name"
    case .name: "name"
    case .imageURL: "profile_image_url"
    case .imageURLHTTPS: "profile_image_url_https"
    case .verified: "verified"
    case .protected: "protected"
    case .description: "description"
    case .location: "location"
    case .url: "url"
    case .createdAt: "created_at"
    case .followers: "followers_count"
    case .friends: "friends_count"
    case .statuses: "statuses_count"
    case .listed: "listed_count"
    case .favourites: "favourites_count"
    case .entities: "entities"
    }
  }
}
