import TweetCore

/// Messages of X API v1.1's streams that are not tweets. Each has one top-level member, whose name is the kind of message.
extension TweetMapper {
  /// Appends the record of a stream message.
  /// - Parameters:
  ///   - kind: the name of its member.
  ///   - body: the value of that member.
  mutating func mapV1(
    message kind: V1MessageKind, _ body: JSONValue, in document: JSONValue, into out: inout ByteBuffer
  ) -> String? {
    switch kind {
    case .delete: return mapV1(delete: body, into: &out)
    case .scrubGeo:
      appendNotice("info", "scrub_geo", "a user took the places out of earlier posts", to: &out)
      out.append(",\"user_id\":", asString: body["user_id_str"] ?? body["user_id"])
      out.append(",\"up_to_id\":", asString: body["up_to_status_id_str"] ?? body["up_to_status_id"])
    case .limit:
      appendNotice("warning", "limit", "the stream left out posts since it began", to: &out)
      out.append(",\"track\":", body["track"])
      out.append(",\"timestamp_ms\":", body["timestamp_ms"])
    case .statusWithheld:
      appendNotice("info", "withheld", "a post is withheld in some countries", to: &out)
      out.append(",\"id\":", asString: body.v1ID)
      out.append(",\"user_id\":", asString: body["user_id_str"] ?? body["user_id"])
      out.append(",\"countries\":", body["withheld_in_countries"])
    case .userWithheld:
      appendNotice("info", "withheld", "a user is withheld in some countries", to: &out)
      out.append(",\"user_id\":", asString: body.v1ID)
      out.append(",\"countries\":", body["withheld_in_countries"])
    case .disconnect:
      appendNotice("warning", "disconnect", body["reason"]?.nonEmptyString ?? "the service closed the stream", to: &out)
      out.append(",\"disconnect_code\":", body["code"])
      out.append(",\"stream_name\":", body["stream_name"])
    case .warning:
      let code = body["code"]?.string?.lowercased().map { $0 == "_" ? "-" : $0 }
      appendNotice(
        "warning", code.map { String($0) } ?? "warning", body["message"]?.nonEmptyString ?? "a warning of the service",
        to: &out)
      out.append(",\"percent_full\":", body["percent_full"])
    case .friends, .friendsStrings:
      appendNotice("info", "friends", "whom the account follows", to: &out)
      out.append(",\"ids\":", body)
    case .control:
      appendNotice("info", "control", "where the stream is controlled", to: &out)
      out.appendMembers(of: body, except: [])
    case .directMessage:
      // Private texts do not go into records.
      appendNotice("info", "direct-message", "a direct message came", to: &out)
      out.append(",\"id\":", asString: body.v1ID)
    case .event: return mapV1(event: body, of: document, into: &out)
    case .forUser:
      guard let inner = document["message"] else { return "an envelope without a message" }
      return map(document: inner, into: &out)
    }
    out.append("}\n")
    return nil
  }

  /// Appends the head of a notice. The caller appends more members and ends it.
  private func appendNotice(_ level: StaticString, _ code: String, _ message: String, to out: inout ByteBuffer) {
    out.append("{\"tw\":\"notice\",\"level\":\"")
    out.append(level)
    out.append("\",\"code\":")
    out.appendJSONString(code)
    out.append(",\"message\":")
    out.appendJSONString(message)
    out.append(",\"service\":")
    out.append(context.service)
  }

  /// Appends the deletion of a post; or a notice that a direct message was deleted, since no record holds that message.
  private mutating func mapV1(delete body: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let status = body["status"] else {
      guard let message = body["direct_message"] else { return "a deletion of nothing known" }
      appendNotice("info", "direct-message-deleted", "a direct message was deleted", to: &out)
      out.append(",\"id\":", asString: message.v1ID)
      out.append("}\n")
      return nil
    }
    guard let id = status.v1ID else { return "a deletion without an id" }
    out.append("{\"tw\":\"delete\",\"service\":")
    out.append(context.service)
    out.append(",\"id\":", asString: id)
    out.append(",\"user_id\":", asString: status["user_id_str"] ?? status["user_id"])
    out.append("}\n")
    return nil
  }

  /// Appends a notice that a user did something (liked, followed), and then the post that it was done to.
  private mutating func mapV1(event name: JSONValue, of document: JSONValue, into out: inout ByteBuffer) -> String? {
    let text = name.string ?? "event"
    let source = document["source"]
    let target = document["target"]
    let actor = source?["screen_name"]?.string.map { "@" + $0 } ?? "somebody"
    appendNotice("info", "event", "\(actor): \(text)", to: &out)
    out.append(",\"event\":", name)
    out.append(",\"source_id\":", asString: source?.v1ID)
    out.append(",\"target_id\":", asString: target?.v1ID)
    let object = document["target_object"]
    out.append(",\"target_object_id\":", asString: object?.v1ID)
    out.append(",\"created_at\":", time: document["created_at"])
    out.append("}\n")
    guard let object, object["text"] ?? object["full_text"] != nil else { return nil }
    return mapV1(tweet: object, into: &out)
  }

  /// Appends a profile as a `user` record.
  mutating func mapV1(user: JSONValue, into out: inout ByteBuffer) -> String? {
    guard user.v1ID != nil else { return "a user without an id" }
    out.append("{\"tw\":\"user\",\"service\":")
    out.append(context.service)
    let start = out.count
    appendV1User(user, to: &out)
    out[start] = UInt8(ascii: ",")
    out.append("\n")
    return nil
  }
}

/// The kinds of stream messages, each by the name of its member.
enum V1MessageKind: CaseIterable {
  case delete, scrubGeo, limit, statusWithheld, userWithheld, disconnect, warning, friends, friendsStrings, control
  case directMessage, event, forUser

  var name: StaticString {
    switch self {
    case .delete: "delete"
    case .scrubGeo: "scrub_geo"
    case .limit: "limit"
    case .statusWithheld: "status_withheld"
    case .userWithheld: "user_withheld"
    case .disconnect: "disconnect"
    case .warning: "warning"
    case .friends: "friends"
    case .friendsStrings: "friends_str"
    case .control: "control"
    case .directMessage: "direct_message"
    case .event: "event"
    case .forUser: "for_user"
    }
  }

  /// The kind of a document and the value of its member; `nil` for a document that is not a stream message.
  static func find(in document: JSONValue) -> (V1MessageKind, JSONValue)? {
    for (key, value) in document.members {
      for kind in allCases where key.spells(kind.name) { return (kind, value) }
    }
    return nil
  }
}
