import TweetCore

/// What v1.1's streams send beside posts.
enum V1Message {
  /// From here on, in per cent of what is held for it, a client is told that it reads too slowly.
  static let fallingBehind = 60

  static func delete(_ post: Post) -> JSON {
    let status: JSON.Members = [
      ("id", .number(post.id)), ("id_str", .id(post.id)), ("user_id", .number(post.authorID)),
      ("user_id_str", .id(post.authorID)),
    ]
    return .object([
      ("delete", .object([("status", .object(status)), ("timestamp_ms", .string("\(Timestamp.now.milliseconds)"))]))
    ])
  }

  static func warning(percentFull: Int) -> JSON {
    .object([
      (
        "warning",
        .object([
          ("code", .string("FALLING_BEHIND")),
          (
            "message",
            .string(
              "Your connection is falling behind and messages are being queued for delivery to you. Your queue is now "
                + "over \(fallingBehind)% full. You will be disconnected when the queue is full.")
          ), ("percent_full", .number(percentFull)),
        ])
      )
    ])
  }

  /// The account has opened another stream, which takes this one's place.
  static func replaced(streamName: String) -> JSON {
    .object([
      (
        "disconnect",
        .object([
          ("code", .number(7)), ("stream_name", .string(streamName)), ("reason", .string("admin logout")),
        ])
      )
    ])
  }
}
