import TweetCore

/// Mastodon's export of an account, which has ActivityPub's objects (https://www.w3.org/TR/activitystreams-vocabulary/):
/// `actor.json`, the account, and `outbox.json`, its activities. Each is rewritten as the API would send it, and mapped as
/// that is.
extension TweetMapper {
  /// Appends the owner of an export, who becomes the author of the activities after it.
  mutating func mapOutbox(actor: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let uri = actor["id"]?.nonEmptyString else { return "an account without an id" }
    var json = ByteBuffer(capacity: 4096)
    json.append("{\"id\":")
    json.appendJSONString(ActivityAddress(uri).accountID)
    json.append(",\"username\":", actor["preferredUsername"])
    json.append(",\"acct\":", actor["preferredUsername"])
    json.append(",\"display_name\":", actor["name"])
    json.append(",\"locked\":", actor["manuallyApprovesFollowers"])
    json.append(",\"created_at\":", actor["published"])
    json.append(",\"note\":", actor["summary"])
    json.append(",\"url\":", actor["url"] ?? actor["id"])
    json.append(",\"uri\":", actor["id"])
    // In an export it is the name of a file.
    if let picture = actor["icon"]?["url"], picture.isLink { json.append(",\"avatar\":", picture) }
    appendFields(actor["attachment"], to: &json)
    json.append("}")
    state.outboxOwner = OutboxOwner(uri: uri, account: json.array)
    return mapRewritten(json) { mapper, account in mapper.mapMastodon(account: account, into: &out) }
  }

  /// Appends the post that an activity made, or the boost that it is. Other activities are bad records.
  mutating func mapOutbox(activity: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let object = activity["object"], let author = activity["actor"]?.nonEmptyString else {
      return "an activity without actor or object"
    }
    var json = ByteBuffer(capacity: 4096)
    if activity["type"]?.equals("Announce") ?? false {
      guard let id = activity["id"]?.nonEmptyString else { return "a boost without an id" }
      append(boost: object, of: activity, ActivityAddress(id), author, to: &json)
    } else if activity["type"]?.equals("Create") ?? false, object.isObject {
      append(note: object, by: author, to: &json)
    } else {
      return "an activity that is neither a post nor a boost"
    }
    return mapRewritten(json) { mapper, status in mapper.mapMastodon(status: status, into: &out) }
  }

  private mutating func mapRewritten(
    _ json: borrowing ByteBuffer, _ map: (inout TweetMapper, JSONValue) -> String?
  ) -> String? {
    do throws(JSONFault) {
      let document = try JSONDocument(json.array)
      return map(&self, document.root)
    } catch {
      return "an activity: \(error.reason)"
    }
  }

  /// Appends a note, or a question, as a status.
  private func append(note: JSONValue, by author: String, to json: inout ByteBuffer) {
    let uri = note["id"]?.string ?? ""
    let address = ActivityAddress(uri)
    json.append("{\"id\":")
    json.appendJSONString(address.statusID)
    json.append(",\"created_at\":", note["published"])
    json.append(",\"edited_at\":", note["updated"])
    json.append(",\"uri\":", note["id"])
    json.append(",\"url\":", note["url"] ?? note["id"])
    json.append(",\"account\":")
    appendAccount(author, to: &json)
    let languages = note["contentMap"]
    json.append(",\"content\":", note["content"] ?? languages?.members.first { _ in true }?.value)
    if let language = languages?.members.first(where: { _ in true })?.key { json.append(",\"language\":", language) }
    json.append(",\"spoiler_text\":", note["summary"])
    json.append(",\"sensitive\":", note["sensitive"])
    json.append(visibility(of: note))
    json.append(",\"favourites_count\":", note["likes"]?["totalItems"])
    json.append(",\"reblogs_count\":", note["shares"]?["totalItems"])
    appendReply(to: note["inReplyTo"], from: address, author, to: &json)
    appendTags(note["tag"], to: &json)
    appendMedia(note["attachment"], to: &json)
    appendPoll(note, to: &json)
    json.append("}")
  }

