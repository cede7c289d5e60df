import Synchronization
import TweetCore

/// Makes answers late or wrong, as `--latency` and `--fault` say, so that a client can be tried.
final class FaultyAnswers: Sendable {
  private let latency: Duration
  private let faults: [Fault]
  /// How often each fault is still to happen; `nil` means always.
  private let remaining: Mutex<[Int?]>

  /// How long a client is told to wait by a 429 or a 503, in seconds.
  private static let wait: Int64 = 2

  init(latency: Duration, faults: [Fault]) {
    self.latency = latency
    self.faults = faults
    remaining = Mutex(faults.map(\.times))
  }

  /// The answer to a request, after the latency.
  /// - Parameter answer: what the service does and says without faults.
  func answer(
    _ request: ServerRequest, _ answer: @Sendable (ServerRequest) async -> ServerResponse
  ) async -> ServerResponse {
    let response = await self.response(to: request, answer)
    guard latency > .zero else { return response }
    // The service has done what it was asked; a client that leaves now does not know that. The sleep fails when the
    // service ends: an answer before its time would be a wrong one.
    return (try? await Task.sleep(for: latency)) == nil ? ServerResponse(status: 0, body: .nothing) : response
  }

  private func response(
    to request: ServerRequest, _ answer: @Sendable (ServerRequest) async -> ServerResponse
  ) async -> ServerResponse {
    switch next(for: request) {
    case nil: return await answer(request)
    case .status(let status): return Self.refusal(status, request)
    case .close: return ServerResponse(status: 0, body: .nothing)
    case .silent: return ServerResponse(status: 0, body: .silence)
    case .lost: return changed(await answer(request)) { _ in .nothing }
    case .cut: return changed(await answer(request)) { .half($0) }
    case .garbled: return changed(await answer(request)) { .bytes(Array("{\"data\":[{]".utf8) + $0.reversed()) }
    }
  }

  /// An answer with another body. Streams stay as they are.
  private func changed(
    _ response: ServerResponse, _ body: ([UInt8]) -> ServerResponse.Body
  ) -> ServerResponse {
    guard case .bytes(let bytes) = response.body else { return response }
    var response = response
    response.body = body(bytes)
    return response
  }

  /// The first fault that concerns a request and is still to happen; it counts as happened.
  private func next(for request: ServerRequest) -> Fault.Kind? {
    if faults.isEmpty { return nil }
    return remaining.withLock { remaining in
      for (index, fault) in faults.enumerated() where remaining[index] != 0 && fault.concerns(request) {
        if let times = remaining[index] { remaining[index] = times - 1 }
        return fault.kind
      }
      return nil
    }
  }

  private static func refusal(_ status: Int, _ request: ServerRequest) -> ServerResponse {
    let version = APIVersion(of: request) ?? .v2
    var response = Problem.fault(status).response(in: version)
    let wait = Self.wait
    if status == 429 {
      let end = RateLimits.State(limit: 1, remaining: 0, reset: Timestamp.now.milliseconds / 1000 + wait)
      response.headers += end.headers(in: version)
    }
    // Mastodon says only when the limit ends.
    if status == 429 && version != .mastodon || status == 503 { response.headers.append(("retry-after", String(wait))) }
    return response
  }
}
