import Foundation
import ServiceClients
import Services
import TestSupport
import Testing
import TweetCore
import TweetNet
import TweetServices

@testable import tw_stream

/// One run of a feed, and what it wrote.
struct FeedRun {
  let lines: [String]
  /// The ids of posts, of pages too, and the codes of notices, in order; a context, query or refresh by its feed.
  let events: [String]
  /// Messages left out because they could not be read.
  let badMessages: Int
  /// What ended the feed for good.
  let error: ToolError?

  var ids: [Int] { events.compactMap { Int($0) } }
  var codes: [String] { events.filter { Int($0) == nil } }

  /// The first notice with that code.
  func notice(_ code: String) -> String? { lines.first { $0.contains("\"code\":\"\(code)\"") } }

  /// Runs a feed until it is over, has written `count` posts, or fails.
  ///
  /// - Parameter goesOn: called before each wait; the run ends when it returns `false`.
  init<F: Feed>(
    _ feed: F, _ access: ServiceAccess, count: Int? = nil, to output: Output? = nil,
    goesOn: (inout F, inout TransferLoop, inout FeedWriter) throws -> Bool = { _, _, _ in true }
  ) throws {
    let output = try output ?? Output()
    var feed = feed
    var loop = try TransferLoop()
    var writer = FeedWriter(
      OutputQueue(descriptor: output.descriptor), for: access, records: true, limit: count
    ) { _ in }
    var failure: ToolError?
    // The suite's time limit does not end a test that never waits.
    let deadline = MonotonicClock.milliseconds + 50_000
    do {
      try feed.begin(in: &loop, to: &writer)
      while !feed.isOver, writer.remaining != 0, try goesOn(&feed, &loop, &writer) {
        if MonotonicClock.milliseconds > deadline {
          try writer.flush()
          Issue.record("it goes on: \(output.lines)")
          throw POSIXError(.ETIMEDOUT)
        }
        let wait = min(1_000, feed.wakesAt.map { max(0, $0 - MonotonicClock.milliseconds) } ?? 1_000)
        let events = try loop.wait(reading: feed.descriptors, timeoutMilliseconds: wait)
        for event in events { try feed.handle(event, in: &loop, to: &writer) }
        try feed.wake(in: &loop, to: &writer)
      }
    } catch let error as ToolError {
      failure = error
    }
    try feed.close(to: &writer)
    #expect(feed.end(in: &loop) == nil)
    try writer.flush()
    badMessages = writer.badMessages
    error = failure
    lines = output.lines
    events = lines.flatMap { line in
      guard let document = try? JSONDocument(line) else { return [line] }
      if let data = document["data"], data.isArray { return data.elements.map { $0["id"]?.string ?? "?" } }
      let names = [document["code"], document["data"]?["id"], document["id_str"], document["feed"]]
      return [names.lazy.compactMap { $0?.string }.first ?? "?"]
    }
  }

  /// Runs the filtered stream of hashtags until it has written `count` posts or failed.
  init(_ service: StreamService, hashtags: [String] = ["swift"], count: Int, options: LiveFeed.Options) throws {
    let stream = FilteredStream(XRequests(service.access), hashtags: hashtags)
    try self.init(LiveFeed(stream, options: options), service.access, count: count)
  }

  /// A file that a feed is written to.
  final class Output {
    private let file: UnsafeMutablePointer<FILE>

    init() throws { file = try #require(tmpfile()) }
    deinit { fclose(file) }

    var descriptor: Int32 { fileno(file) }

    /// What was written so far.
    var lines: [String] {
      var bytes = [UInt8](repeating: 0, count: Int(lseek(descriptor, 0, SEEK_END)))
      let count = pread(descriptor, &bytes, bytes.count, 0)
      return String(decoding: bytes[..<max(0, count)], as: UTF8.self).split(separator: "\n").map(String.init)
    }
  }
}
