import TweetCore
import TwitterText

/// Entities, photos and users as v1.1 writes them.
extension V1PostView {
  /// `entities` and, where there is a picture or a video, `extended_entities`.
  func entityMembers(of text: WireText, _ post: Post) throws -> JSON.Members {
    guard hasEntities else { return [] }
    let media = try reader.media(of: post)
    let entities = try reader.entities(of: text, hasPhoto: !media.isEmpty)
    var members = entityGroups(entities)
    if let poll = try store.poll(of: post.id) { members.append(("polls", .array([Self.object(poll, of: post)]))) }
    guard let first = media.first, let (span, link) = photoLink(in: entities) else {
      return [("entities", .object(members))]
    }
    // `entities` has only the first of several, and calls a video a photo.
    members.append(("media", .array([mediaObject(first, span, link, isExtended: false)])))
    let all = JSON.array(media.map { mediaObject($0, span, link, isExtended: true) })
    return [("entities", .object(members)), ("extended_entities", ["media": all])]
  }

  private static func object(_ poll: Draft.Poll, of post: Post) -> JSON {
    let options = poll.options.enumerated().map { index, text in
      JSON.object([("position", .number(index + 1)), ("text", .string(text))])
    }
    return [
      "options": .array(options), "end_datetime": .string(v1Date(poll.end(of: post))),
      "duration_minutes": .number(poll.minutes),
    ]
  }

  private typealias Entities = [(span: WireText.Span, entity: PostReader.Entity)]

  /// All entities but the photo's link.
  private func entityGroups(_ entities: Entities) -> JSON.Members {
    var (hashtags, mentions, symbols, urls): ([JSON], [JSON], [JSON], [JSON]) = ([], [], [], [])
    for (span, entity) in entities {
      let indices = ("indices", Self.pair(span.start..<span.end))
      switch entity {
      case .hashtag(let tag): hashtags.append(.object([("text", .string(tag)), indices]))
      case .cashtag(let tag): symbols.append(.object([("text", .string(tag)), indices]))
      case .mention(let account):
        mentions.append(
          .object([
            ("screen_name", .string(account.username)), ("name", .string(account.name)), ("id", .number(account.id)),
            ("id_str", .id(account.id)), indices,
          ]))
      case .link(let link) where link.isPhoto: continue
      case .link(let link):
        urls.append(
          .object([
            ("url", .string(link.short)), ("expanded_url", .string(link.target)),
            ("display_url", .string(link.displayed)), indices,
          ]))
      }
    }
    return [
      ("hashtags", .array(hashtags)), ("symbols", .array(symbols)), ("user_mentions", .array(mentions)),
      ("urls", .array(urls)),
    ]
  }

  private func photoLink(in entities: Entities) -> (WireText.Span, PostReader.Link)? {
    for (span, entity) in entities {
      if case .link(let link) = entity, link.isPhoto { return (span, link) }
    }
    return nil
  }

  private func mediaObject(
    _ media: PostMedia, _ span: WireText.Span, _ link: PostReader.Link, isExtended: Bool
  ) -> JSON {
    let address = JSON.string(reader.site.pictureAddress(of: media))
    let id = media.number
    let video = isExtended ? media.video : nil
    var members: JSON.Members = [
      ("id", .number(id)), ("id_str", .id(id)), ("indices", Self.pair(span.start..<span.end)),
      ("media_url", address), ("media_url_https", address), ("url", .string(link.short)),
      ("display_url", .string(link.displayed)), ("expanded_url", .string(link.target)),
      ("type", .string(video == nil ? "photo" : "video")),
    ]
    func size(_ width: Int, _ height: Int, _ resize: String) -> JSON {
      ["w": .number(width), "h": .number(height), "resize": .string(resize)]
    }
    let whole = size(media.width, media.height, "fit")
    members.append(
      (
        "sizes",
        ["thumb": size(150, 150, "crop"), "small": whole, "medium": whole, "large": whole]
      ))
    if let video {
      let variant: JSON = ["content_type": .string(video.rawValue), "url": .string(reader.site.address(of: media))]
      members.append(("video_info", ["variants": [variant]]))
    }
    if hasAltText { members.append(("ext_alt_text", .string(media.altText))) }
    return .object(members)
  }

  // MARK: Users

  func user(_ account: LocalAccount) throws -> JSON {
    let ids: JSON.Members = [("id", .number(account.id)), ("id_str", .id(account.id))]
    if trimsUsers { return .object(ids) }
    let description = reader.text(account.description)
    let url = reader.text(account.url)
    var members = ids
    members += [
      ("name", .string(account.name)), ("screen_name", .string(account.username)),
      ("location", .string(account.location)), ("description", .string(description.text)),
      ("url", account.url.isEmpty ? .null : .string(url.text)),
    ]
    // In streams a user has no entities.
    if mode != .streaming {
      var entities: JSON.Members = []
      if !account.url.isEmpty { entities.append(("url", try urls(in: url))) }
      entities.append(("description", try urls(in: description)))
      members.append(("entities", .object(entities)))
    }
    let picture = JSON.string(reader.site.portrait(of: account))
    let counts = try store.followCounts(of: account)
    return .object(
      members + [
        ("protected", .bool(false)), ("followers_count", .number(counts.followers)),
        ("friends_count", .number(counts.following)), ("listed_count", .number(account.listed)),
        ("created_at", .string(v1Date(account.createdAt))), ("favourites_count", .number(0)),
        ("verified", .bool(account.isVerified)), ("statuses_count", .number(try store.postCount(of: account))),
        ("profile_image_url", picture), ("profile_image_url_https", picture), ("default_profile_image", .bool(false)),
      ])
  }

  private func urls(in text: WireText) throws -> JSON {
    .object(entityGroups(try reader.entities(of: text)).filter { $0.key == "urls" })
  }
}

/// A time as v1.1 writes it, in UTC: `Wed Aug 27 13:08:45 +0000 2008`.
func v1Date(_ time: Timestamp) -> String {
  let parts = httpDate(time).split(separator: " ")
  return "\(parts[0].dropLast()) \(parts[2]) \(parts[1]) \(parts[4]) +0000 \(parts[3])"
}
