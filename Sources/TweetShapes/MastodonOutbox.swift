import TweetCore

/// Mastodon's export of an account, which has ActivityPub's objects
/// (https://www.w3.org/TR/activitystreams-vocabulary/): `actor.json`, the account, and `outbox.json`, its activities.
/// Each is rewritten as the API would send it, and mapped as that is.
extension TweetMapper {
  /// Appends the owner of an export, who becomes the author of the activities after it.
  mutating func mapOutbox(actor: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let uri = actor["id"]?.nonEmptyString else { return "an account without an id" }
    var json = ByteBuffer(capacity: 4096)
    json.object { json in
      json.member("id", ActivityAddress(uri).accountID)
      json.member("username", actor["preferredUsername"])
      json.member("acct", actor["preferredUsername"])
      json.member("display_name", actor["name"])
      json.member("locked", actor["manuallyApprovesFollowers"])
      json.member("created_at", actor["published"])
      json.member("note", actor["summary"])
      json.member("url", actor["url"]?.page ?? actor["id"])
      json.member("uri", actor["id"])
      // In an export it is the name of a file.
      if let picture = actor["icon"]?.each.first?["url"]?.page, picture.isLink { json.member("avatar", picture) }
      appendFields(actor["attachment"], to: &json)
    }
    state.outboxOwner = OutboxOwner(uri: uri, account: json.array)
    return mapRewritten(json) { mapper, account in mapper.mapMastodon(account: account, into: &out) }
  }

  /// Appends the post that an activity made, or the boost that it is. A like is a notice, as in the export's own list
  /// of likes, and so is an activity that no record holds.
  mutating func mapOutbox(activity: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let object = activity["object"]?.each.first, let author = activity["actor"]?.address else {
      return "an activity without actor or object"
    }
    var json = ByteBuffer(capacity: 4096)
    if activity.isA("Announce") {
      guard let id = activity["id"]?.nonEmptyString else { return "a boost without an id" }
      append(boost: object, of: activity, ActivityAddress(id), author, to: &json)
    } else if activity.isA("Create") {
      guard object.isObject else { return "a post of which the activity has only the address" }
      append(note: object, by: author, to: &json)
    } else if activity.isA("Like"), let address = object.isObject ? object["id"] : object {
      return mapOutbox(marked: address, .likes, by: author, into: &out)
    } else {
      guard let type = activity["type"]?.each.first?.nonEmptyString else { return "an activity without a type" }
      var lists = LeftOutLists()
      lists.add(type)
      lists.append(service: service(ofActor: author), to: &out)
      return nil
    }
    return mapRewritten(json) { mapper, status in mapper.mapMastodon(status: status, into: &out) }
  }

  private mutating func mapRewritten(
    _ json: borrowing ByteBuffer, _ map: (inout TweetMapper, JSONValue) -> String?
  ) -> String? {
    do throws(JSONFault) {
      let document = try JSONDocument(json.array)
      return document.read { map(&self, $0) }
    } catch {
      return "an activity: \(error.reason)"
    }
  }

  /// Appends a note, or a question, as a status.
  private func append(note: JSONValue, by author: String, to json: inout ByteBuffer) {
    let uri = note["id"]?.string ?? ""
    let address = ActivityAddress(uri)
    json.object { json in
      json.member("id", address.statusID)
      json.member("created_at", note["published"])
      json.member("edited_at", note["updated"])
      json.member("uri", note["id"])
      json.member("url", note["url"]?.page ?? note["id"])
      json.key("account")
      appendAccount(author, to: &json)
      let languages = note["contentMap"]
      json.member("content", note["content"] ?? languages?.members.first { _ in true }?.value)
      if let language = languages?.members.first(where: { _ in true })?.key { json.member("language", language) }
      json.member("spoiler_text", note["summary"])
      json.member("sensitive", note["sensitive"])
      json.member("visibility", visibility(of: note))
      json.member("favourites_count", note["likes"]?["totalItems"])
      json.member("reblogs_count", note["shares"]?["totalItems"])
      appendReply(to: note["inReplyTo"]?.address, from: address, author, note["tag"], to: &json)
      let quoted = Self.quote.lazy.compactMap { note[$0]?.address }.first ?? Self.quotedLink(note["tag"])
      if let quoted { json.member("quote_id", Self.id(of: quoted, seenFrom: address)) }
      appendTags(note["tag"], to: &json)
      appendMedia(note["attachment"], to: &json)
      appendPoll(note, to: &json)
    }
  }

