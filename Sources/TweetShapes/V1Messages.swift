import TweetCore

/// Messages of X API v1.1's streams that are not tweets. Each has one top-level member, whose name is the kind of
/// message.
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
      out.notice("info", "scrub_geo", "a user took the places out of earlier posts", service: context.service) { out in
        if let user = readID(body["user_id_str"], body["user_id"]) { out.member("user_id", id: user) }
        if let last = readID(body["up_to_status_id_str"], body["up_to_status_id"]) { out.member("up_to_id", id: last) }
      }
    case .limit:
      out.notice("warning", "limit", "the stream left out posts since it began", service: context.service) { out in
        out.member("track", body["track"])
        out.member("timestamp_ms", body["timestamp_ms"])
      }
    case .statusWithheld:
      out.notice("info", "withheld", "a post is withheld in some countries", service: context.service) { out in
        if let id = v1ID(body) { out.member("id", id: id) }
        if let user = readID(body["user_id_str"], body["user_id"]) { out.member("user_id", id: user) }
        out.member("countries", body["withheld_in_countries"])
      }
    case .userWithheld:
      out.notice("info", "withheld", "a user is withheld in some countries", service: context.service) { out in
        if let user = v1ID(body) { out.member("user_id", id: user) }
        out.member("countries", body["withheld_in_countries"])
      }
    case .disconnect:
      out.notice(
        "warning", "disconnect", body["reason"]?.nonEmptyString ?? "the service closed the stream",
        service: context.service
      ) { out in
        out.member("disconnect_code", body["code"])
        out.member("stream_name", body["stream_name"])
      }
    case .warning:
      let code = body["code"]?.string?.lowercased().map { $0 == "_" ? "-" : $0 }
      out.notice(
        "warning", code.flatMap { serviceCode(String($0)) } ?? "warning",
        body["message"]?.nonEmptyString ?? "a warning of the service",
        service: context.service
      ) { out in
        out.member("percent_full", body["percent_full"])
      }
    case .friends, .friendsStrings:
      out.notice("info", "friends", "whom the account follows", service: context.service) { out in
        out.member("ids", body)
      }
    case .control:
      out.notice("info", "control", "where the stream is controlled", service: context.service) { out in
        out.appendNoticeMembers(of: body, except: [])
      }
    case .directMessage:
      // Private texts do not go into records.
      out.notice("info", "direct-message", "a direct message came", service: context.service) { out in
        out.member("id", asString: body.v1ID)
      }
    case .event: return body.isString ? mapV1(event: body, of: document, into: &out) : Self.unknownShape
    case .error, .info, .warn:
      guard let message = body["message"]?.nonEmptyString else { return Self.unknownShape }
      let level: StaticString = kind == .error ? "error" : kind == .info ? "info" : "warning"
      out.notice(level, "\(level)", message, service: context.service) { out in
        out.appendNoticeMembers(of: body, except: ["message", "code"])
      }
    case .forUser:
      guard let inner = document["message"] else { return "an envelope without a message" }
      return map(document: inner, isRecord: false, into: &out)
    }
    return nil
  }

  /// Appends the deletion of a post; or a notice that a direct message was deleted, since no record holds that message.
  private mutating func mapV1(delete body: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let status = body["status"] else {
      guard let message = body["direct_message"] else { return "a deletion of nothing known" }
      out.notice("info", "direct-message-deleted", "a direct message was deleted", service: context.service) { out in
        out.member("id", asString: message.v1ID)
      }
      return nil
    }
    guard let id = v1ID(status) else { return "a deletion without an id" }
    let user = readID(status["user_id_str"], status["user_id"])
    out.record("delete") { out in
      out.member("service", inside: context.service)
      out.member("id", id: id)
      if let user { out.member("user_id", id: user) }
    }
    return nil
  }

  /// Appends a profile as a `user` record.
  mutating func mapV1(user: JSONValue, into out: inout ByteBuffer) -> String? {
    if RecordMark(user) != .none { return Self.forged }
    guard v1ID(user) != nil else { return "a user without an id" }
    out.record("user") { out in
      out.member("service", inside: context.service)
      appendV1Members(of: user, to: &out)
    }
    return nil
  }
}

/// The kinds of stream messages, each by the name of its member.
enum V1MessageKind: CaseIterable {
  case delete, scrubGeo, limit, statusWithheld, userWithheld, disconnect, warning, friends, friendsStrings, control
  case directMessage, event, forUser
  /// What Gnip says between its activities.
  case error, info, warn

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
    case .error: "error"
    case .info: "info"
    case .warn: "warn"
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
