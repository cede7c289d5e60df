import TweetCore

/// What is embedded in a Bluesky post: pictures, a video, a link's card, a quoted post, or a quoted post and one of the
/// others. In a view it has addresses to load from; in a record it has blobs, named by the hash of their content.
struct BlueskyEmbed {
  let value: JSONValue?
  private let did: ArraySlice<UInt8>
  private let images: JSONValue?
  private let video: JSONValue?
  /// The card of a link: `uri`, `title`, `description`, `thumb`.
  let external: JSONValue?
  /// The quoted post: a view of it, or only its address.
  let quoted: JSONValue?

  init(_ value: JSONValue?, did: ArraySlice<UInt8>) {
    (self.value, self.did) = (value, did)
    let media = value?["media"] ?? value
    images = media?["images"].flatMap { $0.isArray && !$0.isEmpty ? $0 : nil }
    video = media?["playlist"] ?? media?["video"] == nil ? nil : media
    external = media?["external"].flatMap { $0["uri"]?.isString ?? false ? $0 : nil }
    let record = value?["record"]
    let post = record?["uri"] == nil ? record?["record"] : record
    quoted = post?["uri"]?.isPostAddress ?? false ? post : nil
  }

  /// Whether all of it is mapped to members of a record.
  var isMapped: Bool {
    let isMedia = images ?? video ?? external != nil
    guard let value, value["record"] != nil else { return isMedia }
    return quoted != nil && (isMedia || value["media"] == nil)
  }

  /// Appends `,"embed":{…}` as it is, but its `media` as an array: some programs embed one medium, others several.
  func appendWhole(to out: inout ByteBuffer) {
    guard let value, value.isObject, let media = value["media"], !media.isArray, !media.isBlank else {
      return out.append(",\"embed\":", value)
    }
    out.append(",\"embed\":")
    let start = out.count
    for (key, member) in value.members where !member.isBlank {
      if !key.spells("media") {
        out.append(member: key, member)
        continue
      }
      out.append(",\"media\":[")
      out.append(member)
      out.append("]")
    }
    out.endObject(from: start)
  }

  /// Appends `,"attachments":{"media_keys":[…],"media":[…]}`; nothing when there is no picture or video.
  func appendMedia(to out: inout ByteBuffer) {
    let media = (images.map { Array($0.elements) } ?? []) + (video.map { [$0] } ?? [])
    let shown = media.filter { cid(of: $0) != nil }
    guard !shown.isEmpty else { return }
    let keyStart = out.count
    out.append(",\"attachments\":{\"media_keys\":")
    let keysStart = out.count
    for item in shown {
      out.append(",\"")
      if let cid = cid(of: item) { out.append(cid) }
      out.append("\"")
    }
    out.closeArray(from: keysStart, keyStart: keyStart)
    out.append(",\"media\":")
    let start = out.count
    for item in shown { append(item, to: &out) }
    out.closeArray(from: start, keyStart: start)
    out.append("}")
  }

  private func append(_ item: JSONValue, to out: inout ByteBuffer) {
    out.append(",{\"media_key\":\"")
    if let cid = cid(of: item) { out.append(cid) }
    let isVideo = item["playlist"] ?? item["video"] != nil
    out.append(isVideo ? "\",\"type\":\"video\"" : "\",\"type\":\"photo\"")
    if isVideo {
      out.append(",\"preview_image_url\":", item["thumbnail"])
    } else if let address = item["fullsize"] {
      out.append(",\"url\":", address)
    } else if let cid = cid(of: item) {
      // The CDN serves every blob by its owner's DID and its hash.
      out.append(",\"url\":\"https://cdn.bsky.app/img/feed_fullsize/plain/")
      out.append(Array(did))
      out.append("/")
      out.append(cid)
      out.append("@jpeg\"")
    }
    out.append(",\"alt_text\":", item["alt"])
    out.append(",\"width\":", count: item["aspectRatio"]?["width"])
    out.append(",\"height\":", count: item["aspectRatio"]?["height"])
    if let playlist = item["playlist"], !playlist.isBlank {
      out.append(",\"variants\":[{\"content_type\":\"application/x-mpegURL\",\"url\":")
      out.append(playlist.raw)
      out.append("}]")
    }
    let keyStart = out.count
    out.append(",\"extra\":")
    let start = out.count
    out.appendMembers(
      of: item, except: ["$type", "fullsize", "playlist", "thumbnail", "alt", "aspectRatio", "cid"])
    out.closeObject(from: start, keyStart: keyStart)
    out.append("}")
  }

  /// The hash that names the picture: the blob's, or the one in the address to load it from.
  private func cid(of item: JSONValue) -> UnsafeBufferPointer<UInt8>? {
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
      ? nil : UnsafeBufferPointer(rebasing: cid)
  }
}
