import TweetCore

/// Bluesky's profiles: basic, detailed, or as a part of a post view.
extension TweetMapper {
  /// Appends one profile as a `user` record line.
  mutating func mapBluesky(profile: JSONValue, into out: inout ByteBuffer) -> String? {
    guard let did = profile["did"], did.isString, !did.isBlank else {
      return "a profile without a DID"
    }
    out.record("user") { out in
      out.member("service", "bluesky")
      appendBlueskyMembers(of: profile, to: &out)
    }
    return nil
  }

  /// Appends the profile of a repository's account, which becomes the author of its posts after it. A repository has no
  /// handle, and its pictures are blobs, which Bluesky's own server of pictures has under their hash.
  mutating func mapBluesky(ownProfile record: JSONValue, at address: BlueskyAddress, into out: inout ByteBuffer)
    -> String?
  {
    var json = ByteBuffer(capacity: 1024)
    json.object { json in
      json.string("did") { $0.append(Array(address.did)) }
      if let picture = record["avatar"]?["ref"]?["$link"], picture.isString, !picture.isBlank {
        json.string("avatar") { json in
          json.append("https://cdn.bsky.app/img/avatar/plain/")
          json.append(Array(address.did))
          json.append("/")
          json.append(picture.rawString)
          json.append("@jpeg")
        }
      }
      json.appendMembers(of: record, except: ["$type", "did", "avatar", "banner"])
    }
    state.repositoryOwner = RepositoryOwner(did: Array(address.did), profile: json.array)
    do throws(JSONFault) {
      let document = try JSONDocument(json.array)
      return document.read { mapBluesky(profile: $0, into: &out) }
    } catch {
      return "a profile: \(error.reason)"
    }
  }

  /// Appends the profile that a repository has of its account; `false` when `did` is another, or there is none.
  mutating func appendRepositoryOwner(_ did: ArraySlice<UInt8>, to out: inout ByteBuffer) -> Bool {
    guard let repositoryOwner = state.repositoryOwner, repositoryOwner.did.elementsEqual(did),
      let document = try? JSONDocument(repositoryOwner.profile)
    else { return false }
    document.read { appendBluesky(profile: $0, to: &out) }
    return true
  }

  /// Appends a profile as the value of `author`. It must have a DID.
  mutating func appendBluesky(profile: JSONValue, to out: inout ByteBuffer) {
    out.object { out in
      appendBlueskyMembers(of: profile, to: &out)
    }
  }

  private mutating func appendBlueskyMembers(of profile: JSONValue, to out: inout ByteBuffer) {
    let fields = arena.gather(profile, &blueskyProfileKeys)
    defer { arena.release(fields) }
    func value(_ key: BlueskyProfileKey) -> JSONValue? { arena.value(fields, key, in: profile) }

    out.member("id", value(.did))
    out.member("username", value(.handle))
    out.member("name", value(.displayName))
    out.member("profile_image_url", value(.avatar))
    if let status = value(.verification)?["verifiedStatus"] {
      out.member("verified", status.equals("valid"))
    }
    out.member("description", value(.description))
    out.member("url", value(.website))
    let isRead = out.member("created_at", blueskyTime: value(.createdAt))
    out.object("public_metrics") { out in
      out.member("followers_count", count: value(.followers))
      out.member("following_count", count: value(.follows))
      out.member("tweet_count", count: value(.posts))
    }
    if let pinned = value(.pinnedPost)?["uri"] { out.member("pinned_tweet_id", pinned) }
    out.object("extra") { out in
      if !isRead { out.member("createdAt", value(.createdAt)) }
      out.member("verification", value(.verification))
      arena.appendUnknown(of: fields, in: profile, to: &out)
    }
  }
}

/// The account of a repository, and its profile as the AppView would send it.
struct RepositoryOwner: Equatable, Sendable {
  let did: [UInt8]
  let profile: [UInt8]
}

enum BlueskyProfileKey: Int, ShapeKey {
  case did, handle, displayName, avatar, verification, description, website, createdAt, followers,
    follows, posts
  case pinnedPost

  var name: StaticString {
    switch self {
    case .did: "did"
    case .handle: "handle"
    case .displayName: "displayName"
    case .avatar: "avatar"
    case .verification: "verification"
    case .description: "description"
    case .website: "website"
    case .createdAt: "createdAt"
    case .followers: "followersCount"
    case .follows: "followsCount"
    case .posts: "postsCount"
    case .pinnedPost: "pinnedPost"
    }
  }
}
