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

    if let id = readID(value(.idString), value(.id)) { out.member("id", id: id) }
    let isRead = out.appendProfile(
      username: value(.screenName), name: value(.name), image: value(.imageURLHTTPS) ?? value(.imageURL),
      verified: value(.verified), protected: value(.protected), description: value(.description),
      location: value(.location), url: value(.url), createdAt: value(.createdAt))
    appendV1UserCounts(user, fields, to: &out)
    appendV1UserEntities(value(.entities), to: &out)
    countriesOfUser = value(.withheldCountries)
    appendWithheld(in: countriesOfUser, scope: value(.withheldScope), copyright: nil, to: &out)
    out.object("extra") { out in
      if !isRead {
        append(
          unreadOf: user, fields, times: [.createdAt],
          texts: [.screenName, .name, .imageURLHTTPS, .imageURL, .description, .location, .url],
          flags: [.verified, .protected], to: &out)
      }
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
  case createdAt, followers, friends, statuses, listed, favourites, entities, withheldCountries, withheldScope

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
    case .withheldCountries: "withheld_in_countries"
    case .withheldScope: "withheld_scope"
    }
  }
}
