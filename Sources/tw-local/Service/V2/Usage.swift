import TweetCore

/// How many posts were read, as X bills them: each once a day.
struct Usage {
  private var counts: [Int64: Int] = [:]
  /// What has been read on ``today``.
  private var seen: Set<Int> = []
  private var today: Int64 = 0

  /// Days that are told of.
  static let days = 1...90
  /// Posts a month, X's cap.
  static let cap = 3_000_000

  static func day(_ time: Timestamp) -> Int64 { time.milliseconds / 86_400_000 }

  mutating func add(_ posts: [Post], at time: Timestamp) {
    let day = Self.day(time)
    if day != today {
      (today, seen) = (day, [])
      counts = counts.filter { $0.key > day - Int64(Self.days.upperBound) }
    }
    for post in posts where seen.insert(post.id).inserted { counts[day, default: 0] += 1 }
  }

  /// Posts read in the last days, today's last.
  func last(_ days: Int, at time: Timestamp) -> [(day: Timestamp, count: Int)] {
    let today = Self.day(time)
    return (today - Int64(days) + 1...today).map { day in
      (Timestamp(milliseconds: day * 86_400_000), counts[day] ?? 0)
    }
  }
}

extension Service {
  func tellUsage(_ call: Call) throws -> HTTPResponse {
    try call.request.allowOnly(["days", "usage.fields"])
    let days = usage.last(try call.request.number("days", in: Usage.days, default: 7), at: .now)
    let daily = days.map { day in
      JSON.object([("date", .string(day.day.rfc3339)), ("usage", .number(day.count))])
    }
    return reply([
      (
        "data",
        .object([
          ("project_cap", .number(Usage.cap)), ("project_id", .string("1")),
          ("project_usage", .number(days.reduce(0) { $0 + $1.count })),
          ("daily_project_usage", .object([("project_id", .number(1)), ("usage", .array(daily))])),
        ])
      )
    ])
  }
}
