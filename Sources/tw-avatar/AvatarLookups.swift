import Libc
import TweetCLI
import TweetCore
import TweetNet
import TweetPictures

/// Which pictures are fetched, as the options say.
struct PictureChoice {
  /// `nil`: the size that the record names.
  var size: PictureSize?
  /// Milliseconds after which the server is asked about a picture again.
  var maxAge: Int
  /// A larger picture is a failure.
  var maxBytes: Int
  /// Whether photos and previews of videos are fetched too.
  var hasMedia: Bool
  /// Whether records get the small PNG of each picture.
  var isInline: Bool
  /// Has pictures that need no request.
  var folder: ArchivePictures?
}

/// Looks up pictures: takes what the store has, fetches the others, has them decoded, and stores them with a thumbnail.
struct AvatarLookups: LiveLookups, ~Copyable {
  /// How long a failure is remembered, in milliseconds: an author's next tweet does not cause another request.
  private static let failureAge = 3_600_000
  /// Pictures wait this many milliseconds for others, so that one transaction stores them all: each waits for the disk.
  private static let commitDelay = 50
  /// This many do not wait, and not this many bytes: they are in memory meanwhile.
  private static let commitCount = 64
  private static let commitSize = 4 << 20

  /// The fetching of one of the URLs that a picture may have. A class, as ``LookupLoop`` does not know how large it is.
  private final class Attempt: Lookup {
    /// What the store has of this URL.
    let known: PictureCache.Entry
    /// The picture that an URL before this one gave earlier.
    let fallback: Fallback?
    /// The URLs to try when this one fails.
    let others: ArraySlice<String>
    private var fetch: PictureFetch

    init(known: PictureCache.Entry, fallback: Fallback?, others: ArraySlice<String>, fetch: PictureFetch) {
      (self.known, self.fallback, self.others, self.fetch) = (known, fallback, others, fetch)
    }

    var host: String { fetch.host }
    var target: WebAddress? { fetch.target }
    var request: HTTPRequest { fetch.request }

    func begin() -> LookupStep<PictureFetch.Outcome> { fetch.begin() }

    func receive(
      _ result: Result<HTTPResponse, TransferError>, millisecondsLeft: Int
    ) -> LookupStep<PictureFetch.Outcome> {
      fetch.receive(result, millisecondsLeft: millisecondsLeft)
    }
  }

  /// A picture of the store that its URL does not give any more. It is better than none.
  private typealias Fallback = (picture: Picture, known: PictureCache.Entry)

  /// What becomes of a picture when it is decoded.
  private enum Pending {
    /// It was fetched, and is stored if it is a picture.
    case fetched(LookupLoop<Attempt>.Finished, Fetched)
    /// It is in the store, and has no thumbnail.
    case stored(key: String, PictureCache.Entry, Picture)
  }

  /// The bytes that a server sent, and what it and their first bytes say of them.
  private struct Fetched {
    let header: PictureHeader
    let bytes: [UInt8]
    let validators: PictureFetch.Validators
    let contentKey: String
  }

  private let choice: PictureChoice
  private let retries: Int
  private let cache: PictureCache
  private let profiles: NewestProfiles
  private let export: PictureExport?
  private var attempts: LookupLoop<Attempt>
  private var decoder = PictureDecoder()
  /// By the decoder's numbers.
  private var pending: [Int: Pending] = [:]
  /// The thumbnails to write when their pictures are in the store.
  private var thumbnails: [(contentKey: String, pixels: Pixels)] = []
  private var encoder: ThumbnailEncoder?
  private var hasWarned = false
  private var answers: [(key: String, answer: AvatarAnswer)] = []
  /// What is not stored yet, and when it is, on the monotonic clock. Until then no answer is given.
  private var changes: [PictureCache.Change] = []
  private var commitTime: Int?
  /// The running look-ups whose pictures are gone, and that have gone on with the address of a newer profile.
  private var renewed: Set<String> = []
  /// How many pictures were found, and how many were not, with the reason of the last one.
  private(set) var found = 0
  private(set) var failures = (count: 0, reason: "")
  /// What happened at each host, if that is counted.
  var hosts: [String: HostCounts] { attempts.counts }
  /// Whether a picture could not be had, for a reason that may pass.
  private(set) var isIncomplete = false

  init(
    _ settings: LookupSettings, choice: PictureChoice, cache: PictureCache, profiles: NewestProfiles,
    export: PictureExport?
  ) throws(ToolError) {
    self.choice = choice
    retries = settings.retries
    self.cache = cache
    self.profiles = profiles
    self.export = export
    attempts = try LookupLoop(settings)
  }

  func keys(of record: JSONValue) -> [String] { AvatarRecord.pictures(in: record, media: choice.hasMedia).map(\.key) }

  func append(_ record: JSONValue, _ answers: LiveAnswers<AvatarAnswer>, to buffer: inout ByteBuffer) throws(ToolError)
  {
    let service = record["service"]?.string ?? AvatarRecord.usualService
    try AvatarRecord.append(
      record, media: choice.hasMedia, answers, to: &buffer,
      export: { (picture, author) throws(ToolError) in
        guard let export, let stem = PictureExport.stem(of: author, service: service) else { return nil }
        return try export.write(picture, as: stem, from: cache)
      },
      inline: { (picture) throws(ToolError) in choice.isInline ? cache.thumbnail(of: picture.key) : nil })
  }