  /// Appends a boost as a status. An export has the address of the boosted post, which is all that its text can say;
  /// the account's own posts it has whole.
  private func append(
    boost object: JSONValue, of activity: JSONValue, _ address: ActivityAddress, _ author: String,
    to json: inout ByteBuffer
  ) {
    json.object { json in
      json.member("id", address.statusID)
      json.member("created_at", activity["published"])
      json.member("uri", activity["id"])
      json.member("url", address.withoutActivity)
      json.key("account")
      appendAccount(author, to: &json)
      json.member("visibility", visibility(of: activity))
      if object.isObject {
        json.key("reblog")
        append(note: object, by: object["attributedTo"]?.address ?? author, to: &json)
      } else if let link = object.string {
        let boosted = ActivityAddress(link)
        json.member("reblog_of_id", Self.id(of: link, seenFrom: address))
        let who = boosted.username.map { "@\($0)@\(boosted.host): " } ?? ""
        json.member("content", "<p>RT \(who.htmlEscaped)<a href=\"\(link.htmlEscaped)\">\(link.htmlEscaped)</a></p>")
      }
    }
  }

  /// Appends the owner's account, or what an actor's address says of another.
  private func appendAccount(_ uri: String, to json: inout ByteBuffer) {
    if let outboxOwner = state.outboxOwner, outboxOwner.uri == uri {
      json.append(outboxOwner.account)
      return
    }
    let address = ActivityAddress(uri)
    json.object {
      $0.member("id", address.accountID)
      $0.member("username", address.username)
      $0.member("url", uri)
    }
  }

  /// The `visibility`, by whom it was addressed to (https://docs.joinmastodon.org/spec/activitypub/).
  private func visibility(of object: JSONValue) -> StaticString {
    func contains(_ key: StaticString, _ isMeant: (String) -> Bool) -> Bool {
      object[key]?.each.contains { $0.address.map(isMeant) ?? false } ?? false
    }
    func isPublic(_ address: String) -> Bool {
      ["https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public"].contains(address)
    }
    if contains("to", isPublic) { return "public" }
    if contains("cc", isPublic) { return "unlisted" }
    return contains("to") { $0.hasSuffix("/followers") } ? "private" : "direct"
  }

  /// The id of another post: on the same server that of its API, which the address has, else the address.
  private static func id(of link: String, seenFrom address: ActivityAddress) -> String {
    let other = ActivityAddress(link)
    return other.host == address.host ? other.statusID : link
  }

  /// Appends what it replies to, and whom, if the address says so and the person is mentioned.
  private func appendReply(
    to link: String?, from address: ActivityAddress, _ author: String, _ tags: JSONValue?, to json: inout ByteBuffer
  ) {
    guard let link else { return }
    json.member("in_reply_to_id", Self.id(of: link, seenFrom: address))
    if link.hasPrefix(author + "/") {
      json.member("in_reply_to_account_id", ActivityAddress(author).accountID)
    } else {
      let people = tags?.each.lazy.filter { $0.isA("Mention") }.compactMap { $0["href"]?.nonEmptyString }
      json.member("in_reply_to_account_id", people?.first { link.hasPrefix($0 + "/") })
    }
  }

  /// The members with the address of a quoted post: FEP-044f, which Mastodon has, and what others had before.
  private static let quote: [StaticString] = ["quote", "quoteUri", "quoteUrl", "_misskey_quote"]

  /// A link to the quoted post among the tags: FEP-e232.
  private static func quotedLink(_ tags: JSONValue?) -> String? {
    let isQuote = { (rel: JSONValue) in
      ["https://misskey-hub.net/ns#_misskey_quote", "https://w3id.org/fep/044f#quote"].contains(rel.string)
    }
    return tags?.each.first { $0.isA("Link") && ($0["rel"]?.each.contains(where: isQuote) ?? false) }?["href"]?
      .nonEmptyString
  }

  private func appendTags(_ tags: JSONValue?, to json: inout ByteBuffer) {
    guard let tags else { return }
    for (key, type, sign) in [
      ("mentions" as StaticString, "Mention" as StaticString, "@"), ("tags", "Hashtag", "#"),
    ] {
      json.array(key) { json in
        for tag in tags.each where tag.isA(type) {
          guard var name = tag["name"]?.nonEmptyString else { continue }
          if name.hasPrefix(sign) { name.removeFirst() }
          json.element { json in
            json.member("url", tag["href"])
            if sign == "@" { json.member("username", String(name.prefix { $0 != "@" })) }
            json.member(sign == "@" ? "acct" : "name", name)
          }
        }
      }
    }
  }

