import TweetCLI
import TweetCore
import TweetNet

/// Fetches pictures by many requests at once into the store.
struct AvatarLookups: LiveLookups, ~Copyable {
  /// How pictures are fetched, as the options say.
  struct Settings {
    var jobs: Int
    /// Milliseconds for one picture, redirects and the second size included.
    var timeout: Int
    /// Milliseconds after which a picture is asked about again.
    var maxAge: Int
    /// A larger picture is not taken.
    var maxBytes: Int
    /// `nil`: the size that the record names.
    var size: PictureSize?
    var addresses: AddressPolicy
    var proxy: ProxyUse
    var caFile: String?
  }

  /// How long a failure is remembered, in milliseconds: long enough not to ask for every tweet of an author again.
  private static let failureAge = 3_600_000

  private struct Active {
    /// What the store has of the URL that is fetched (before redirects). An old picture is better than nothing when the
    /// server does not answer.
    var known: PictureCache.Entry
    var fetch: PictureFetch
    /// The URLs to try when this one fails.
    var others: ArraySlice<String>
    var deadline: Int?
  }

  private let settings: Settings
  private let cache: PictureCache
  private let export: PictureExport?
  private var loop: TransferLoop
  /// The pictures of one service come from one host, which is made for it: no lane of its own.
  private var queue: HostLanes
  private var active: [String: Active] = [:]
  private var transfers: [TransferID: String] = [:]
  private var answers: [(key: String, answer: Avatar)] = []
  /// What the store has yet to be told, in one transaction for all that came together.
  private var unstored: [PictureCache.Change] = []
  /// Whether some pictures could not be had for now.
  private(set) var isIncomplete = false

  init(_ settings: Settings, cache: PictureCache, export: PictureExport?) throws(ToolError) {
    self.settings = settings
    self.cache = cache
    self.export = export
    loop = try TransferLoop(limit: settings.jobs)
    queue = HostLanes(total: settings.jobs, perHost: settings.jobs)
  }

  func keys(of record: JSONValue) -> [String] { AvatarRecord.authors(in: record).map(\.url) }

  func append(_ record: JSONValue, _ answers: [String: Avatar], to buffer: inout ByteBuffer) throws(ToolError) {
    AvatarRecord.append(record, answers, to: &buffer)
  }

  mutating func start(_ keys: [String]) throws(ToolError) {
    for key in keys {
      let candidates = settings.size?.candidates(for: key) ?? [key]
      try tryNext(of: candidates[...], for: key, after: .badURL, deadline: nil)
    }
  }

  mutating func wait(reading: [Int32], timeoutMilliseconds: Int?) throws(ToolError) -> [Int32] {
    try requestNext()
    // What is known already must not wait for what is not.
    let timeout = answers.isEmpty ? timeoutMilliseconds : 0
    var readable: [Int32] = []
    for event in try loop.wait(reading: reading, writing: [1], timeoutMilliseconds: timeout) {
      switch event {
      case .finished(let id, let outcome):
        if let key = transfers.removeValue(forKey: id) { try received(key, outcome) }
      case .readable(let descriptor): readable.append(descriptor)
      case .hungUp: throw .readerGone
      // Only of streaming requests, and of descriptors that are written to.
      case .started, .data, .writable: break
      }
    }
    try requestNext()
    return readable
  }

  mutating func takeAnswers() throws(ToolError) -> [(key: String, answer: Avatar)] {
    if !unstored.isEmpty {
      try cache.store(unstored)
      unstored.removeAll()
    }
    defer { answers.removeAll() }
    if let export {
      for case .success(let picture) in answers.map(\.answer) { try export.write(picture, from: cache) }
    }
    return answers
  }

  mutating func withdraw(where condition: (String) -> Bool) -> [String] {
    // A fetch that has begun goes on: the picture is kept for whoever asks next.
    let withdrawn = queue.withdraw { condition($0) && active[$0]?.deadline == nil }
    for key in withdrawn { active[key] = nil }
    return withdrawn
  }

  /// Answers from the store or begins to fetch the first of `urls`; those that failed lately are passed over.
  /// - Parameter failure: the answer when none is left.
  private mutating func tryNext(
    of urls: ArraySlice<String>, for key: String, after failure: PictureFailure, deadline: Int?
  ) throws(ToolError) {
    var failure = failure
    for index in urls.indices {
      let known = try cache.find(urls[index])
      if let lately = known.failure, known.age < min(Self.failureAge, settings.maxAge) {
        if !lately.isFinal, let old = known.picture { return answer(key, .success(old)) }
        failure = lately
        continue
      }
      if let picture = known.picture, known.failure == nil, known.age < settings.maxAge {
        return answer(key, .success(picture))
      }
      var fetch = PictureFetch(urls[index], validators: known.validators)
      let step = fetch.begin()
      active[key] = Active(known: known, fetch: fetch, others: urls[(index + 1)...], deadline: deadline)
      return try proceed(key, step)
    }
    answer(key, .failure(failure))
  }

  private mutating func received(
    _ key: String, _ outcome: Result<HTTPResponse, TransferError>
  ) throws(ToolError) {
    queue.leave(host: "")
    guard let step = active[key]?.fetch.received(outcome) else { return }
    try proceed(key, step)
  }

  private mutating func proceed(_ key: String, _ step: PictureFetch.Step) throws(ToolError) {
    if case .request = step {
      queue.enqueue(key, host: "", atFront: active[key]?.deadline != nil)
      return
    }
    guard let item = active.removeValue(forKey: key) else { return }
    switch step {
    case .request: break
    case .unchanged:
      let (change, picture) = try item.known.confirmed()
      unstored.append(change)
      answer(key, .success(picture))
    case .picture(let header, let bytes, let validators):
      let (change, picture) = item.known.replaced(
        by: header, key: try ContentKey.of(bytes), bytes: bytes, validators: validators)
      unstored.append(change)
      answer(key, .success(picture))
    case .failed(let failure):
      // Where we do not go today says nothing about the picture.
      if failure != .privateAddress { unstored.append(item.known.failed(failure)) }
      if item.others.isEmpty, !failure.isFinal, var old = item.known.picture {
        old.fetchedAt = nil
        return answer(key, .success(old))
      }
      try tryNext(of: item.others, for: key, after: failure, deadline: item.deadline)
    }
  }

  private mutating func answer(_ key: String, _ avatar: Avatar) {
    if case .failure(let failure) = avatar { isIncomplete = isIncomplete || !failure.isFinal }
    answers.append((key, avatar))
  }

  private mutating func requestNext() throws(ToolError) {
    while let key = queue.next() {
      guard let item = active[key] else { continue }
      let deadline = item.deadline ?? MonotonicClock.milliseconds + settings.timeout
      active[key]?.deadline = deadline
      let left = deadline - MonotonicClock.milliseconds
      guard left > 0 else {
        try received(key, .failure(TransferError(.timeout, "no time left")))
        continue
      }
      var request = HTTPRequest(.get, item.fetch.url)
      request.headers = item.fetch.headers
      request.connectTimeout = left
      request.totalTimeout = left
      request.maxBody = settings.maxBytes
      request.addresses = settings.addresses
      request.proxy = settings.proxy
      request.caFile = settings.caFile
      transfers[loop.start(request)] = key
    }
  }
}