  /// Looks up one picture, and waits for it.
  /// - Returns: the picture's bytes; `nil` if a signal came first.
  mutating func bytes(_ key: String) throws(ToolError) -> Result<[UInt8], PictureFailure>? {
    try start([key])
    while Interruption.signal == nil {
      if let answer = try drainAnswers().first?.answer {
        switch answer.result {
        case .failure(let failure): return .failure(failure)
        case .success(let picture):
          guard let bytes = try cache.bytes(of: picture.key) else { throw .bug("a picture is not in the store") }
          return .success(bytes)
        }
      }
      _ = try wait(reading: [], timeoutMilliseconds: nil)
    }
    return nil
  }

  mutating func start(_ keys: [String]) throws(ToolError) {
    for key in keys {
      let picture = AvatarRecord.split(key)
      try startNext(
        of: candidates(for: picture.url, picture.kind), for: key, after: .badURL, or: nil, left: nil)
    }
  }

  /// The URLs to try, in order.
  private func candidates(for url: String, _ kind: AvatarRecord.Kind) -> ArraySlice<String> {
    switch kind {
    case .media: PictureSize.media(of: url, isOriginal: choice.size == .original)[...]
    case .avatar: (choice.size?.candidates(for: url) ?? [url])[...]
    }
  }

  mutating func wait(reading: [Int32], timeoutMilliseconds: Int?) throws(ToolError) -> [Int32] {
    let decoding = decoder.descriptor
    let descriptors = reading + [decoding].compactMap { $0 }
    let untilCommit = commitTime.map { max(0, $0 - MonotonicClock.milliseconds) }
    let timeout = [timeoutMilliseconds, decoder.millisecondsLeft, untilCommit].compactMap { $0 }.min()
    // What the network sends is in memory until it is decoded.
    let readable =
      decoder.isFull
      ? Self.poll(descriptors, timeout) : try attempts.wait(reading: descriptors, timeoutMilliseconds: timeout)
    return readable.filter { $0 != decoding }
  }

  private static func poll(_ descriptors: [Int32], _ timeout: Int?) -> [Int32] {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard Libc.poll(&entries, nfds_t(entries.count), Int32(clamping: timeout ?? -1)) > 0 else { return [] }
    return entries.filter { $0.revents != 0 }.map(\.fd)
  }

  mutating func drainAnswers() throws(ToolError) -> [(key: String, answer: AvatarAnswer)] {
    for attempt in attempts.drainFinished() { try conclude(attempt) }
    var decoded = decoder.drainFinished()
    while !decoded.isEmpty {
      for (id, result) in decoded {
        if let picture = pending.removeValue(forKey: id) { try conclude(picture, result.mapError(PictureFailure.init)) }
      }
      decoded = decoder.drainFinished()
    }
    if commitTime == nil, !changes.isEmpty { commitTime = MonotonicClock.milliseconds + Self.commitDelay }
    guard isCommitDue else { return [] }
    if !changes.isEmpty { try cache.store(changes) }
    changes.removeAll()
    commitTime = nil
    writeThumbnails()
    defer { answers.removeAll() }
    return answers
  }

  /// Whether what has come is stored now. When nothing more is under way, nothing is waited for.
  private var isCommitDue: Bool {
    guard let commitTime else { return true }
    return changes.count >= Self.commitCount || changes.reduce(0, { $0 + $1.size }) >= Self.commitSize
      || attempts.isIdle && pending.isEmpty || MonotonicClock.milliseconds >= commitTime
  }

  mutating func withdraw(where condition: (String) -> Bool) -> [String] { attempts.withdraw(where: condition) }

  /// Answers from the store, or starts an attempt with the first of `urls` that has not failed lately.
  /// - Parameters:
  ///   - failure: the answer when none is left.
  ///   - fallback: the answer in place of the failure.
  ///   - left: milliseconds of the time of the attempts before, `nil` when there were none.
  private mutating func startNext(
    of urls: ArraySlice<String>, for key: String, after failure: PictureFailure, or fallback: Fallback?, left: Int?
  ) throws(ToolError) {
    var (failure, fallback) = (failure, fallback)
    if let url = urls.first, PictureSize.isStandard(url) { return record(key, .failure(.standardPicture)) }
    for index in urls.indices {
      let known = try cache.find(urls[index], AvatarRecord.split(key).kind)
      if choice.folder?.file(of: urls[index]) == nil, let lately = known.failure,
        known.age < min(Self.failureAge, choice.maxAge)
      {
        if !lately.isFinal, let old = known.picture { return try deliver(old, known, for: key) }
        failure = lately
        fallback = fallback ?? known.picture.map { ($0, known) }
        continue
      }
      if let picture = known.picture, known.failure == nil, known.age < choice.maxAge {
        return try deliver(picture, known, for: key)
      }
      if known.picture == nil { decoder.prepare() }
      let fetch = PictureFetch(
        urls[index], validators: known.validators, maxBytes: choice.maxBytes, retries: retries,
        folder: choice.folder)
      attempts.start(
        key, Attempt(known: known, fallback: fallback, others: urls[(index + 1)...], fetch: fetch),
        millisecondsLeft: left)
      return
    }
    // The picture of the author's newest profile is better than an old one.
    let picture = AvatarRecord.split(key)
    if failure.isFinal, let owner = picture.owner, renewed.insert(key).inserted,
      let newer = profiles.pictureURL(of: owner), newer != picture.url
    {
      return try startNext(
        of: candidates(for: newer, picture.kind), for: key, after: failure, or: fallback, left: left)
    }
    if let fallback { return try deliver(fallback.picture, fallback.known, for: key) }
    record(key, .failure(failure))
  }

