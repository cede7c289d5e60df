import CCrypto
import MediaStore
import TweetCLI
import TweetCore

/// The pictures of earlier runs, and what is known about their URLs, in the store of pictures and links.
final class PictureCache {
  /// What is known about one URL.
  struct Entry {
    /// As the store has it. For a URL that was never requested `fetchedAt` is 1970.
    private let stored: StoredAvatar
    /// The last picture that the URL gave.
    let picture: Picture?
    /// What went wrong at the last request; `nil` for nothing.
    let failure: PictureFailure?
    /// Milliseconds since the last request; the largest number if that was made by a clock that was wrong.
    let age: Int

    fileprivate init(_ stored: StoredAvatar, _ picture: StoredPicture?) {
      self.stored = stored
      failure = stored.error.map { PictureFailure($0, status: stored.status) }
      age = stored.fetchedAt.age
      self.picture = picture.map { picture in
        Picture(
          key: picture.key, type: picture.type, width: picture.width ?? 0, height: picture.height ?? 0,
          bytes: picture.size, fetchedAt: stored.error == nil ? stored.fetchedAt : nil, error: stored.error)
      }
    }

    /// The validators with which the server is asked whether the picture is still the same; `nil` without a picture.
    var validators: PictureFetch.Validators? {
      picture == nil ? nil : PictureFetch.Validators(etag: stored.etag, lastModified: stored.lastModified)
    }

    /// What is stored and printed when the server says that the picture is still the same.
    func confirmed() throws(ToolError) -> (Change, Picture) {
      guard var picture else { throw .bug("'\(stored.url)' is unchanged, but is not in the store") }
      // The clock is read once: what is printed now, and later from the store, must be the same.
      let now = Timestamp.shown
      (picture.fetchedAt, picture.error) = (now, nil)
      var avatar = stored
      (avatar.fetchedAt, avatar.status, avatar.error) = (now, 304, nil)
      return (Change(avatar: avatar), picture)
    }

    /// What is stored and printed when the server sent a picture.
    func replaced(
      by header: PictureHeader, key: String, bytes: [UInt8], validators: PictureFetch.Validators
    ) -> (Change, Picture) {
      let now = Timestamp.shown
      let picture = Picture(
        key: key, type: header.format.rawValue, width: header.width, height: header.height, bytes: bytes.count,
        fetchedAt: now)
      let avatar = StoredAvatar(
        url: stored.url, kind: stored.kind, key: key, etag: validators.etag, lastModified: validators.lastModified,
        fetchedAt: now,
        status: 200)
      let kept = StoredPicture(
        key: key, type: picture.type, width: header.width, height: header.height, size: bytes.count)
      return (Change(avatar: avatar, picture: (kept, bytes)), picture)
    }

    /// What is stored when the picture that is in the store cannot be decoded: it is none.
    func refused(_ failure: PictureFailure) -> Change {
      var avatar = stored
      (avatar.key, avatar.etag, avatar.lastModified) = (nil, nil, nil)
      (avatar.fetchedAt, avatar.error) = (Timestamp.shown, failure.code)
      return Change(avatar: avatar)
    }

    /// What is stored when the request failed. A picture from before stays.
    func failed(_ failure: PictureFailure) -> Change {
      var avatar = stored
      (avatar.fetchedAt, avatar.status, avatar.error) = (Timestamp.shown, failure.status, failure.code)
      return Change(avatar: avatar)
    }
  }

  /// A change of what is stored about one URL.
  struct Change {
    fileprivate let avatar: StoredAvatar
    fileprivate var picture: (picture: StoredPicture, bytes: [UInt8])?

    /// Bytes of the picture; 0 if there is none.
    var size: Int { picture?.bytes.count ?? 0 }
  }

  /// Swift cannot borrow an optional noncopyable store in place.
  private final class Store {
    let media: MediaStore

    init(_ path: String) throws(ToolError) { media = try MediaStore(path, note: Diagnostics.warn) }
  }

  /// `nil` if this run neither uses nor changes what is stored.
  private let store: Store?
  private let needsBytes: Bool
  /// Whether the store could not be read or written: this run goes on without it.
  private var isLost = false
  /// Of a run without a store: the pictures that came last, for those who ask for their bytes. It has more room than
  /// all records that wait at the same time are likely to need.
  private var recent = RecentPictures(most: 128 << 20)
  /// The pictures that were found or stored last, for the records that wait for others: the store may turn out to be
  /// damaged before they are written, and is empty then; or its index is out of order, and does not find what was just
  /// stored.
  private var found = RecentPictures(most: 16 << 20)

  /// - Parameters:
  ///   - path: of the store, which is created when it is missing; `nil` for a run without one.
  ///   - needsBytes: whether this run hands out the pictures, and not only what is known about them.
  init(path: String?, needsBytes: Bool) throws(ToolError) {
    self.needsBytes = needsBytes
    do throws(ToolError) {
      store = try path.map { path throws(ToolError) in try Store(path) }
    } catch {
      guard error.status == .inputOutput else { throw error }
      Self.warn(error)
      store = nil
    }
  }

