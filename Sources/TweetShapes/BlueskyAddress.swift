import TweetCore

/// The at-uri of a Bluesky record: `at://did:plc:…/app.bsky.feed.post/3m7…`.
struct BlueskyAddress {
  /// Its characters, none of which needs an escape in JSON.
  let bytes: [UInt8]
  private let collectionStart: Int
  private let keyStart: Int

  /// The DID of the account that the record belongs to.
  var did: ArraySlice<UInt8> { bytes[5..<collectionStart - 1] }
  /// The record's key in its collection, which is part of web links.
  var key: ArraySlice<UInt8> { bytes[keyStart...] }
  var collection: ArraySlice<UInt8> { bytes[collectionStart..<keyStart - 1] }
  var isPost: Bool { bytes[collectionStart..<keyStart].elementsEqual("app.bsky.feed.post/".utf8) }

  var isProfile: Bool { bytes[collectionStart...].elementsEqual("app.bsky.actor.profile/self".utf8) }

  /// The result is `nil` for a value that is not the at-uri of a record.
  init?(_ value: JSONValue?) {
    guard let value, value.isString else { return nil }
    let raw = value.rawString
    guard raw.contains(UInt8(ascii: "\\")) else {
      self.init(bytes: Array(raw))
      return
    }
    var plain = ByteBuffer(capacity: raw.count)
    plain.append(unescaping: raw)
    self.init(bytes: plain.array)
  }

  /// The address made of its three parts; `nil` when one is missing.
  init?(did: JSONValue?, collection: JSONValue?, key: JSONValue?) {
    guard let did, let collection, let key else { return nil }
    self.init(
      bytes: Array("at://".utf8) + did.rawString + Array("/".utf8) + collection.rawString
        + Array("/".utf8)
        + key.rawString)
  }

  private init?(bytes: [UInt8]) {
    guard bytes.starts(with: "at://".utf8),
      bytes.allSatisfy({
        $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
      })
    else { return nil }
    let slashes = bytes.indices.dropFirst(5).filter { bytes[$0] == UInt8(ascii: "/") }
    guard slashes.count == 2, slashes[0] > 5, slashes[1] > slashes[0] + 1,
      slashes[1] + 1 < bytes.count
    else {
      return nil
    }
    self.bytes = bytes
    collectionStart = slashes[0] + 1
    keyStart = slashes[1] + 1
  }
}

extension JSONValue {
  /// Whether it is the at-uri of a post.
  var isPostAddress: Bool { BlueskyAddress(self)?.isPost ?? false }
}

extension ByteBuffer {
  /// Appends `,"url":"https://bsky.app/profile/…/post/…"`, with the DID when there is no handle. `handle.invalid`
  /// stands for a handle that does not resolve any more.
  mutating func appendBlueskyLink(_ address: BlueskyAddress, handle: JSONValue?) {
    string("url") { out in
      out.append("https://bsky.app/profile/")
      if let handle, handle.isString, !handle.isBlank, !handle.equals("handle.invalid") {
        out.append(handle.rawString)
      } else {
        out.append(Array(address.did))
      }
      out.append("/post/")
      out.append(Array(address.key))
    }
  }
}
