import TweetCore

/// What is embedded in a Bluesky post: pictures (up to four, or a gallery), a video, a link's card, a quoted post, or a
/// quoted post and one of the others. In a view it has addresses to load from; in a record it has blobs, named by the
/// hash of their content.
struct BlueskyEmbed {
  let value: JSONValue?
  private let did: ArraySlice<UInt8>
  private let images: JSONValue?
  private let video: JSONValue?
  private let external: JSONValue?
  /// What it shows below the post: the card of a link, and that of a feed, a list, a starter pack or a labeler.
  private(set) var cards: [BlueskyCard] = []
  /// The quoted post: a view of it, or only its address.
  let quoted: JSONValue?

  init(_ value: JSONValue?, did: ArraySlice<UInt8>) {
    (self.value, self.did) = (value, did)
    let media = value?["media"] ?? value
    // A gallery may come to have other things than pictures and videos.
    let list = media?["images"] ?? media?["items"].flatMap { $0.elements.contains(where: Self.isMedium) ? $0 : nil }
    images = list.flatMap { $0.isArray && !$0.isEmpty ? $0 : nil }
    video = media?["playlist"] ?? media?["video"] == nil ? nil : media
    external = media?["external"].flatMap { $0["uri"]?.nonEmptyString == nil ? nil : $0 }
    let record = value?["record"]
    let post = record?["uri"] == nil ? record?["record"] : record
    quoted = post?["uri"]?.isPostAddress ?? false ? post : nil
    cards = [
      external.map { BlueskyCard(external: $0) }, quoted == nil ? post.flatMap { BlueskyCard(record: $0) } : nil,
    ]
    .compactMap(\.self)
  }

  private static func isMedium(_ item: JSONValue) -> Bool {
    item["image"] ?? item["fullsize"] ?? item["video"] ?? item["playlist"] != nil
  }

  /// Why the quoted post is not there: it is gone, one of the two authors has blocked the other, or its author has
  /// detached it.
  var quoteState: StaticString? {
    guard let quoted else { return nil }
    if quoted["notFound"]?.bool == true { return "not_found" }
    if quoted["blocked"]?.bool == true { return "blocked" }
    return quoted["detached"]?.bool == true ? "detached" : nil
  }

  /// Whether all of it is mapped to members of a record.
  var isMapped: Bool {
    let isMedia = images ?? video ?? external != nil
    guard images?.elements.allSatisfy(Self.isMedium) ?? true else { return false }
    guard let value, value["record"] != nil else { return isMedia }
    return quoted != nil && (isMedia || value["media"] == nil)
  }

  /// Appends `,"embed":{…}` as it is, but its `media` as an array: some programs embed one medium, others several.
  func appendWhole(to out: inout ByteBuffer) {
    guard let value, value.isObject, let media = value["media"], !media.isArray, !media.isBlank else {
      return out.member("embed", value)
    }
    out.object("embed") { out in
      for (key, member) in value.members where !member.isBlank {
        if key.spells("media") {
          out.array("media") { $0.element(member) }
        } else {
          out.append(member: key, member)
        }
      }
    }
  }

  /// Appends `,"attachments":{"media_keys":[…],"media":[…]}`; nothing when there is no picture or video.
  func appendMedia(to out: inout ByteBuffer) {
    let media = (images?.elements.filter(Self.isMedium) ?? []) + (video.map { [$0] } ?? [])
    let shown = media.filter { cid(of: $0) != nil }
    guard !shown.isEmpty else { return }
    out.object("attachments") { out in
      out.array("media_keys") { out in
        for item in shown {
          if let cid = cid(of: item) { out.element(inside: cid) }
        }
      }
      out.array("media") { out in
        for item in shown { append(item, to: &out) }
      }
    }
  }

  private func append(_ item: JSONValue, to out: inout ByteBuffer) {
    let isVideo = item["playlist"] ?? item["video"] != nil
    out.element { out in
      if let cid = cid(of: item) { out.member("media_key", inside: cid) }
      out.member("type", isVideo ? "video" as StaticString : "photo")
      if isVideo {
        out.member("preview_image_url", item["thumbnail"])
      } else if let address = item["fullsize"] {
        out.member("url", address)
      } else if let cid = cid(of: item) {
        // The CDN serves every blob by its owner's DID and its hash.
        out.string("url") { out in
          out.append("https://cdn.bsky.app/img/feed_fullsize/plain/")
          out.append(Array(did))
          out.append("/")
          out.append(cid)
          out.append("@jpeg")
        }
      }
      out.member("alt_text", item["alt"])
      out.member("width", count: item["aspectRatio"]?["width"])
      out.member("height", count: item["aspectRatio"]?["height"])
      if let playlist = item["playlist"], !playlist.isBlank {
        out.array("variants") { out in
          out.element { out in
            out.member("content_type", "application/x-mpegURL")
            out.member("url", playlist)
          }
        }
      }
      out.object("extra") { out in
        out.appendMembers(
          of: item, except: ["$type", "fullsize", "playlist", "thumbnail", "alt", "aspectRatio", "cid"])
      }
    }
  }

  /// The hash that names the picture: the blob's, or the one in the address to load it from.
  private func cid(of item: JSONValue) -> ByteView? {
    if let cid = item["cid"], cid.isString, !cid.isBlank { return cid.rawString }
    if let blob = item["image"] ?? item["video"] {
      let cid = blob["ref"]?["$link"] ?? blob["cid"]
      return cid.flatMap { $0.isString && !$0.isBlank ? $0.rawString : nil }
    }
    guard let address = item["fullsize"] ?? item["thumb"], address.isString else { return nil }
    let raw = address.rawString
    let name = raw.suffix(from: (raw.lastIndex(of: UInt8(ascii: "/")) ?? -1) + 1)
    let cid = name.prefix { $0 != UInt8(ascii: "@") }
    return cid.isEmpty || cid.contains(UInt8(ascii: "\\"))
      ? nil : ByteView(rebasing: cid)
  }
}
