import TweetCore
package import TweetServices

/// Posts that are to be made, and those that were made, as the X API v2 writes them.
extension PostDraft {
  /// The body of the request that makes the post.
  ///
  /// - Parameter media: the ids of the uploads that it shows.
  func v2Body(_ media: [String]) -> String {
    var body = ByteBuffer(capacity: text.utf8.count + 128)
    // A post that shows something needs no text.
    var separator = "{"
    func begin(_ key: StaticString, in body: inout ByteBuffer) {
      body.append("\(separator)\"\(key)\":")
      separator = ","
    }
    if !text.isEmpty || media.isEmpty {
      begin("text", in: &body)
      body.appendJSONString(text)
    }
    if let replyTo {
      begin("reply", in: &body)
      body.append("{\"in_reply_to_tweet_id\":")
      body.appendJSONString(replyTo)
      body.append("}")
    }
    if let quoteOf {
      begin("quote_tweet_id", in: &body)
      body.appendJSONString(quoteOf)
    }
    if let poll {
      begin("poll", in: &body)
      body.append("{\"options\":")
      body.appendJSONStrings(poll.options)
      body.append(",\"duration_minutes\":\(poll.minutes)}")
    }
    if !media.isEmpty {
      begin("media", in: &body)
      body.append("{\"media_ids\":")
      body.appendJSONStrings(media)
      body.append("}")
    }
    if let repliers {
      begin("reply_settings", in: &body)
      body.appendJSONString(repliers.v2Name)
    }
    body.append("}")
    return body.string
  }
}

extension PostDraft.Repliers {
  /// As `TweetCreateRequest` spells it (X's OpenAPI description 2.166).
  fileprivate var v2Name: String { self == .mentioned ? "mentionedUsers" : rawValue }
}

extension V2Writing {
  package func document(of draft: PostDraft, id: String, by account: WritingAccount) -> [UInt8] {
    // The API's times have whole seconds.
    let time = Timestamp(milliseconds: (Int(id).map(Snowflake.time(of:)) ?? .now).milliseconds / 1000 * 1000)
    var buffer = ByteBuffer(capacity: draft.text.utf8.count + account.object.utf8.count + 512)
    buffer.append("{\"data\":{\"id\":")
    buffer.appendJSONString(id)
    buffer.append(",\"created_at\":\"")
    buffer.append(time)
    buffer.append("\",\"author_id\":")
    buffer.appendJSONString(account.id)
    buffer.append(",\"text\":")
    // The API's texts are HTML.
    let text = draft.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    buffer.appendJSONString(text)
    let references = [("replied_to", draft.replyTo), ("quoted", draft.quoteOf)]
    var isFirst = true
    for case (let type, let id?) in references {
      buffer.append("\(isFirst ? ",\"referenced_tweets\":[" : ","){\"type\":\"\(type)\",\"id\":")
      buffer.appendJSONString(id)
      buffer.append("}")
      isFirst = false
    }
    if !isFirst { buffer.append("]") }
    buffer.appendV2Attachments(of: draft, postedAt: time)
    buffer.append("},\"includes\":{\"users\":[\(account.object)]}}")
    return buffer.array
  }
}

extension ByteBuffer {
  /// Appends `,"attachments":{…}`, with media and poll inside, as in a flattened answer; nothing if there are none.
  fileprivate mutating func appendV2Attachments(of draft: PostDraft, postedAt time: Timestamp) {
    let uploads = draft.media.compactMap { file in file.upload.map { (file, $0) } }
    if !uploads.isEmpty {
      append(",\"attachments\":{\"media_keys\":")
      appendJSONStrings(uploads.compactMap(\.1.key))
      append(",\"media\":[")
      for (index, (file, upload)) in uploads.enumerated() {
        if index > 0 { append(",") }
        append(v2Media: upload, altText: file.altText)
      }
      append("]}")
    } else if let poll = draft.poll {
      append(",\"attachments\":{\"poll\":{\"options\":[")
      for (index, option) in poll.options.enumerated() {
        append("\(index > 0 ? "," : ""){\"position\":\(index + 1),\"label\":")
        appendJSONString(option)
        append(",\"votes\":0}")
      }
      append("],\"duration_minutes\":\(poll.minutes),\"end_datetime\":\"")
      append(Timestamp(milliseconds: time.milliseconds + Int64(poll.minutes) * 60_000))
      append("\",\"voting_status\":\"open\"}}")
    }
  }

  private mutating func append(v2Media upload: MediaUpload, altText: String?) {
    let type =
      switch upload.type {
      case "image/gif": "animated_gif"
      case let type where type.hasPrefix("video/"): "video"
      default: "photo"
      }
    append("{\"type\":\"\(type)\"")
    for case (let name, let text?) in [("media_key", upload.key), ("alt_text", altText)] {
      append(",\"\(name)\":")
      appendJSONString(text)
    }
    if let width = upload.width, let height = upload.height { append(",\"width\":\(width),\"height\":\(height)") }
    append("}")
  }
}