  private static func warn(_ error: ToolError) {
    Diagnostics.warn("pictures are fetched without a store: \(error.message ?? "")")
  }

  /// - Parameter kind: what the picture shows.
  func find(_ url: String, _ kind: AvatarRecord.Kind) throws(ToolError) -> Entry {
    let unknown = Entry(StoredAvatar(url: url, kind: kind.rawValue, fetchedAt: Timestamp(milliseconds: 0)), nil)
    return try orWithout(unknown) { store throws(ToolError) in
      guard let stored = try store.media.avatar(url) else { return unknown }
      guard let key = stored.key, let picture = try store.media.picture(key) else { return Entry(stored, nil) }
      // Bytes that nobody needs are not read. Damaged ones are fetched again, as if there were none.
      if !needsBytes, hasThumbnail(key) { return Entry(stored, picture) }
      guard let bytes = try bytes(of: key) else { return Entry(stored, nil) }
      if needsBytes { found.insert(bytes, of: key) }
      return Entry(stored, picture)
    }
  }

  /// Uses the store, if there is one. It holds nothing that cannot be fetched again, so a disk that is full, read-only
  /// or broken is told once, and the run goes on without it.
  private func orWithout<Value>(
    _ substitute: Value, _ body: (Store) throws(ToolError) -> Value
  ) throws(ToolError) -> Value {
    guard let store, !isLost else { return substitute }
    do throws(ToolError) {
      return try body(store)
    } catch {
      guard error.status == .inputOutput || error.status == .cannotCreate else { throw error }
      isLost = true
      Self.warn(error)
      return substitute
    }
  }

  /// Stores changes in one transaction.
  func store(_ changes: [Change]) throws(ToolError) {
    let pictures = changes.compactMap(\.picture)
    let isStored = try orWithout(false) { store throws(ToolError) in
      try store.media.store(changes.map(\.avatar), pictures: pictures)
      return true
    }
    for (picture, bytes) in pictures {
      if !isStored {
        recent.insert(bytes, of: picture.key)
      } else if needsBytes {
        found.insert(bytes, of: picture.key)
      }
    }
  }

  /// Whether the thumbnail of a picture is there.
  func hasThumbnail(_ key: String) -> Bool {
    store.map { $0.media.thumbnails.contains(key) } == true || recent[key]?.thumbnail != nil
  }

  /// Writes the thumbnail of a picture that is in the store.
  func writeThumbnail(_ png: [UInt8], of key: String) throws(ToolError) {
    guard let store, !isLost else { return recent.setThumbnail(png, of: key) }
    try store.media.thumbnails.write(png, for: key)
  }

  /// The bytes of a picture; `nil` when it is not in the store, or damaged there.
  func bytes(of key: String) throws(ToolError) -> [UInt8]? {
    if let bytes = recent[key]?.bytes ?? found[key]?.bytes { return bytes }
    return try orWithout(nil) { store throws(ToolError) in
      guard let bytes = try store.media.bytes(ofPicture: key) else { return nil }
      return try ContentKey.of(bytes) == key ? bytes : nil
    }
  }

  /// The bytes of a picture's thumbnail; `nil` when there is none.
  func thumbnail(of key: String) -> [UInt8]? {
    guard recent[key] == nil, let store else { return recent[key]?.thumbnail }
    return store.media.thumbnails.read(key)
  }
}

/// The pictures that came last, up to a number of bytes.
private struct RecentPictures {
  struct Picture {
    let bytes: [UInt8]
    var thumbnail: [UInt8]?
  }

  private let most: Int
  private var pictures: [String: Picture] = [:]
  private var order = Queue<String>()
  private var size = 0

  /// - Parameter most: bytes.
  init(most: Int) { self.most = most }

  subscript(key: String) -> Picture? { pictures[key] }

  mutating func insert(_ bytes: [UInt8], of key: String) {
    if pictures[key] != nil { return }
    pictures[key] = Picture(bytes: bytes)
    order.append(key)
    size += bytes.count
    while size > most, order.count > 1, let oldest = order.popFirst() {
      size -= pictures.removeValue(forKey: oldest)?.bytes.count ?? 0
    }
  }

  mutating func setThumbnail(_ png: [UInt8], of key: String) { pictures[key]?.thumbnail = png }
}

/// The key of a picture in the store: the SHA-256 of its bytes in hexadecimal. So the same picture is stored once,
/// whoever uses it and wherever it came from.
enum ContentKey {
  static func of(_ bytes: [UInt8]) throws(ToolError) -> String {
    var digest = [UInt8](repeating: 0, count: Int(EVP_MAX_MD_SIZE))
    var length: UInt32 = 0
    guard EVP_Digest(bytes, bytes.count, &digest, &length, EVP_sha256(), nil) == 1 else {
      throw .bug("libcrypto cannot compute a SHA-256")
    }
    return String(hexadecimal: digest.prefix(Int(length)))
  }
}
