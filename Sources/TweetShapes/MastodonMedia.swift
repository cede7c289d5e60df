import TweetCore

/// Pictures, videos and polls of a Mastodon status, in v2's form.
extension TweetMapper {
  /// Appends `,"attachments":{…}`; nothing when there are none.
  func appendMastodonAttachments(_ media: JSONValue?, poll: JSONValue?, to out: inout ByteBuffer) {
    let keyStart = out.count
    out.append(",\"attachments\":")
    let start = out.count
    if let media, media.isArray {
      let keysStart = out.count
      out.append(",\"media_keys\":")
      let listStart = out.count
      for item in media.elements {
        guard let id = item["id"], !id.isBlank else { continue }
        out.append(",")
        out.appendAsString(id)
      }
      out.closeArray(from: listStart, keyStart: keysStart)
      let mediaStart = out.count
      out.append(",\"media\":")
      let itemsStart = out.count
      for item in media.elements where item.isObject { appendMastodonMedia(item, to: &out) }
      out.closeArray(from: itemsStart, keyStart: mediaStart)
    }
    if let poll, poll.isObject, !poll.isEmpty { appendMastodonPoll(poll, to: &out) }
    out.closeObject(from: start, keyStart: keyStart)
  }

  private func appendMastodonMedia(_ media: JSONValue, to out: inout ByteBuffer) {
    let type = media["type"]
    let isPhoto = type?.equals("image") ?? false
    // Media that this server has not fetched yet has only its remote address.
    let address = media["url"].flatMap { $0.isBlank ? nil : $0 } ?? media["remote_url"]
    out.append(",")
    let start = out.count
    out.append(",\"media_key\":", asString: media["id"])
    if isPhoto {
      out.append(",\"type\":\"photo\"")
    } else if type?.equals("gifv") ?? false {
      out.append(",\"type\":\"animated_gif\"")
    } else {
      out.append(",\"type\":", type)
    }
    out.append(
      isPhoto ? ",\"url\":" : ",\"preview_image_url\":", isPhoto ? address : media["preview_url"])
    out.append(",\"alt_text\":", media["description"])
    let original = media["meta"]?["original"]
    out.append(",\"width\":", count: original?["width"])
    out.append(",\"height\":", count: original?["height"])
    if let seconds = original?["duration"]?.double, seconds > 0, seconds < 1e9 {
      out.append(",\"duration_ms\":")
      out.append(decimal: Int(seconds * 1000))
    }
    if !isPhoto, let address, !address.isBlank {
      out.append(",\"variants\":[{\"url\":")
      out.append(address.raw)
      out.append("}]")
    }
    let keyStart = out.count
    out.append(",\"extra\":")
    let extraStart = out.count
    out.appendMembers(of: media, except: isPhoto ? photoNames : videoNames)
    out.closeObject(from: extraStart, keyStart: keyStart)
    out.closeObject(from: start, keyStart: start - 1)
  }

  private func appendMastodonPoll(_ poll: JSONValue, to out: inout ByteBuffer) {
    let pollStart = out.count
    out.append(",\"poll\":")
    let start = out.count
    out.append(",\"id\":", asString: poll["id"])
    if let options = poll["options"], options.isArray {
      let keyStart = out.count
      out.append(",\"options\":")
      let listStart = out.count
      for (number, option) in options.elements.enumerated() where option.isObject {
        out.append(",{\"position\":")
        out.append(decimal: number + 1)
        out.append(",\"label\":", option["title"])
        out.append(",\"votes\":", count: option["votes_count"])
        out.append("}")
      }
      out.closeArray(from: listStart, keyStart: keyStart)
    }
    out.append(",\"end_datetime\":", time: poll["expires_at"])
    if let expired = poll["expired"]?.bool {
      out.append(expired ? ",\"voting_status\":\"closed\"" : ",\"voting_status\":\"open\"")
    }
    let keyStart = out.count
    out.append(",\"extra\":")
    let extraStart = out.count
    out.appendMembers(of: poll, except: pollNames)
    out.closeObject(from: extraStart, keyStart: keyStart)
    out.closeObject(from: start, keyStart: pollStart)
  }
}

private let photoNames: [StaticString] = ["id", "type", "url", "description"]
private let videoNames: [StaticString] = ["id", "type", "url", "preview_url", "description"]
private let pollNames: [StaticString] = ["id", "options", "expires_at", "expired"]
