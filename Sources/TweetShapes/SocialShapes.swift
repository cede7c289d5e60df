import TweetCore

/// Detects which document of Mastodon or Bluesky it is, after X's shapes were ruled out.
extension TweetMapper {
  /// Appends the records of a document, one a line.
  mutating func mapSocial(_ document: JSONValue, into out: inout ByteBuffer) -> String? {
    guard document.isObject else { return "not an object" }
    let probe = arena.gather(document, &socialKeys)
    defer { arena.release(probe) }
    func value(_ key: SocialKey) -> JSONValue? { arena.value(probe, key, in: document) }

    if value(.actor) != nil, value(.object) != nil { return mapOutbox(activity: document, into: &out) }
    if value(.inbox) != nil, value(.actorName) != nil { return mapOutbox(actor: document, into: &out) }
    if let items = value(.orderedItems) {
      if items.isObject { return mapOutbox(activity: items, into: &out) }
      let reason = mapEach(of: items, into: &out) { mapper, item, out in mapper.mapOutbox(activity: item, into: &out) }
      let service = context.isGiven ? context.service : nil
      appendNotRead(of: document, except: ["orderedItems", "@context"], service: service, to: &out)
      return reason
    }
    if let account = value(.account), account.isObject,
      account["acct"] ?? account["username"] != nil
    {
      if value(.content) ?? value(.visibility) != nil {
        return mapMastodon(status: document, into: &out)
      }
      if let type = value(.type), type.isString {
        return mapMastodon(notification: document, status: value(.status), of: account, into: &out)
      }
      // Requests to be notified.
      if value(.type) ?? value(.lastStatus) != nil {
        return mapMastodon(status: value(.status) ?? value(.lastStatus), of: account, into: &out)
      }
    }
    if value(.acct) != nil, value(.username) != nil {
      return mapMastodon(account: document, into: &out)
    }
    if let ancestors = value(.ancestors), let descendants = value(.descendants) {
      let reason = mapMastodon(statuses: ancestors, accounts: nil, into: &out)
      return mapMastodon(statuses: descendants, accounts: nil, into: &out) ?? reason
    }
    if let accounts = value(.accounts), accounts.isArray, value(.unread) ?? value(.hashtags) != nil {
      if let status = value(.lastStatus), let reason = mapMastodon(status: status, into: &out) {
        return reason
      }
      return mapMastodon(statuses: nil, accounts: accounts, into: &out)
    }
    if let status = value(.quotedStatus), value(.state) != nil {
      return mapMastodon(status: status, into: &out)
    }
    if let event = value(.event), event.isString, value(.payload) ?? value(.stream) != nil {
      return mapMastodon(event: event, payload: value(.payload), into: &out)
    }
    return mapBluesky(document, probe, into: &out)
  }

  private static let blueskyLists: [(key: SocialKey, kind: BlueskyList)] = [
    (.posts, .posts), (.feed, .feed), (.records, .posts), (.notifications, .notifications), (.profiles, .users),
    (.actors, .users), (.follows, .users), (.followers, .users), (.bookmarks, .bookmarks),
  ]

  private mutating func mapBluesky(
    _ document: JSONValue, _ probe: Fields<SocialKey>, into out: inout ByteBuffer
  ) -> String? {
    func value(_ key: SocialKey) -> JSONValue? { arena.value(probe, key, in: document) }
    shape = forced ?? .bluesky
    if context.isGiven, context.service != Array("bluesky".utf8) { return "no post of the service of its feed" }

    if let address = BlueskyAddress(value(.uri)), address.isProfile, let profile = value(.value), profile.isObject {
      return mapBluesky(ownProfile: profile, at: address, into: &out)
    }
    if value(.reason)?.isString ?? false, value(.author)?.isObject ?? false {
      return mapBluesky(notification: document, into: &out)
    }
    if value(.uri)?.isPostAddress ?? false, value(.record) ?? value(.value) != nil {
      return mapBluesky(post: document, into: &out)
    }
    if appendBlueskyHole(document, to: &out) { return nil }
    if value(.post)?["uri"]?.isPostAddress ?? false {
      return mapBluesky(item: document, into: &out)
    }
    for (key, kind) in Self.blueskyLists {
      guard let list = value(key), list.isArray else { continue }
      let reason = mapBluesky(list: list, of: kind, into: &out)
      appendNotRead(of: document, except: [key.name], service: Array("bluesky".utf8), to: &out)
      return reason
    }
    if let thread = value(.thread), thread.isObject {
      return mapBluesky(thread: thread, into: &out)
    }
    if let did = value(.did), did.isString {
      if value(.handle) != nil { return mapBluesky(profile: document, into: &out) }
      if value(.kind) != nil { return mapJetstream(document, did: did, into: &out) }
      if value(.collection) != nil { return mapBluesky(event: document, into: &out) }
    }
    // Tap and the second Jetstream wrap their events.
    if value(.lexiconType)?.equals("message") ?? false, let event = value(.payload), event.isObject {
      return mapBluesky(event: event, into: &out)
    }
    if value(.type)?.equals("record") ?? false, let event = value(.record), event["did"] != nil {
      return mapBluesky(event: event, into: &out)
    }
    if value(.type)?.equals("identity") ?? false, value(.identity) != nil { return nil }
    // The last line of what RepositoryExport makes of a repository.
    if let collections = value(.leftOut), collections.isObject {
      return mapRepository(leftOut: collections, into: &out)
    }
    return Self.unknownShape
  }
}

/// The names by which documents of Mastodon and Bluesky are detected.
enum SocialKey: Int, ShapeKey {
  case account, content, visibility, type, status, acct, username, ancestors, descendants, accounts,
    unread
  case hashtags, lastStatus, state, quotedStatus, event, payload, stream
  case reason, author
  case uri, record, value, post, posts, feed, records, notifications, profiles, actors, follows,
    followers, bookmarks, thread
  case did, handle, kind, collection, identity, lexiconType
  case actor, object, inbox, actorName, orderedItems, leftOut

  var name: StaticString {
    switch self {
    case .account: "account"
    case .content: "content"
    case .visibility: "visibility"
    case .type: "type"
    case .status: "status"
    case .acct: "acct"
    case .username: "username"
    case .ancestors: "ancestors"
    case .descendants: "descendants"
    case .accounts: "accounts"
    case .unread: "unread"
    case .hashtags: "hashtags"
    case .lastStatus: "last_status"
    case .state: "state"
    case .quotedStatus: "quoted_status"
    case .event: "event"
    case .payload: "payload"
    case .stream: "stream"
    case .reason: "reason"
    case .author: "author"
    case .uri: "uri"
    case .record: "record"
    case .value: "value"
    case .post: "post"
    case .posts: "posts"
    case .feed: "feed"
    case .records: "records"
    case .notifications: "notifications"
    case .profiles: "profiles"
    case .actors: "actors"
    case .follows: "follows"
    case .followers: "followers"
    case .bookmarks: "bookmarks"
    case .thread: "thread"
    case .did: "did"
    case .handle: "handle"
    case .kind: "kind"
    case .collection: "collection"
    case .identity: "identity"
    case .lexiconType: "$type"
    case .actor: "actor"
    case .object: "object"
    case .inbox: "inbox"
    case .actorName: "preferredUsername"
    case .orderedItems: "orderedItems"
    case .leftOut: "notRead"
    }
  }
}
