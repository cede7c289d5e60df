import TweetCore

/// X v1.1's streams.
extension Service {
  /// X v1.1 sends a line end every 30 s.
  private static let keepAliveV1: Duration = .seconds(30)

  func openV1Stream(_ call: Call) throws -> HTTPResponse {
    let request = call.request
    var filter: TrackFilter?
    if call.endpoint == .v1(.filter) {
      do throws(TrackFilter.Fault) {
        filter = try TrackFilter(request) { try? store.account($0)?.username }
      } catch {
        return error.response
      }
    }
    // One stream an account: the oldest makes room.
    for stream in streams.values where stream.account == call.account.id {
      guard case .v1(let subscription) = stream.kind else { continue }
      stream.feed.send(subscription.framed(V1Message.replaced(streamName: "\(call.account.username)-statuses")))
      end(stream)
    }
    let subscription = V1Subscription(
      view: V1PostView(store: store, base: base, mode: .streaming, viewer: nil), filter: filter,
      isDelimited: request.parameter("delimited") == "length",
      warnsOfStalls: request.parameter("stall_warnings") == "true")
    return open(.v1(subscription), call, interval: Self.keepAliveV1)
  }
}

/// What one v1.1 stream is sent, and in which form.
struct V1Subscription {
  let view: V1PostView
  /// `nil` for the sample: here, all there is.
  let filter: TrackFilter?
  let isDelimited: Bool
  let warnsOfStalls: Bool

  func wants(_ post: SearchablePost) -> Bool { filter?.matches(post) ?? true }

  /// A message as it is sent: with its length in bytes before it where that was asked for, its line end counted.
  func framed(_ message: JSON) -> [UInt8] {
    let bytes = message.bytes + Service.lineEnd
    return isDelimited ? Array("\(bytes.count)\r\n".utf8) + bytes : bytes
  }
}
