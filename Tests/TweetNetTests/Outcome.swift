import Foundation
import TweetCore
import TweetNet

extension HTTPRequest {
  /// To a server of the test.
  init(_ method: HTTPMethod, _ url: String) { self.init(method, url, reaching: .any) }
}

/// Waits until the transfer ends and gives its outcome; streamed data is collected beside it.
func outcome(
  of request: HTTPRequest, limit: Int = 4
) throws -> (result: Result<HTTPResponse, TransferError>, streamed: String) {
  var loop = try TransferLoop(limit: limit)
  let id = loop.start(request)
  var streamed: [UInt8] = []
  let deadline = MonotonicClock.milliseconds + 20_000
  while MonotonicClock.milliseconds < deadline {
    for event in try loop.wait(timeoutMilliseconds: 1000) {
      switch event {
      case .finished(id, let result): return (result, String(decoding: streamed, as: UTF8.self))
      case .data(id, let bytes): streamed += bytes
      default: break
      }
    }
  }
  throw POSIXError(.ETIMEDOUT)
}
