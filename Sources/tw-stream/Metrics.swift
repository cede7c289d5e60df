import Services
import TweetCore
import TweetServices

/// How a run goes: numbers since its start, as a record or in Prometheus' text format.
struct Metrics {
  struct Feed {
    let name: String
    let posts: Int
    /// When the last post came, and how many milliseconds that was after it was made; `nil` if that is not known.
    let lastAt: Timestamp
    let lag: Int64?
  }

  /// Posts that were billed today (UTC), by all programs that share the ledger.
  struct Reads {
    let service: String
    let account: String
    let posts: Int
    /// `nil` where the price is not known.
    let spent: Money?
  }

  let at: Timestamp
  let startedAt: Timestamp
  let feeds: [Feed]
  /// By the code, in its order.
  let notices: [(code: String, count: Int)]
  let bufferedBytes: Int
  let reads: [Reads]

  init(_ counts: WriterCounts, startedAt: Timestamp, bufferedBytes: Int, ledger: [Ledger.Entry]) {
    at = .shown
    self.startedAt = startedAt
    self.bufferedBytes = bufferedBytes
    feeds = counts.feeds.sorted { $0.key < $1.key }.map { name, feed in
      let made = Self.time(of: feed.lastMessage)?.milliseconds
      let lag = made.map { max(0, feed.lastAt.milliseconds - $0) }
      return Feed(name: name, posts: feed.posts, lastAt: feed.lastAt, lag: lag)
    }
    notices = counts.notices.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    let today = Ledger.day(of: at)
    var counts: [[String]: BilledCounts] = [:]
    for entry in ledger where entry.day == today {
      let key = [entry.bill.service, entry.bill.account]
      counts[key] = (counts[key] ?? BilledCounts()) + entry.all
    }
    reads = counts.sorted { $0.key.lexicographicallyPrecedes($1.key) }.map { key, counts in
      Reads(
        service: key[0], account: key[1], posts: counts.postsRead,
        spent: Services.named(key[0])?.prices.map { $0.cost(of: counts, on: today) })
    }
  }

  private static func time(of message: [UInt8]) -> Timestamp? {
    guard let document = try? JSONDocument(message) else { return nil }
    return document.read { ReplayClock.time(of: $0) }
  }

  // MARK: A record

  /// Appends `{"tw":"metrics",…}` and a newline.
  func appendRecord(to buffer: inout ByteBuffer) {
    buffer.record("metrics") { out in
      out.member("at", at)
      out.member("started_at", startedAt)
      out.key("feeds")
      out.array { out in
        for feed in feeds {
          out.element { out in
            out.member("feed", feed.name)
            out.member("posts", feed.posts)
            out.member("last_at", feed.lastAt)
            out.member("lag", json: feed.lag.map { "\(Self.seconds($0))" })
          }
        }
      }
      out.key("notices")
      out.object { out in
        for notice in notices {
          out.element(notice.code)
          out.append(":\(notice.count)")
        }
      }
      out.member("buffered_bytes", bufferedBytes)
      out.key("reads_today")
      out.array { out in
        for reads in reads {
          out.element { out in
            out.member("service", reads.service)
            out.member("account", reads.account)
            out.member("posts", reads.posts)
            out.member("dollars", json: reads.spent?.decimal)
          }
        }
      }
    }
  }

  // MARK: Prometheus

  /// The first bytes of every file in that format.
  static let prometheusStart = "# HELP tw_stream_"

  /// Appends Prometheus' text format.
  ///
  /// - Parameter run: the value of the label `run`, by which the runs of one machine differ.
  func appendPrometheus(to buffer: inout ByteBuffer, run: String) {
    let own = [(name: "run", value: run)]
    func family(
      _ name: String, _ kind: PrometheusFamily.Kind, _ help: String, _ samples: [PrometheusFamily.Sample]
    ) { PrometheusFamily("tw_stream_\(name)", kind, help, samples).append(to: &buffer) }
    family(
      "start_timestamp_seconds", .gauge, "When the run started.", [(own, Self.seconds(startedAt.milliseconds))])
    family("timestamp_seconds", .gauge, "When this was written.", [(own, Self.seconds(at.milliseconds))])
    family(
      "posts_total", .counter, "Posts written.", feeds.map { (own + [("feed", $0.name)], String($0.posts)) })
    family(
      "last_post_timestamp_seconds", .gauge, "When the last post came.",
      feeds.map { (own + [("feed", $0.name)], Self.seconds($0.lastAt.milliseconds)) })
    family(
      "lag_seconds", .gauge, "How long after it was made the last post came.",
      feeds.compactMap { feed in feed.lag.map { (own + [("feed", feed.name)], Self.seconds($0)) } })
    family(
      "notices_total", .counter, "Notices by their codes, as in tw-stream(1).",
      notices.map { (own + [("code", $0.code)], String($0.count)) })
    family("buffered_bytes", .gauge, "Bytes that the reader has not taken yet.", [(own, String(bufferedBytes))])
    func labels(_ reads: Reads) -> [(name: String, value: String)] {
      own + [("service", reads.service), ("account", reads.account)]
    }
    family(
      "reads_today", .gauge, "Billed posts of this day (UTC), of all programs.",
      reads.map { (labels($0), String($0.posts)) })
    family(
      "spent_today_dollars", .gauge, "What was billed on this day.",
      reads.compactMap { reads in reads.spent.map { (labels(reads), $0.decimal) } })
  }

  private static func seconds(_ milliseconds: Int64) -> String { TweetCore.seconds(Int(milliseconds)) }
}
