import Testing
import TweetNet

@Suite struct HostLanesTests {
  @Test func lanesAreFairAndBounded() {
    var lanes = HostLanes(total: 3, perHost: 2)
    for key in ["a1", "a2", "a3"] { lanes.enqueue(key, host: "a") }
    lanes.enqueue("b1", host: "b")
    #expect([lanes.startNext(), lanes.startNext(), lanes.startNext()] == ["a1", "b1", "a2"])
    #expect(lanes.startNext() == nil)
    lanes.finish(host: "b")
    // A place is free, but not at a.
    #expect(lanes.startNext() == nil)
    lanes.enqueue("a4", host: "a", atFront: true)
    lanes.finish(host: "a")
    #expect(lanes.startNext() == "a4")
    #expect(lanes.withdraw { $0 == "a3" } == ["a3"])
    lanes.finish(host: "a")
    lanes.finish(host: "a")
    #expect(lanes.startNext() == nil && lanes.isEmpty)
  }

  @Test func manyHostsTogetherAreBounded() {
    var lanes = HostLanes(total: 2, perHost: 5)
    for host in ["a", "b", "c"] { lanes.enqueue(host, host: host) }
    #expect([lanes.startNext(), lanes.startNext(), lanes.startNext()] == ["a", "b", nil])
    lanes.finish(host: "a")
    #expect(lanes.startNext() == "c" && lanes.startNext() == nil)
  }

  @Test func timePassesBetweenTwoRequestsToOneHost() {
    var lanes = HostLanes(total: 5, perHost: 5, interval: 100)
    for key in ["a1", "a2"] { lanes.enqueue(key, host: "a") }
    lanes.enqueue("b1", host: "b")
    #expect([lanes.startNext(at: 0), lanes.startNext(at: 10), lanes.startNext(at: 20)] == ["a1", "b1", nil])
    #expect(lanes.nextReady == 100)
    #expect(lanes.startNext(at: 99) == nil && lanes.startNext(at: 100) == "a2")
    for host in ["a", "a", "b"] { lanes.finish(host: host) }
    // The host is remembered while nothing waits for it.
    lanes.enqueue("b2", host: "b")
    lanes.enqueue("a3", host: "a")
    #expect([lanes.startNext(at: 109), lanes.startNext(at: 110), lanes.startNext(at: 199)] == [nil, "b2", nil])
    #expect(lanes.startNext(at: 200) == "a3" && lanes.nextReady == 210)
    for host in ["a", "b"] { lanes.finish(host: host) }
    #expect(lanes.startNext(at: 300) == nil && lanes.isEmpty && lanes.nextReady == nil)
  }

