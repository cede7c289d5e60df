import TweetCore

/// The messages of v1.1's streams that are not posts.
enum V1Message {
  /// A client gets a warning when its queue is as full as this, in per cent.
  static let warningLevel = 60

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
    let message =
      "Your connection is falling behind and messages are being queued for delivery to you. Your queue is now over "
      + "\(warningLevel)% full. You will be disconnected when the queue is full."
    return .object([
      (
        "warning",
        .object([
          ("code", .string("FALLING_BEHIND")), ("message", .string(message)), ("percent_full", .number(percentFull)),
        ])
      )
    ])
  }

  /// The account has opened another stream, which replaces this one.
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
