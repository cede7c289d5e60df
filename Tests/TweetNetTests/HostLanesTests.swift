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
}
