extension TransferLoop {
  package enum Event: Sendable {
    /// The header of a streaming request's 2xx answer has come; `body` is empty.
    case started(TransferID, HTTPResponse)
    /// The next piece of a streaming request's body.
    case data(TransferID, [UInt8])
    /// The last event of a transfer. The body of a streaming request is in the answer only if that is not 2xx.
    case finished(TransferID, Result<HTTPResponse, TransferError>)
    /// A descriptor has data, is at its end, or has an error: reading it will not block.
    case readable(Int32)
    /// A descriptor can be written, or has an error.
    case writable(Int32)
    /// Nobody reads what we write to this descriptor any more.
    case hungUp(Int32)
    /// Names have been looked up: ``addresses(of:since:)`` may know more.
    case namesFound
  }
}

extension TransferLoop.Event {
  /// The transfer that the event is about; `nil` for events of descriptors.
  package var transfer: TransferID? {
    switch self {
    case .started(let id, _), .data(let id, _), .finished(let id, _): id
    case .readable, .writable, .hungUp, .namesFound: nil
    }
  }
}
