/// The look-up of one address: a value that says which request comes next and what the answers mean. It makes no
/// requests itself (``LookupLoop`` does), so that its rules can be tested without a network.
package protocol Lookup {
  associatedtype Outcome

  /// The host of the next request, which is one of this many at once; empty if there is none.
  var host: String { get }
  /// Where the next request goes; `nil` if there is none, or its URL is wrong. It is asked for more often than
  /// ``request``.
  var target: WebAddress? { get }
  /// The next request. The loop sets its time-outs, its proxy and the addresses it may reach.
  var request: HTTPRequest { get }

  /// Called once, before all else.
  mutating func begin() -> LookupStep<Outcome>
  /// - Parameters:
  ///   - result: of the last request.
  ///   - millisecondsLeft: of the time for the whole look-up.
  mutating func receive(
    _ result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int
  ) -> LookupStep<Outcome>
  /// Whether a refusal, since the host has too many requests, makes the host rest and the request be made again. If
  /// not, the look-up receives the answer and sees to it itself.
  var leavesRestsToLoop: Bool { get }
  /// Called when a request was refused.
  /// - Returns: whether the next request is another one. Of one request only this many refusals are waited for.
  mutating func changesAfterRefusal() -> Bool
}

extension Lookup {
  package var target: WebAddress? { request.address }
  package var leavesRestsToLoop: Bool { true }
  package mutating func changesAfterRefusal() -> Bool { false }
}

/// What comes next in a ``Lookup``.
package enum LookupStep<Outcome> {
  /// Make its `request`.
  case request
  /// Wait this many milliseconds, then make its `request`.
  case pause(Int)
  /// It has ended.
  case done(Outcome)
}

extension LookupStep {
  /// The step with another outcome.
  package func map<Other>(_ change: (Outcome) -> Other) -> LookupStep<Other> {
    switch self {
    case .request: .request
    case .pause(let milliseconds): .pause(milliseconds)
    case .done(let outcome): .done(change(outcome))
    }
  }
}
