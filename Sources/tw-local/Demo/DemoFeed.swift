import TweetCLI
import TweetCore

/// Keeps the demo talking: plays the scenes in a shuffled order, round after round, one line at a time.
struct DemoFeed {
  /// Time between two posts.
  let interval: Duration

  /// The same in every run, so that what a demo shows can be talked about.
  private var random = SplitMix(state: 0x7477)
  private var pending: [LiveScript.Line] = []
  /// Begins with a scene about #swift, which the examples of the man pages watch.
  private var order = [0]
  private var previous: Int?
  private var recent: [Int] = []
  /// Posts that may still get likes.
  private static let remembered = 20
  private var fillings: [String: String] = [:]

  init(interval: Duration) { self.interval = interval }

  /// Posts until cancelled.
  func run(on service: Service) async {
    var feed = self
    let clock = ContinuousClock()
    var next = clock.now
    while !Task.isCancelled {
      next = max(next + interval, clock.now - interval * 10)
      guard (try? await clock.sleep(until: next)) != nil else { return }
      do {
        try await feed.post(on: service)
      } catch {
        // The demo ends, the service goes on.
        Diagnostics.warn("the demo stops: \((error as? ToolError)?.message ?? "\(error)")")
        return
      }
    }
  }

  private mutating func post(on service: Service) async throws {
    if pending.isEmpty { begin() }
    let line = pending.removeFirst()
    guard let draft = try await service.demoDraft(line, text: OwnLink.written(filled(line.text)), before: previous)
    else { return }
    // Somebody likes something that was said a moment ago, so that counts move.
    let liked = recent.randomElement(using: &random)
    let post = try await service.publish(draft, liking: liked, times: Int.random(in: 1...9, using: &random))
    previous = post.id
    recent.append(post.id)
    if recent.count > Self.remembered { recent.removeFirst() }
  }

  private mutating func begin() {
    if order.isEmpty { order = LiveScript.scenes.indices.shuffled(using: &random) }
    pending = LiveScript.scenes[order.removeFirst()]
    previous = nil
    fillings = [
      "n": String(Int.random(in: 2...97, using: &random)), "n2": String(Int.random(in: 2...40, using: &random)),
    ]
    // Sorted, since a dictionary's order differs from run to run.
    for (gap, words) in LiveScript.words.sorted(by: { $0.key < $1.key }) {
      let two = words.shuffled(using: &random)
      fillings[gap] = two[0]
      fillings[gap + "2"] = two[1]
    }
  }

  private func filled(_ text: String) -> String {
    var result = ""
    var rest = Substring(text)
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      result += rest[..<open]
      result += fillings[String(rest[rest.index(after: open)..<close])] ?? String(rest[open...close])
      rest = rest[rest.index(after: close)...]
    }
    return result + rest
  }
}

extension Service {
  /// A line of the script as a draft; `nil` where the post it is about has been deleted.
  func demoDraft(_ line: LiveScript.Line, text: String, before previous: Int?) throws -> Draft? {
    guard let author = try store.account(named: line.author) else { return nil }
    var draft = Draft(author: author.id, text: text, source: "tw demo")
    if case .photo(let name) = line.kind {
      draft.picture = name
      return draft
    }
    if case .plain = line.kind { return draft }
    guard let previous, try store.post(previous) != nil else { return nil }
    switch line.kind {
    case .reply: draft.replyTo = previous
    case .quote: draft.quoteOf = previous
    case .retweet: draft.retweetOf = previous
    case .plain, .photo: break
    }
    return draft
  }
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same everywhere.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
    return value ^ value >> 31
  }
}
