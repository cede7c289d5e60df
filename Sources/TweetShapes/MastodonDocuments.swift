import TweetCore

/// Documents of Mastodon's API that have statuses or accounts in them: search results, contexts, notifications,
/// conversations, and the events of its streams.
extension TweetMapper {
  /// Appends the statuses of one list, then the accounts of another, as record lines.
  mutating func mapMastodon(
    statuses: JSONValue?, accounts: JSONValue?, into out: inout ByteBuffer
  ) -> String? {
    var reason: String?
    if let statuses {
      reason = mapEach(of: statuses, into: &out) { mapper, status, out in
        mapper.mapMastodon(status: status, into: &out)
      }
    }
    if let accounts {
      let second = mapEach(of: accounts, into: &out) { mapper, account, out in
        mapper.mapMastodon(account: account, into: &out)
      }
      reason = reason ?? second
    }
    return reason
  }

  /// Appends the status that a notification is about, and the account that caused it unless that wrote the status.
  mutating func mapMastodon(
    status: JSONValue?, of account: JSONValue, into out: inout ByteBuffer
  ) -> String? {
    if let status, status.isObject {
      if let reason = mapMastodon(status: status, into: &out) { return reason }
      if let author = status["account"]?["id"], let id = account["id"],
        author.raw.elementsEqual(id.raw)
      {
        return nil
      }
    }
    return mapMastodon(account: account, into: &out)
  }

  /// Appends the deletion of a status as a record line. A stream sends only its id, so a context must name the server.
  mutating func mapMastodon(delete id: JSONValue, into out: inout ByteBuffer) -> String? {
    guard !id.isBlank, !id.isObject, !id.isArray else { return "a deletion without an id" }
    return out.record("delete") { out in
      guard out.appendMastodonService(context, []) else {
        return "a deletion that does not say of which server (a context record before it does)"
      }
      out.member("id", asString: id)
      return nil
    }
  }

  /// Appends the records of a frame of the WebSocket stream, whose payload is JSON text in a string. Events that are
  /// not about a post have none.
  mutating func mapMastodon(event: JSONValue, payload: JSONValue?, into out: inout ByteBuffer)
    -> String?
  {
    switch StreamEvent(event.rawString) {
    case .delete:
      guard let payload else { return "a deletion without an id" }
      return mapMastodon(delete: payload, into: &out)
    case .post:
      guard let payload else { return "an event without its payload" }
      if payload.isObject { return mapMastodon(payload: payload, into: &out) }
      guard let text = payload.string else { return "an event whose payload is not text" }
      do throws(JSONFault) {
        // Whether the text has escapes nobody has looked at.
        out.removesEscapes = true
        let document = try JSONDocument(text)
        return document.read { mapMastodon(payload: $0, into: &out) }
      } catch {
        return "an event's payload: \(error.reason)"
      }
    case .other: return nil
    }
  }

  private mutating func mapMastodon(payload: JSONValue, into out: inout ByteBuffer) -> String? {
    payload["event"] == nil ? mapSocial(payload, into: &out) : "an event within an event"
  }
}