  /// The first refusal makes the host rest; those that were under way are the same one. Then one request goes first.
  @Test func aHostRestsAfterARefusal() {
    var lanes = HostLanes(total: 9, perHost: 4)
    for number in 0..<8 { lanes.enqueue("a\(number)", host: "a") }
    for _ in 0..<4 { #expect(lanes.startNext(at: 0) != nil) }
    lanes.finish(host: "a", .accepted, began: 0, at: 10)
    lanes.finish(host: "a", .refused(retryAfter: 2000, hasLimit: true), began: 0, at: 20)
    lanes.finish(host: "a", .refused(retryAfter: nil, hasLimit: true), began: 0, at: 30)
    lanes.enqueue("b", host: "b")
    #expect(lanes.startNext(at: 40) == "b" && lanes.startNext(at: 2019) == nil && lanes.nextReady == 2020)
    #expect(lanes.startNext(at: 2020) == "a4" && lanes.startNext(at: 5000) == nil)
    // What was under way says nothing of the time after the rest.
    lanes.finish(host: "a", .refused(retryAfter: nil, hasLimit: true), began: 0, at: 5000)
    lanes.finish(host: "a", .accepted, began: 2020, at: 5000)
    // One was accepted in 2020 ms: so fast go the next ones.
    #expect(lanes.startNext(at: 5000) == "a5" && lanes.startNext(at: 7000) == nil && lanes.startNext(at: 7081) == "a6")
    #expect(lanes.closedUntil("a") == nil)
  }

  @Test(arguments: [nil, 70_000])
  func aHostThatRefusesForTooLongIsClosed(retryAfter: Int?) {
    var lanes = HostLanes(total: 9, perHost: 4)
    for key in ["a", "b"] { lanes.enqueue(key, host: "h") }
    _ = lanes.startNext(at: 0)
    var (now, starts) = (0, [0])
    while lanes.closedUntil("h") == nil, starts.count < 20 {
      lanes.finish(host: "h", .refused(retryAfter: retryAfter, hasLimit: true), began: now, at: now)
      if lanes.closedUntil("h") != nil { break }
      lanes.enqueue("a", host: "h")
      repeat { now = lanes.nextReady ?? now + 100_000 } while lanes.startNext(at: now) == nil && now < 100_000
      starts.append(now)
    }
    #expect(starts == (retryAfter == nil ? [0, 1000, 3000, 7000, 15_000, 31_000] : [0]))
    #expect(!lanes.drainRefused().isEmpty && lanes.startNext(at: now + 1) == nil)
    let end = lanes.closedUntil("h") ?? 0
    #expect(end == (retryAfter ?? 63_000))
    lanes.enqueue("c", host: "h")
    #expect(lanes.startNext(at: end - 1) == nil && lanes.startNext(at: end) == "c" && lanes.closedUntil("h") == nil)
  }

  /// A host that takes ten requests in a second, and refuses the others with `Retry-After: 1`: how it goes in virtual
  /// time.
  @Test(arguments: [false, true])
  func aLimitIsFoundAndKept(isSliding: Bool) {
    var lanes = HostLanes(total: 32, perHost: 8)
    for number in 0..<400 { lanes.enqueue("\(number)", host: "h") }
    var (now, accepted, refusals, recent) = (0, 0, 0, [Int]())
    var running: [(end: Int, began: Int, key: String, good: Bool)] = []
    while accepted < 400, now < 200_000 {
      while let key = lanes.startNext(at: now) {
        let window = isSliding ? now - 1000 : (now / 1000) * 1000 - 1
        let good = recent.count { $0 > window } < 10
        if good { recent.append(now) }
        running.append((now + 5, now, key, good))
      }
      for request in running where request.end == now {
        if request.good { accepted += 1 } else { refusals += 1 }
        lanes.finish(
          host: "h", request.good ? .accepted : .refused(retryAfter: 1000, hasLimit: true), began: request.began,
          at: now)
        if !request.good { lanes.enqueue(request.key, host: "h") }
      }
      running.removeAll { $0.end == now }
      now += 1
    }
    #expect(accepted == 400 && refusals <= 20, "\(refusals) refused")
    // The best that is possible is 39 s.
    #expect(now < 47_000, "\(now) ms")
  }

  /// A host that refuses each raise is tried less and less often: after 10 s without a refusal, then 20, 40 …, at most
  /// 640. It keeps the rate from before the raise.
  @Test func aRaiseThatIsRefusedIsTriedLater() {
    var pace = HostPace()
    var now = 0
    /// A refusal, the second of rest after it, and the one request that goes first.
    func refuse() {
      pace.finish(.refused(retryAfter: nil, hasLimit: true), began: now, at: now)
      let rests = [999, 1000].map { pace.isResting(at: now + $0, perHost: 8) }
      #expect(rests == [true, false])
      now += 1000
    }
    pace.begin(at: now)
    refuse()
    let proven = pace.interval
    #expect(proven == 125)
    var pauses: [Int] = []
    for _ in 0..<9 {
      let start = now
      while pace.interval == proven {
        now += 100
        pace.finish(.accepted, began: now, at: now)
      }
      pauses.append((now - start) / 1000)
      #expect(pace.interval == proven * 0.8)
      refuse()
      #expect(pace.interval == proven)
    }
    #expect(pauses == [10, 20, 40, 80, 160, 320, 640, 640, 640])
  }

  /// What was asked for before the rest says nothing of the host after it: the one request still goes first.
  @Test func anAnswerFromBeforeTheRestSaysNothing() {
    var pace = HostPace()
    pace.begin(at: 0)
    pace.finish(.refused(retryAfter: nil, hasLimit: true), began: 5, at: 10)
    #expect(!pace.isResting(at: 1010, perHost: 8) && pace.isProbing)
    pace.finish(.accepted, began: 5, at: 1020)
    #expect(pace.isProbing)
    pace.finish(.accepted, began: 1010, at: 1030)
    #expect(!pace.isProbing)
  }

  /// A host that failed once gets its requests as before after a while.
  @Test func aRateIsRaised() {
    var pace = HostPace()
    pace.begin(at: 0)
    pace.finish(.accepted, began: 0, at: 10)
    pace.finish(.refused(retryAfter: nil, hasLimit: true), began: 0, at: 10)
    #expect(pace.isResting(at: 1009, perHost: 8) && !pace.isResting(at: 1010, perHost: 8) && pace.isProbing)
    #expect(pace.interval > 1000 && pace.interval < 1100)
    var now = 1010
    while pace.interval > 0, now < 200_000 {
      now += 100
      pace.finish(.accepted, began: now, at: now)
    }
    #expect(now > 20_000 && now < 60_000 && !pace.isProbing && pace.isUsual)
  }
}