  /// Appends pictures and videos. In an export their addresses are names of files in it.
  private func appendMedia(_ attachments: JSONValue?, to json: inout ByteBuffer) {
    guard let attachments else { return }
    json.array("media_attachments") { json in
      for media in attachments.each where media.isObject {
        let link = media["url"]?.each.first
        let url = link.flatMap { $0.isObject ? $0["href"] : $0 } ?? media["href"]
        let type = (media["mediaType"] ?? link?["mediaType"])?.string?.prefix { $0 != "/" } ?? ""
        json.element { json in
          json.member("type", ["image", "video", "audio"].contains(type) ? String(type) : "unknown")
          json.member((url?.isLink ?? false) ? "url" : "file", url)
          json.member("description", media["name"])
          json.member("blurhash", media["blurhash"])
          if let width = media["width"], let height = media["height"], !width.isBlank, !height.isBlank {
            json.object("meta") { json in
              json.object("original") { json in
                json.member("width", width)
                json.member("height", height)
              }
            }
          }
        }
      }
    }
  }

  private func appendPoll(_ question: JSONValue, to json: inout ByteBuffer) {
    guard let options = question["oneOf"] ?? question["anyOf"] else { return }
    json.object("poll") { json in
      json.member("multiple", question["anyOf"] != nil)
      json.member("expires_at", question["endTime"])
      json.member("voters_count", question["votersCount"])
      json.array("options") { json in
        for option in options.each where option.isObject {
          json.element { json in
            json.member("title", option["name"])
            json.member("votes_count", option["replies"]?["totalItems"])
          }
        }
      }
    }
  }

  private func appendFields(_ attachments: JSONValue?, to json: inout ByteBuffer) {
    guard let attachments else { return }
    json.array("fields") { json in
      for field in attachments.each where field.isA("PropertyValue") {
        json.element { json in
          json.member("name", field["name"])
          json.member("value", field["value"])
        }
      }
    }
  }
}

/// The owner of a Mastodon export: the address by which activities name them, and the account as the API would send it.
struct OutboxOwner: Equatable, Sendable {
  let uri: String
  let account: [UInt8]
}

/// The address of an account or a post on an ActivityPub server. Mastodon's are `https://HOST/users/NAME/statuses/ID`,
/// and since 4.5 `https://HOST/ap/users/ID/statuses/ID`; the address of an activity has `/activity` after that.
struct ActivityAddress {
  let host: String
  private let uri: String
  private let parts: [Substring]

  init(_ uri: String) {
    self.uri = uri
    let path = uri.drop { $0 != "/" }.drop { $0 == "/" }.split(separator: "/")
    host = path.first.map { $0.lowercased() } ?? ""
    parts = Array(path.dropFirst())
  }

  /// Whether it is a post's, with its id in it.
  var isStatus: Bool { statusPart != nil }

  /// The id that the post has in the API of its own server; the whole address when that is not in it.
  var statusID: String { statusPart.map(String.init) ?? uri }

  /// The address of the boost itself, not of the activity that made it.
  var withoutActivity: String { parts.last == "activity" ? String(uri.dropLast("/activity".count)) : uri }

  private var statusPart: Substring? {
    guard let at = parts.lastIndex(of: "statuses"), at + 1 < parts.count else { return nil }
    return parts[at + 1]
  }

  /// The id that the account has in the API; the whole address when that is not in it.
  var accountID: String { parts.starts(with: ["ap", "users"]) && parts.count > 2 ? String(parts[2]) : uri }

  /// The name of the account in its address.
  var username: String? {
    if parts.first == "users", parts.count > 1 { return String(parts[1]) }
    return parts.first.flatMap { $0.hasPrefix("@") && $0.count > 1 ? String($0.dropFirst()) : nil }
  }
}

extension JSONValue {
  /// Whether it is the address of something on the web.
  fileprivate var isLink: Bool { isString && rawString.starts(with: "http".utf8) }
}

/// What mastodon-archive keeps of an account, as the API sent it: one object with the account and its lists.
extension TweetMapper {
  private static let lists: [(name: StaticString, feed: String)] = [
    ("statuses", ""), ("favourites", "likes"), ("bookmarks", "bookmarks"), ("mentions", "mentions"),
  ]

  /// Appends the account and the posts of its lists as record lines.
  mutating func mapArchive(_ archive: JSONValue, of account: JSONValue, into out: inout ByteBuffer) -> String? {
    shape = forced ?? .mastodon
    let given = state.context
    defer { state.context = given }
    // All posts have the ids of the account's server, whoever wrote them.
    if !given.isGiven, let own = FeedContext(archiveOf: account) { state.context = own }
    var reason = mapMastodon(account: account, into: &out)
    for (name, feed) in Self.lists {
      guard let list = archive[name], list.isArray else { continue }
      if !given.isGiven { state.context.setFeed(feed) }
      let fault = mapEach(of: list, into: &out) { mapper, post, out in
        post["account"] == nil ? "a status without an account" : mapper.mapSocial(post, into: &out)
      }
      reason = reason ?? fault
    }
    appendNotRead(of: archive, except: Self.lists.map(\.name), service: context.service, to: &out)
    return reason
  }
}