  /// Appends a boost as a status. An export has the address of the boosted post, which is all that its text can say; the
  /// account's own posts it has whole.
  private func append(
    boost object: JSONValue, of activity: JSONValue, _ address: ActivityAddress, _ author: String,
    to json: inout ByteBuffer
  ) {
    json.append("{\"id\":")
    json.appendJSONString(address.statusID)
    json.append(",\"created_at\":", activity["published"])
    json.append(",\"uri\":", activity["id"])
    json.append(",\"url\":")
    json.appendJSONString(address.withoutActivity)
    json.append(",\"account\":")
    appendAccount(author, to: &json)
    json.append(visibility(of: activity))
    if object.isObject {
      json.append(",\"reblog\":")
      append(note: object, by: object["attributedTo"]?.string ?? author, to: &json)
    } else if let link = object.string {
      let boosted = ActivityAddress(link)
      json.append(",\"reblog_of_id\":")
      json.appendJSONString(boosted.host == address.host ? boosted.statusID : link)
      let who = boosted.username.map { "@\($0)@\(boosted.host): " } ?? ""
      json.append(",\"content\":")
      json.appendJSONString("<p>RT \(Self.html(who))<a href=\"\(Self.html(link))\">\(Self.html(link))</a></p>")
    }
    json.append("}")
  }

  private static func html(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("\"", with: "&quot;").replacing("<", with: "&lt;")
  }

  /// Appends the owner's account, or what an actor's address says of another.
  private func appendAccount(_ uri: String, to json: inout ByteBuffer) {
    if let outboxOwner = state.outboxOwner, outboxOwner.uri == uri {
      json.append(outboxOwner.account)
      return
    }
    let address = ActivityAddress(uri)
    json.append("{\"id\":")
    json.appendJSONString(address.accountID)
    if let name = address.username {
      json.append(",\"username\":")
      json.appendJSONString(name)
    }
    json.append(",\"url\":")
    json.appendJSONString(uri)
    json.append("}")
  }

  /// `,"visibility":"…"`, by whom it was addressed to (https://docs.joinmastodon.org/spec/activitypub/).
  private func visibility(of object: JSONValue) -> StaticString {
    func contains(_ key: StaticString, _ isMeant: (String) -> Bool) -> Bool {
      guard let list = object[key] else { return false }
      return (list.isArray ? Array(list.elements) : [list]).contains { $0.string.map(isMeant) ?? false }
    }
    func isPublic(_ address: String) -> Bool {
      ["https://www.w3.org/ns/activitystreams#Public", "as:Public", "Public"].contains(address)
    }
    if contains("to", isPublic) { return ",\"visibility\":\"public\"" }
    if contains("cc", isPublic) { return ",\"visibility\":\"unlisted\"" }
    return contains("to") { $0.hasSuffix("/followers") }
      ? ",\"visibility\":\"private\"" : ",\"visibility\":\"direct\""
  }

  /// Appends what it replies to. Only of a post on the same server the address has its id.
  private func appendReply(
    to parent: JSONValue?, from address: ActivityAddress, _ author: String, to json: inout ByteBuffer
  ) {
    guard let link = parent?.nonEmptyString else { return }
    let parent = ActivityAddress(link)
    if parent.host == address.host, parent.isStatus {
      json.append(",\"in_reply_to_id\":")
      json.appendJSONString(parent.statusID)
      if link.hasPrefix(author + "/") {
        json.append(",\"in_reply_to_account_id\":")
        json.appendJSONString(ActivityAddress(author).accountID)
      }
    } else {
      json.append(",\"in_reply_to_uri\":")
      json.appendJSONString(link)
    }
  }

