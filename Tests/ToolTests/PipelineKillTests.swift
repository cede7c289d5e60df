import Foundation
import TestSupport
import Testing

/// A whole pipeline from a service to a store, of which any part ends at any moment: no post is lost for good, and none
/// comes twice.
@Suite(.onOwnThread(minutes: 3)) struct PipelineKillTests: CacheSuite {
  let home: TemporaryDirectory

  init() throws { home = try TemporaryDirectory() }

  private func local() throws -> (LocalService, KilledPipeline) {
    let local = try LocalService(["--rate-limit", "1000000"])
    return (local, KilledPipeline(home: home, environment: local.environment, source: "#tea", post: local.post))
  }

  @Test func aLiveStreamLosesNoPost() throws {
    let (local, pipeline) = try local()
    try pipeline.loseLiveStreams()
    try checkStore(store)
    try local.stop()
  }

  /// Server-sent events and WebSockets, over servers that tell over a stream only what is posted while it is open.
  @Test(arguments: [false, true]) func aStreamOfMastodonLosesNoPost(isSocket: Bool) throws {
    let server = try LiveMastodon(isSocket: isSocket)
    var pipeline = KilledPipeline(home: home, environment: server.environment, source: "home") { _ in server.post() }
    pipeline.streams = { server.streams }
    try pipeline.loseLiveStreams(pause: 3)
    try checkStore(store)
  }

  /// A stream that goes on from a place, as the store has it.
  @Test func aStreamOfBlueskyLosesNoPost() throws {
    let server = try FakeBluesky()
    var pipeline = KilledPipeline(home: home, environment: server.environment, source: "bluesky:#tea") {
      server.add([$0])[0]
    }
    pipeline.streams = { server.openedStreams }
    try pipeline.loseLiveStreams("", pause: 3) { server.add(["something else"]) }
    try checkStore(store)
  }

  @Test func pollRoundsLoseNoPost() throws {
    let (local, pipeline) = try local()
    // The first round finds nothing. The second goes back to it, further than one page.
    #expect(try pipeline.start("--once").finish().status == 0)
    var posted = Set(try (0..<120).map { try local.post("early \($0) #tea") })
    posted.formUnion(try pipeline.lose("--once", longest: 250))
    let last = try pipeline.start("--once").finish()
    #expect(last.status == 0 && last.errors == "")
    #expect(try posted.subtracting(pipeline.stored()) == [])
    try checkStore(store)
    try local.stop()
  }
}