  private mutating func conclude(_ attempt: LookupLoop<Attempt>.Finished) throws(ToolError) {
    let (key, known) = (attempt.key, attempt.lookup.known)
    switch attempt.outcome {
    case .unchanged:
      let (change, picture) = try known.confirmed()
      changes.append(change)
      try deliver(picture, known, for: key)
    case .picture(let header, let bytes, let validators):
      let fetched = Fetched(
        header: header, bytes: bytes, validators: validators, contentKey: try ContentKey.of(bytes))
      // The same picture was decoded before.
      if cache.hasThumbnail(fetched.contentKey) { return accept(fetched, of: attempt) }
      pending[decoder.enqueue(bytes, side: AvatarRecord.split(key).kind.side)] = .fetched(attempt, fetched)
    case .failed(let failure):
      try fail(attempt, failure)
    }
  }

  private mutating func conclude(_ picture: Pending, _ result: Result<Pixels, PictureFailure>) throws(ToolError) {
    switch (picture, result) {
    case (.fetched(let attempt, let fetched), .success(let pixels)):
      accept(fetched, of: attempt)
      thumbnails.append((fetched.contentKey, pixels))
    case (.fetched(let attempt, _), .failure(let failure)):
      try fail(attempt, failure)
    case (.stored(let key, _, let picture), .success(let pixels)):
      thumbnails.append((picture.key, pixels))
      record(key, .success(picture))
    case (.stored(let key, let known, _), .failure(let failure)):
      if !failure.isLocal { changes.append(failure.isFinal ? known.refused(failure) : known.failed(failure)) }
      record(key, .failure(failure))
    }
  }

  /// Stores a picture that was fetched, and answers with it.
  private mutating func accept(_ fetched: Fetched, of attempt: LookupLoop<Attempt>.Finished) {
    let (change, picture) = attempt.lookup.known.replaced(
      by: fetched.header, key: fetched.contentKey, bytes: fetched.bytes, validators: fetched.validators)
    changes.append(change)
    record(attempt.key, .success(picture))
  }

  /// Answers with a picture of the store. If it has no thumbnail, since the kit made none then, it is decoded first.
  private mutating func deliver(
    _ picture: Picture, _ known: PictureCache.Entry, for key: String
  ) throws(ToolError) {
    guard !cache.hasThumbnail(picture.key), let bytes = try cache.bytes(of: picture.key) else {
      return record(key, .success(picture))
    }
    pending[decoder.enqueue(bytes, side: AvatarRecord.split(key).kind.side)] = .stored(key: key, known, picture)
  }

  /// Notes that an attempt has failed, and begins the next one.
  private mutating func fail(
    _ attempt: LookupLoop<Attempt>.Finished, _ failure: PictureFailure
  ) throws(ToolError) {
    let known = attempt.lookup.known
    if !failure.isLocal { changes.append(known.failed(failure)) }
    var fallback = attempt.lookup.fallback
    if fallback == nil, var old = known.picture {
      (old.fetchedAt, old.error) = (nil, failure.code)
      fallback = (old, known)
    }
    try startNext(
      of: attempt.lookup.others, for: attempt.key, after: failure, or: fallback, left: attempt.millisecondsLeft)
  }

  /// Pictures are shown without thumbnails, by initials: that they cannot be written ends nothing.
  private mutating func writeThumbnails() {
    defer { thumbnails.removeAll() }
    for (key, pixels) in thumbnails {
      do throws(ToolError) {
        if encoder == nil { encoder = ThumbnailEncoder() }
        guard let encoder else { throw .inputOutput("libspng is not installed") }
        guard let png = encoder.encode(pixels) else { throw .inputOutput("memory is short") }
        try cache.writeThumbnail(png, of: key)
      } catch {
        if !hasWarned { Diagnostics.warn("no thumbnails: \(error.message ?? "")") }
        hasWarned = true
      }
    }
  }

  private mutating func record(_ key: String, _ result: PictureResult) {
    switch result {
    case .success: found += 1
    case .failure(.standardPicture): break
    case .failure(let failure):
      isIncomplete = isIncomplete || !failure.isFinal
      failures = (failures.count + 1, failure.code)
    }
    renewed.remove(key)
    answers.append((key, AvatarAnswer(result)))
  }
}
