import TweetCore

extension TransferLoop {
  /// Makes one request and waits for its end. Signals do not end the wait, so the request needs a total time-out.
  package static func answer(to request: HTTPRequest) throws(TransferError) -> HTTPResponse {
    let result: Result<HTTPResponse, TransferError>?
    do throws(ToolError) {
      var loop = try TransferLoop(limit: 1)
      _ = loop.start(request)
      var outcome: Result<HTTPResponse, TransferError>?
      while outcome == nil, loop.count > 0 {
        for case .finished(_, let end) in try loop.wait() { outcome = end }
      }
      result = outcome
    } catch {
      throw TransferError(.other, error.message ?? "libcurl does not work")
    }
    guard let result else { throw TransferError(.other, "the transfer has no end") }
    return try result.get()
  }
}
