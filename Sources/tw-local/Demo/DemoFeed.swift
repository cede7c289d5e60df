import TweetCLI
import TweetCore

/// Posts the scenes of ``LiveScript`` without end, one line at a time. Each round has the scenes in another order.
struct DemoFeed {
  /// Time between two posts.
  let interval: Duration

  /// With a fixed seed, so that every demo shows the same posts.
  private var random = SplitMix(state: 0x7477)
  /// The lines of the scene that are still to be posted.
  private var lines: [LiveScript.Line] = []
  /// The scenes that are still to be played. The first is about #swift, which the examples of the man pages watch.
  private var scenes = [0]
  /// The id of the scene's last post.
  private var previous: Int?
  /// The ids of the last posts, which may get likes.
  private var recent: [Int] = []
  private static let maxRecent = 20
  /// The longest delay that is made up for, in posts.
  private static let maxLag = 10
  /// What the placeholders of the scene become.
  private var fillings: [String: String] = [:]

  init(interval: Duration) { self.interval = interval }

  /// Posts until cancelled.
  func run(on service: Service) async {
    var feed = self
    let clock = ContinuousClock()
    var next = clock.now
    while !Task.isCancelled {
      next = max(next + interval, clock.now - interval * Self.maxLag)
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
    if lines.isEmpty { startScene() }
    let line = lines.removeFirst()
    let text = OwnLink.expandingDemoLinks(in: filled(line.text))
    guard let draft = try await service.draft(line, text: text, previous: previous) else { return }
    // A recent post gets likes, so that counts change.
    let liked = recent.randomElement(using: &random)
    let post = try await service.publish(draft, liking: liked, times: Int.random(in: 1...9, using: &random))
    previous = post.id
    recent.append(post.id)
    if recent.count > Self.maxRecent { recent.removeFirst() }
  }

  private mutating func startScene() {
    if scenes.isEmpty { scenes = LiveScript.scenes.indices.shuffled(using: &random) }
    lines = LiveScript.scenes[scenes.removeFirst()]
    previous = nil
    fillings = [
      "n": String(Int.random(in: 2...97, using: &random)), "n2": String(Int.random(in: 2...40, using: &random)),
    ]
    // Sorted, since the order of a dictionary differs from run to run.
    for (name, words) in LiveScript.words.sorted(by: { $0.key < $1.key }) {
      let shuffled = words.shuffled(using: &random)
      fillings[name] = shuffled[0]
      fillings[name + "2"] = shuffled[1]
    }
  }

  /// A text with its placeholders filled.
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
  /// A line of the script as a draft; `nil` where the post that it answers, quotes or retweets is deleted.
  fileprivate func draft(_ line: LiveScript.Line, text: String, previous: Int?) throws -> Draft? {
    guard let author = try store.account(named: line.author) else { return nil }
    var draft = Draft(author: author.id, text: text, source: "tw demo")
    if case .photo(let name) = line.kind {
      draft.photo = name
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

  /// Publishes a post and adds likes to another one, in one transaction.
  fileprivate func publish(_ draft: Draft, liking liked: Int?, times: Int) throws -> Post {
    let post = try store.write { () throws(ToolError) in
      if let liked { try store.addLikes(times, to: liked) }
      return try store.create(draft, at: .now)
    }
    try deliver(post)
    return post
  }
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and the same on every system.
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
