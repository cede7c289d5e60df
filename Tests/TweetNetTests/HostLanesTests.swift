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
}
