import SQLite
import TweetCore

/// Pictures and videos that users have uploaded, and polls.
extension LocalStore {
  /// An uploaded picture or video, or one that is being uploaded.
  struct Media: Sendable {
    let id: Int
    let owner: Int
    /// Such as `image/png`: what the client says until it is finished, then what the bytes say.
    var type: String
    /// Bytes that the client means to send.
    let size: Int
    /// In pixels; 0 until it is finished.
    var width = 0
    var height = 0
    var altText = ""
    /// When the last byte came; `nil` before.
    var finished: Timestamp?
  }

  /// How long a picture that no post has is kept, in milliseconds: a day, as on X.
  static let mediaLife: Int64 = 86_400_000
  /// Most pictures of an account that no post has yet.
  private static let maxUnused = 100

  /// Begins an upload. Old uploads that came to nothing are removed.
  /// - Returns: `nil` where the account has too many.
  func newMedia(owner: LocalAccount, type: String, size: Int, now: Timestamp) throws(ToolError) -> Media? {
    try database.run(
      "DELETE FROM media WHERE is_used = 0 AND created_at < ?", .integer(Int(now.milliseconds - Self.mediaLife)))
    try database.run("DELETE FROM media_chunks WHERE media_id NOT IN (SELECT id FROM media)")
    let unused = try database.first(
      "SELECT count(*) FROM media WHERE owner_id = ? AND is_used = 0", .integer(owner.id)
    ) { (row) throws(ToolError) in row.integer(0) }
    guard unused ?? 0 < Self.maxUnused else { return nil }
    let media = Media(id: newID(at: now), owner: owner.id, type: type, size: size)
    try database.run(
      "INSERT INTO media VALUES (?, ?, ?, ?, 0, 0, '', ?, NULL, 0, NULL)", .integer(media.id), .integer(media.owner),
      .text(type), .integer(size), .integer(Int(now.milliseconds)))
    return media
  }

  func media(_ id: Int) throws(ToolError) -> Media? {
    try database.first(
      "SELECT id, owner_id, type, size, width, height, alt_text, finished_at FROM media WHERE id = ?", .integer(id),
      body: Self.media)
  }

  private static func media(_ row: Row) throws(ToolError) -> Media {
    Media(
      id: row.integer(0), owner: row.integer(1), type: row.text(2) ?? "", size: row.integer(3), width: row.integer(4),
      height: row.integer(5), altText: row.text(6) ?? "",
      finished: row.optionalInteger(7).map { Timestamp(milliseconds: Int64($0)) })
  }

  /// Stores a part of a picture; one that comes again replaces the first.
  func addChunk(_ bytes: [UInt8], part: Int, of media: Int) throws(ToolError) {
    try database.run(
      "INSERT OR REPLACE INTO media_chunks VALUES (?, ?, ?)", .integer(media), .integer(part), .bytes(bytes))
  }

  /// Bytes that have come of a picture.
  func receivedBytes(of media: Int) throws(ToolError) -> Int {
    try database.first("SELECT sum(length(bytes)) FROM media_chunks WHERE media_id = ?", .integer(media)) {
      (row) throws(ToolError) in row.integer(0)
    } ?? 0
  }

  /// The parts of a picture in order, as one.
  func chunks(of media: Int) throws(ToolError) -> [UInt8] {
    var bytes: [UInt8] = []
    try database.forEachRow("SELECT bytes FROM media_chunks WHERE media_id = ? ORDER BY part", .integer(media)) {
      (row) throws(ToolError) in bytes += row.bytes(0)
    }
    return bytes
  }

  /// Ends an upload.
  func finish(_ media: Media, bytes: [UInt8]) throws(ToolError) {
    try database.run(
      "UPDATE media SET type = ?, width = ?, height = ?, finished_at = ?, bytes = ? WHERE id = ?", .text(media.type),
      .integer(media.width), .integer(media.height), SQLValue(media.finished.map { Int($0.milliseconds) }),
      .bytes(bytes), .integer(media.id))
    try database.run("DELETE FROM media_chunks WHERE media_id = ?", .integer(media.id))
  }

  func setAltText(_ text: String, of media: Int) throws(ToolError) {
    try database.run("UPDATE media SET alt_text = ? WHERE id = ?", .text(text), .integer(media))
  }

  /// Keeps a picture for as long as the service's data.
  func keepMedia(_ id: Int) throws(ToolError) {
    try database.run("UPDATE media SET is_used = 1 WHERE id = ?", .integer(id))
  }

  /// The bytes of a finished picture.
  func mediaBytes(_ id: Int) throws(ToolError) -> [UInt8]? {
    try database.first("SELECT bytes FROM media WHERE id = ? AND finished_at IS NOT NULL", .integer(id)) {
      (row) throws(ToolError) in Array(row.bytes(0))
    }
  }

  /// Makes a picture the profile picture of an account.
  func setPicture(_ media: Media, of account: LocalAccount) throws(ToolError) {
    try keepMedia(media.id)
    try database.run(
      "UPDATE accounts SET picture_file = ? WHERE id = ?", .text("\(media.id).\(PostMedia.fileExtension(of: media))"),
      .integer(account.id))
  }

  // MARK: Polls

  func addPoll(_ poll: Draft.Poll, to post: Int) throws(ToolError) {
    try database.run("INSERT INTO polls VALUES (?, ?)", .integer(post), .integer(poll.minutes))
    for (index, label) in poll.options.enumerated() {
      try database.run("INSERT INTO poll_options VALUES (?, ?, ?)", .integer(post), .integer(index + 1), .text(label))
    }
  }

  func poll(of post: Int) throws(ToolError) -> Draft.Poll? {
    let minutes = try database.first("SELECT minutes FROM polls WHERE post_id = ?", .integer(post)) {
      (row) throws(ToolError) in row.integer(0)
    }
    guard let minutes else { return nil }
    var poll = Draft.Poll(options: [], minutes: minutes)
    try database.forEachRow("SELECT label FROM poll_options WHERE post_id = ? ORDER BY position", .integer(post)) {
      (row) throws(ToolError) in poll.options.append(row.text(0) ?? "")
    }
    return poll
  }
}
