import TweetCore

/// X API v1.1's user object.
extension TweetMapper {
  /// Appends a user as the value of `author`. It must have an id.
  mutating func appendV1User(_ user: JSONValue, to out: inout ByteBuffer) {
    let fields = arena.gather(user, &v1UserKeys)
    defer { arena.release(fields) }
    @inline(__always) func value(_ key: V1UserKey) -> JSONValue? { arena.value(fields, key, in: user) }

    let start = out.count
    out.append(",\"id\":", asString: value(.idString)?.asID ?? value(.id)?.asID)
    out.append(",\"username\":", value(.screenName))
    out.append(",\"name\":", value(.name))
    out.append(",\"profile_image_url\":", value(.imageURLHTTPS) ?? value(.imageURL))
    out.append(",\"verified\":", value(.verified))
    out.append(",\"protected\":", value(.protected))
    out.append(",\"description\":", value(.description))
    out.append(",\"location\":", value(.location))
    out.append(",\"url\":", value(.url))
    out.append(",\"created_at\":", time: value(.createdAt))
    appendV1UserCounts(user, fields, to: &out)
    appendV1UserEntities(value(.entities), to: &out)
    let keyStart = out.count
    out.append(",\"extra\":")
    let extraStart = out.count
    arena.appendUnknown(of: fields, in: user, to: &out)
    out.closeObject(from: extraStart, keyStart: keyStart)
    out.closeObject(from: start, keyStart: start)
  }

  private func appendV1UserCounts(_ user: JSONValue, _ fields: Fields<V1UserKey>, to out: inout ByteBuffer) {
    let keyStart = out.count
    out.append(",\"public_metrics\":")
    let start = out.count
    out.append(",\"followers_count\":", count: arena.value(fields, .followers, in: user))
    out.append(",\"following_count\":", count: arena.value(fields, .friends, in: user))
    out.append(",\"tweet_count\":", count: arena.value(fields, .statuses, in: user))
    out.append(",\"listed_count\":", count: arena.value(fields, .listed, in: user))
    out.append(",\"like_count\":", count: arena.value(fields, .favourites, in: user))
    out.closeObject(from: start, keyStart: keyStart)
  }

  /// Appends `,"entities":{…}`: the links in the profile's text and in its address.
  private mutating func appendV1UserEntities(_ entities: JSONValue?, to out: inout ByteBuffer) {
    guard let entities, entities.isObject else { return }
    let keyStart = out.count
    out.append(",\"entities\":")
    let start = out.count
    for (key, value) in entities.members where value.isObject {
      let memberStart = out.count
      out.append(UInt8(ascii: ","))
      out.append(key)
      out.append(UInt8(ascii: ":"))
      let insideStart = out.count
      appendV1EntityArrays(value, author: nil, shift: OffsetShift(), to: &out)
      out.closeObject(from: insideStart, keyStart: memberStart)
    }
    out.closeObject(from: start, keyStart: keyStart)
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
