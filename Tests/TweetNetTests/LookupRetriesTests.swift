import Testing

@testable import TweetNet

/// When a look-up is tried again, by the table.
struct LookupRetriesTests {
  private static func answer(_ status: Int, retryAfter: Int? = nil) -> Result<HTTPResponse, TransferError> {
    var response = HTTPResponse(status: status, url: "https://a.example/")
    response.retryAfter = retryAfter
    return .success(response)
  }

  /// Twice as long each time, as often as allowed, and not beyond the time that is left.
  @Test func pausesGrow() {
    var retries = LookupRetries(3)
    let pauses = [9000, 9000, 9000, 9000].map { retries.pause(after: Self.answer(500), millisecondsLeft: $0) }
    #expect(pauses == [500, 1000, 2000, nil])
    var late = LookupRetries(9)
    let left = [501, 1000, 1001, 2000, 4000].map { late.pause(after: Self.answer(500), millisecondsLeft: $0) }
    #expect(left == [500, nil, 1000, nil, 2000])
    var none = LookupRetries(0)
    let further = none.pause(after: Self.answer(500), millisecondsLeft: 9000)
    #expect(further == nil)
  }

  /// A server that names a time gets it, if there is so much; a number without sense is no overflow.
  @Test(arguments: [(7, 7000), (0, 0), (30, nil), (86_401, nil), (Int.max, nil)] as [(Int, Int?)])
  func aServersTimeIsKept(_ seconds: Int, _ wanted: Int?) {
    var retries = LookupRetries(1)
    let pause = retries.pause(after: Self.answer(500, retryAfter: seconds), millisecondsLeft: 30_000)
    #expect(pause == wanted)
  }

  /// What may pass is tried again; what is lasting, and the matter of hosts that refuse, is not.
  @Test func onlyWhatMayPassIsTriedAgain() {
    let again = (100...599).filter { status in
      var retries = LookupRetries(1)
      return retries.pause(after: Self.answer(status), millisecondsLeft: 9000) != nil
    }
    #expect(again == [408, 425] + (500...599).filter { ![501, 503, 505, 506, 507, 508, 510, 511].contains($0) })
    let kinds: [(TransferError.Kind, Bool)] = [
      (.lostConnection, true), (.dns, true), (.noSuchHost, false), (.timeout, false), (.privateAddress, false),
      (.limited, false), (.badURL, false), (.unreachable, false),
    ]
    for (kind, isAgain) in kinds {
      var retries = LookupRetries(1)
      let pause = retries.pause(after: .failure(TransferError(kind, "no")), millisecondsLeft: 9000)
      #expect((pause != nil) == isAgain, "\(kind)")
    }
  }
}