  private func appendTags(_ tags: JSONValue?, to json: inout ByteBuffer) {
    guard let tags, tags.isArray else { return }
    for (key, type, sign) in [
      (",\"mentions\":" as StaticString, "Mention" as StaticString, "@"), (",\"tags\":", "Hashtag", "#"),
    ] {
      let keyStart = json.count
      json.append(key)
      let listStart = json.count
      for tag in tags.elements where tag["type"]?.equals(type) ?? false {
        guard var name = tag["name"]?.nonEmptyString else { continue }
        if name.hasPrefix(sign) { name.removeFirst() }
        json.append(",")
        let start = json.count
        json.append(",\"url\":", tag["href"])
        if sign == "@" {
          json.append(",\"username\":")
          json.appendJSONString(String(name.prefix { $0 != "@" }))
        }
        json.append(sign == "@" ? ",\"acct\":" : ",\"name\":")
        json.appendJSONString(name)
        json.endObject(from: start)
      }
      json.closeArray(from: listStart, keyStart: keyStart)
    }
  }

  /// Appends pictures and videos. In an export their addresses are names of files in it.
  private func appendMedia(_ attachments: JSONValue?, to json: inout ByteBuffer) {
    guard let attachments, attachments.isArray else { return }
    let keyStart = json.count
    json.append(",\"media_attachments\":")
    let start = json.count
    for media in attachments.elements where media.isObject {
      let type = media["mediaType"]?.string?.prefix { $0 != "/" } ?? ""
      json.append(",{\"type\":")
      json.appendJSONString(["image", "video", "audio"].contains(type) ? String(type) : "unknown")
      json.append((media["url"]?.isLink ?? false) ? ",\"url\":" : ",\"file\":", media["url"])
      json.append(",\"description\":", media["name"])
      json.append(",\"blurhash\":", media["blurhash"])
      if let width = media["width"], let height = media["height"], !width.isBlank, !height.isBlank {
        json.append(",\"meta\":{\"original\":{\"width\":", width)
        json.append(",\"height\":", height)
        json.append("}}")
      }
      json.append("}")
    }
    json.closeArray(from: start, keyStart: keyStart)
  }

  private func appendPoll(_ question: JSONValue, to json: inout ByteBuffer) {
    guard let options = question["oneOf"] ?? question["anyOf"], options.isArray else { return }
    json.append(",\"poll\":{\"multiple\":")
    json.append(question["anyOf"] != nil ? "true" : "false")
    json.append(",\"expires_at\":", question["endTime"])
    json.append(",\"voters_count\":", question["votersCount"])
    let keyStart = json.count
    json.append(",\"options\":")
    let listStart = json.count
    for option in options.elements where option.isObject {
      json.append(",")
      let start = json.count
      json.append(",\"title\":", option["name"])
      json.append(",\"votes_count\":", option["replies"]?["totalItems"])
      json.endObject(from: start)
    }
    json.closeArray(from: listStart, keyStart: keyStart)
    json.append("}")
  }

  private func appendFields(_ attachments: JSONValue?, to json: inout ByteBuffer) {
    guard let attachments, attachments.isArray else { return }
    let keyStart = json.count
    json.append(",\"fields\":")
    let start = json.count
    for field in attachments.elements where field["type"]?.equals("PropertyValue") ?? false {
      json.append(",")
      let first = json.count
      json.append(",\"name\":", field["name"])
      json.append(",\"value\":", field["value"])
      json.endObject(from: first)
    }
    json.closeArray(from: start, keyStart: keyStart)
  }
}

/// The owner of a Mastodon export: the address by which activities name them, and the account as the API would send it.
struct OutboxOwner: Equatable, Sendable {
  let uri: String
  let account: [UInt8]
}

/// The address of an account or a post on an ActivityPub server. Mastodon's are `https://HOST/users/NAME/statuses/ID`, and
/// since 4.5 `https://HOST/ap/users/ID/statuses/ID`; the address of an activity has `/activity` behind that.
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
