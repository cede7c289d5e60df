import Services
import TweetCore
import TweetServices

/// The records that an account writes, as the lexicons of app.bsky have them.
enum BlueskyRecords {
  /// A post.
  ///
  /// - Parameters:
  ///   - media: the blobs that it shows, as the server has named them.
  ///   - facts: what is known of the posts that it answers and quotes, and of the names in it.
  static func post(_ draft: PostDraft, media: [String], facts: [String: String], at time: Timestamp) -> String {
    var body = ByteBuffer()
    let shown = BlueskyText(draft.text)
    body.object { out in
      out.member("$type", RecordAddress.post)
      out.member("text", shown.text)
      append(facets: shown.facets, facts, to: &out)
      if draft.replyTo != nil, let parent = facts[BlueskyFact.parent], let root = facts[BlueskyFact.root] {
        out.object("reply") { out in
          out.member("root", json: root)
          out.member("parent", json: parent)
        }
      }
      append(embed: draft, media, quote: draft.quoteOf == nil ? nil : facts[BlueskyFact.quote], to: &out)
      if !draft.languages.isEmpty { out.array("langs") { out in for tag in draft.languages { out.element(tag) } } }
      if let warning = draft.warning {
        out.object("labels") { out in
          out.member("$type", "com.atproto.label.defs#selfLabels")
          out.array("values") { out in out.element { $0.member("val", warning) } }
        }
      }
      out.member("createdAt", time)
    }
    return body.string
  }

  /// A like or a repost of a post, or a follow of an account.
  ///
  /// - Parameter subject: the post with its hash, or the DID, as JSON.
  static func link(_ collection: String, to subject: String, at time: Timestamp) -> String {
    var body = ByteBuffer()
    body.object { out in
      out.member("$type", collection)
      out.member("subject", json: subject)
      out.member("createdAt", time)
    }
    return body.string
  }

  /// A post of a version: its address and its hash.
  static func reference(_ post: JSONDocument?) -> String? {
    guard let uri = post?["uri"]?.nonEmptyString, let cid = post?["cid"]?.nonEmptyString else { return nil }
    var body = ByteBuffer()
    body.object { out in
      out.member("uri", uri)
      out.member("cid", cid)
    }
    return body.string
  }

  /// A name that no account has stays a text.
  private static func append(facets: [BlueskyFacets.Found], _ facts: [String: String], to out: inout ByteBuffer) {
    let found = facets.compactMap { facet -> (Range<Int>, StaticString, StaticString, String)? in
      switch facet.feature {
      case .link(let uri): return (facet.bytes, "app.bsky.richtext.facet#link", "uri", uri)
      case .tag(let tag): return (facet.bytes, "app.bsky.richtext.facet#tag", "tag", tag)
      case .mention(let handle):
        guard let did = facts[BlueskyFact.mention(handle)], !did.isEmpty else { return nil }
        return (facet.bytes, "app.bsky.richtext.facet#mention", "did", did)
      }
    }
    if found.isEmpty { return }
    out.array("facets") { out in
      for (bytes, type, name, value) in found {
        out.element { out in
          out.object("index") { out in
            out.member("byteStart", bytes.lowerBound)
            out.member("byteEnd", bytes.upperBound)
          }
          out.array("features") { out in
            out.element { out in
              out.member("$type", type)
              out.member(name, value)
            }
          }
        }
      }
    }
  }

  /// More pictures are a gallery (the lexicons app.bsky.embed.images and app.bsky.embed.gallery).
  private static let mostImages = 4

  /// Apps keep room of this shape before they have the picture.
  ///
  /// - Parameter isNeeded: whether the record must have one; it may be a rough one (the lexicon app.bsky.embed.defs).
  private static func append(shapeOf file: PostDraft.Media, isNeeded: Bool = false, to out: inout ByteBuffer) {
    let (width, height) = (file.upload?.width ?? 0, file.upload?.height ?? 0)
    guard width > 0 && height > 0 || isNeeded else { return }
    guard width > 0, height > 0 else {
      return out.object("aspectRatio") { out in
        out.member("width", 1)
        out.member("height", 1)
      }
    }
    out.object("aspectRatio") { out in
      out.member("width", width)
      out.member("height", height)
    }
  }

  private static func append(card: PostDraft.Card?, to out: inout ByteBuffer) {
    guard let card, let title = card.title else { return }
    out.object("embed") { out in
      out.member("$type", "app.bsky.embed.external")
      out.object("external") { out in
        out.member("uri", card.address)
        out.member("title", title)
        out.member("description", card.description ?? "")
        if let blob = card.picture?.upload?.id { out.member("thumb", json: blob) }
      }
    }
  }

  private static func append(embed draft: PostDraft, _ media: [String], quote: String?, to out: inout ByteBuffer) {
    func append(media out: inout ByteBuffer) {
      if let video = draft.media.first, video.upload?.type.hasPrefix("video/") == true, let blob = media.first {
        out.member("$type", "app.bsky.embed.video")
        out.member("video", json: blob)
        out.member("alt", video.altText)
        Self.append(shapeOf: video, to: &out)
        return
      }
      let isGallery = media.count > mostImages
      out.member("$type", isGallery ? "app.bsky.embed.gallery" : "app.bsky.embed.images")
      out.array(isGallery ? "items" : "images") { out in
        for (file, blob) in zip(draft.media, media) {
          out.element { out in
            if isGallery { out.member("$type", "app.bsky.embed.gallery#image") }
            out.member("image", json: blob)
            out.member("alt", file.altText ?? "")
            Self.append(shapeOf: file, isNeeded: isGallery, to: &out)
          }
        }
      }
    }
    switch (quote, media.isEmpty) {
    case (nil, true): Self.append(card: draft.card, to: &out)
    case (nil, false): out.object("embed") { append(media: &$0) }
    case (let quote?, true):
      out.object("embed") { out in
        out.member("$type", "app.bsky.embed.record")
        out.member("record", json: quote)
      }
    case (let quote?, false):
      out.object("embed") { out in
        out.member("$type", "app.bsky.embed.recordWithMedia")
        out.object("record") { out in
          out.member("$type", "app.bsky.embed.record")
          out.member("record", json: quote)
        }
        out.object("media") { append(media: &$0) }
      }
    }
  }
}

/// The names of what has to be known before a record can be written.
enum BlueskyFact {
  /// The posts that a reply answers and that its thread begins with, as JSON with their hashes.
  static let (parent, root) = ("parent", "root")
  /// The post that is quoted, liked or reposted, in the same form.
  static let (quote, subject) = ("quote", "subject")
  /// The key of the account's own like, repost or follow; empty if the AppView knows of none, ``none`` if the account's
  /// server has none either.
  static let own = "own"
  static let none = "-"

  /// The DID of an account; empty if there is none of that name.
  static func mention(_ handle: String) -> String { "@" + handle }
  /// The key of a record of a post that is deleted; empty if there is none of that collection.
  static func record(_ collection: String) -> String { collection }
}
