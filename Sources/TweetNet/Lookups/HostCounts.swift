import TweetCore

/// What happened at one host.
package struct HostCounts: Sendable {
  package private(set) var requests = 0
  /// Answers of 2xx and 3xx.
  package private(set) var successes = 0
  /// Answers that ask for fewer requests.
  package private(set) var refusals = 0
  /// Requests without an answer.
  package private(set) var failures = 0
  /// Milliseconds that the answers took, those of the first 10 000 requests.
  private var times: [Int32] = []

  package init() {}

  mutating func add(_ result: Result<HTTPResponse, TransferError>, milliseconds: Int, isRefusal: Bool) {
    requests += 1
    switch result {
    case .failure: failures += 1
    case .success(let response):
      if isRefusal { refusals += 1 } else if (200..<400).contains(response.status) { successes += 1 }
      if times.count < 10_000 { times.append(Int32(clamping: milliseconds)) }
    }
  }

  /// How many milliseconds half of the answers took at most; `nil` without an answer.
  package var median: Int? {
    times.isEmpty ? nil : Int(times.sorted()[times.count / 2])
  }
}

extension [String: HostCounts] {
  /// A table for people: a row for each host, those with most requests first. A host's name is printed as DNS has it,
  /// so it has no control characters.
  package var hostTable: String {
    var rows = [["host", "requests", "ok", "refused", "failed", "median"]]
    let hosts = sorted { ($1.value.requests, $0.key) < ($0.value.requests, $1.key) }
    for (host, counts) in hosts {
      rows.append(
        [host] + [counts.requests, counts.successes, counts.refusals, counts.failures].map(String.init)
          + [counts.median.map { "\($0) ms" } ?? "-"])
    }
    return AlignedTable.numbers(rows)
  }
}
