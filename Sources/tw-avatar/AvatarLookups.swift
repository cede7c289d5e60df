import TweetCLI
import TweetCore
import TweetNet

/// Which pictures are fetched, as the options say.
struct PictureChoice {
  /// `nil`: the size that the record names.
  var size: PictureSize?
  /// Milliseconds after which the server is asked about a picture again.
  var maxAge: Int
  /// A larger picture is a failure.
  var maxBytes: Int
}

/// Looks up profile pictures: takes what the store has, fetches the others, and stores them.
struct AvatarLookups: LiveLookups, ~Copyable {
  /// How long a failure is remembered, in milliseconds: an author's next tweet does not cause another request.
  private static let failureAge = 3_600_000

  /// The fetching of one of the URLs that a picture may have.
  private struct Attempt: Lookup {
    /// What the store has of this URL. If the server does not answer, an old picture is better than none.
    let known: PictureCache.Entry
    /// The URLs to try when this one fails.
    let others: ArraySlice<String>
    var fetch: PictureFetch

    var url: String { fetch.url }
    var request: HTTPRequest { fetch.request }

    mutating func begin() -> LookupStep<PictureFetch.Outcome> { fetch.begin() }

    mutating func receive(
      _ result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int
    ) -> LookupStep<PictureFetch.Outcome> {
      fetch.receive(result, millisecondsLeft: millisecondsLeft)
    }
  }

  private let choice: PictureChoice
  private let cache: PictureCache
  private let export: PictureExport?
  private var attempts: LookupLoop<Attempt>
  private var answers: [(key: String, answer: PictureResult)] = []
  /// Whether a picture could not be had, for a reason that may pass.
  private(set) var isIncomplete = false

  init(
    _ settings: LookupSettings, choice: PictureChoice, cache: PictureCache, export: PictureExport?
  ) throws(ToolError) {
    self.choice = choice
    self.cache = cache
    self.export = export
    attempts = try LookupLoop(settings)
  }

  func keys(of record: JSONValue) -> [String] { AvatarRecord.authors(in: record).map(\.url) }

  func append(_ record: JSONValue, _ answers: [String: PictureResult], to buffer: inout ByteBuffer) throws(ToolError) {
    let service = record["service"]?.string ?? "x"
    try AvatarRecord.append(record, answers, to: &buffer) { (picture, author) throws(ToolError) in
      guard let export, let stem = PictureExport.stem(of: author, service: service) else { return nil }
      return try export.write(picture, as: stem, from: cache)
    }
  }

  mutating func start(_ keys: [String]) throws(ToolError) {
    for key in keys {
      let candidates = choice.size?.candidates(for: key) ?? [key]
      try startNext(of: candidates[...], for: key, after: .badURL, deadline: nil)
    }
  }

  mutating func wait(reading: [Int32], timeoutMilliseconds: Int?) throws(ToolError) -> [Int32] {
    try attempts.wait(reading: reading, timeoutMilliseconds: timeoutMilliseconds)
  }

  mutating func drainAnswers() throws(ToolError) -> [(key: String, answer: PictureResult)] {
    var changes: [PictureCache.Change] = []
    for attempt in attempts.drainFinished() { try conclude(attempt, &changes) }
    // One transaction for all that came together.
    if !changes.isEmpty { try cache.store(changes) }
    defer { answers.removeAll() }
    return answers
  }

  mutating func withdraw(where condition: (String) -> Bool) -> [String] { attempts.withdraw(where: condition) }

  /// Answers from the store, or starts an attempt with the first of `urls` that has not failed lately.
  /// - Parameters:
  ///   - failure: the answer when none is left.
  ///   - deadline: of the attempts before, `nil` when there were none.
  private mutating func startNext(
    of urls: ArraySlice<String>, for key: String, after failure: PictureFailure, deadline: Int?
  ) throws(ToolError) {
    var failure = failure
    for index in urls.indices {
      let known = try cache.find(urls[index])
      if let lately = known.failure, known.age < min(Self.failureAge, choice.maxAge) {
        if !lately.isFinal, let old = known.picture { return record(key, .success(old)) }
        failure = lately
        continue
      }
      if let picture = known.picture, known.failure == nil, known.age < choice.maxAge {
        return record(key, .success(picture))
      }
      let fetch = PictureFetch(urls[index], validators: known.validators, maxBytes: choice.maxBytes)
      attempts.start(key, Attempt(known: known, others: urls[(index + 1)...], fetch: fetch), deadline: deadline)
      return
    }
    record(key, .failure(failure))
  }

  private mutating func conclude(
    _ attempt: LookupLoop<Attempt>.Finished, _ changes: inout [PictureCache.Change]
  ) throws(ToolError) {
    let (key, known) = (attempt.key, attempt.lookup.known)
    switch attempt.outcome {
    case .unchanged:
      let (change, picture) = try known.confirmed()
      changes.append(change)
      record(key, .success(picture))
    case .picture(let header, let bytes, let validators):
      let (change, picture) = known.replaced(
        by: header, key: try ContentKey.of(bytes), bytes: bytes, validators: validators)
      changes.append(change)
      record(key, .success(picture))
    case .failed(let failure):
      // An address that this run may not reach says nothing about the picture.
      if failure != .privateAddress { changes.append(known.failed(failure)) }
      if attempt.lookup.others.isEmpty, !failure.isFinal, var old = known.picture {
        old.fetchedAt = nil
        return record(key, .success(old))
      }
      try startNext(of: attempt.lookup.others, for: key, after: failure, deadline: attempt.deadline)
    }
  }

  private mutating func record(_ key: String, _ result: PictureResult) {
    if case .failure(let failure) = result { isIncomplete = isIncomplete || !failure.isFinal }
    answers.append((key, result))
  }
}
