import TweetCore
package import TweetServices

/// Posts that are to be made, and those that were made, as the X API v2 writes them.
extension PostDraft {
  /// The body of the request that makes the post.
  ///
  /// - Parameter media: the ids of the uploads that it shows.
  func v2Body(_ media: [String]) -> String {
    var body = ByteBuffer(capacity: text.utf8.count + 128)
    body.object { out in
      // A post that shows something needs no text.
      if !text.isEmpty || media.isEmpty { out.member("text", text) }
      if let replyTo { out.object("reply") { $0.member("in_reply_to_tweet_id", replyTo) } }
      out.member("quote_tweet_id", quoteOf)
      if let poll {
        out.object("poll") { out in
          out.key("options")
          out.appendJSONStrings(poll.options)
          out.member("duration_minutes", poll.minutes)
        }
      }
      if !media.isEmpty {
        out.object("media") { out in
          out.key("media_ids")
          out.appendJSONStrings(media)
        }
      }
      out.member("reply_settings", repliers?.v2Name)
    }
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
    buffer.object { out in
      out.object("data") { out in
        out.member("id", id)
        out.member("created_at", time)
        out.member("author_id", account.id)
        // The API's texts are HTML.
        let text = draft.text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        out.member("text", text)
        out.array("referenced_tweets") { out in
          for case (let type, let id?) in [("replied_to", draft.replyTo), ("quoted", draft.quoteOf)] {
            out.element { out in
              out.member("type", type)
              out.member("id", id)
            }
          }
        }
        out.appendV2Attachments(of: draft, postedAt: time)
      }
      out.object("includes") { $0.member("users", json: "[\(account.object)]") }
    }
    return buffer.array
  }
}

extension ByteBuffer {
  /// Appends `,"attachments":{…}`, with media and poll inside, as in a flattened answer; nothing if there are none.
  fileprivate mutating func appendV2Attachments(of draft: PostDraft, postedAt time: Timestamp) {
    let uploads = draft.media.compactMap { file in file.upload.map { (file, $0) } }
    if !uploads.isEmpty {
      object("attachments") { out in
        out.key("media_keys")
        out.appendJSONStrings(uploads.compactMap(\.1.key))
        out.array("media") { out in
          for (file, upload) in uploads { out.append(v2Media: upload, altText: file.altText) }
        }
      }
    } else if let poll = draft.poll {
      object("attachments") { out in
        out.object("poll") { out in
          out.key("options")
          out.array { out in
            for (index, option) in poll.options.enumerated() {
              out.element { out in
                out.member("position", index + 1)
                out.member("label", option)
                out.member("votes", 0)
              }
            }
          }
          out.member("duration_minutes", poll.minutes)
          out.member("end_datetime", Timestamp(milliseconds: time.milliseconds + Int64(poll.minutes) * 60_000))
          out.member("voting_status", "open")
        }
      }
    }
  }

  private mutating func append(v2Media upload: MediaUpload, altText: String?) {
    let type =
      switch upload.type {
      case "image/gif": "animated_gif"
      case let type where type.hasPrefix("video/"): "video"
      default: "photo"
      }
    element { out in
      out.member("type", type)
      out.member("media_key", upload.key)
      out.member("alt_text", altText)
      if let width = upload.width, let height = upload.height {
        out.member("width", width)
        out.member("height", height)
      }
    }
  }
}
