import TweetCore

/// Pictures, videos and polls of a Mastodon status, in v2's form.
extension TweetMapper {
  /// Appends `,"attachments":{…}`; nothing when there are none.
  func appendMastodonAttachments(_ media: JSONValue?, poll: JSONValue?, to out: inout ByteBuffer) {
    out.object("attachments") { out in
      if let media, media.isArray {
        out.array("media_keys") { out in
          for item in media.elements {
            guard let id = item["id"], !id.isBlank else { continue }
            out.append(",")
            out.appendAsString(id)
          }
        }
        out.array("media") { out in
          for item in media.elements where item.isObject { appendMastodonMedia(item, to: &out) }
        }
      }
      if let poll, poll.isObject, !poll.isEmpty { appendMastodonPoll(poll, to: &out) }
    }
  }

  private func appendMastodonMedia(_ media: JSONValue, to out: inout ByteBuffer) {
    let type = media["type"]
    let isPhoto = type?.equals("image") ?? false
    // Media that this server has not fetched yet has only its remote address.
    let address = media["url"].flatMap { $0.isBlank ? nil : $0 } ?? media["remote_url"]
    out.element { out in
      out.member("media_key", asString: media["id"])
      if isPhoto {
        out.member("type", "photo")
      } else if type?.equals("gifv") ?? false {
        out.member("type", "animated_gif")
      } else {
        out.member("type", type)
      }
      out.member(isPhoto ? "url" : "preview_image_url", isPhoto ? address : media["preview_url"])
      out.member("alt_text", media["description"])
      let original = media["meta"]?["original"]
      out.member("width", count: original?["width"])
      out.member("height", count: original?["height"])
      if let seconds = original?["duration"]?.double, seconds > 0, seconds < 1e9 {
        out.member("duration_ms", Int(seconds * 1000))
      }
      if !isPhoto, let address, !address.isBlank {
        out.append(",\"variants\":[{\"url\":")
        out.append(address.raw)
        out.append("}]")
      }
      out.object("extra") { out in
        out.appendMembers(of: media, except: isPhoto ? photoNames : videoNames)
      }
    }
  }

  private func appendMastodonPoll(_ poll: JSONValue, to out: inout ByteBuffer) {
    out.object("poll") { out in
      out.member("id", asString: poll["id"])
      if let options = poll["options"], options.isArray {
        out.array("options") { out in
          for (number, option) in options.elements.enumerated() where option.isObject {
            out.element { out in
              out.member("position", number + 1)
              out.member("label", option["title"])
              out.member("votes", count: option["votes_count"])
            }
          }
        }
      }
      let isRead = out.member("end_datetime", time: poll["expires_at"])
      if let expired = poll["expired"]?.bool {
        out.member("voting_status", expired ? "closed" as StaticString : "open")
      }
      out.object("extra") { out in
        if !isRead { out.member("expires_at", poll["expires_at"]) }
        out.appendMembers(of: poll, except: pollNames)
      }
    }
  }
}

private let photoNames: [StaticString] = ["id", "type", "url", "description"]
private let videoNames: [StaticString] = ["id", "type", "url", "preview_url", "description"]
private let pollNames: [StaticString] = ["id", "options", "expires_at", "expired"]
