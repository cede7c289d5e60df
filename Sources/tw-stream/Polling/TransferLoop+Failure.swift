import TweetNet

extension TransferLoop.Event {
  /// Whether a transfer failed, and its service did not answer in time.
  var isTimeout: Bool {
    if case .finished(_, .failure(let error)) = self { error.kind == .timeout || error.kind == .silence } else { false }
  }

  /// Whether a transfer failed.
  var isFailure: Bool {
    if case .finished(_, .failure) = self { true } else { false }
  }
}
