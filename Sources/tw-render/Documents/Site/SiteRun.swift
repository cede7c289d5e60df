import TweetCLI
import TweetCore
import TweetDisplay

/// What a site looks like.
struct SiteLook {
  let title: String
  let locale: ReaderLocale
  /// Whether the pictures of authors, or their initials, stand beside tweets; whether photos are shown.
  let hasAvatars, hasPhotos: Bool
  /// Where the pictures are; `nil` for none.
  let folder: PictureFolder?
  /// Gives the whole file of a picture; `nil` if nobody has it.
  let originals: (PictureKey) -> [UInt8]?
  /// Whether what stands behind a warning is shown before it is opened.
  let warnings: WarningChoice
}

/// Reads all records, then writes a site of them: `site`.
///
/// The site is the whole of the input. It is written when the input has ended, and only then is there a site that is
/// changed; one that would lose much is not replaced unasked.
struct SiteRun {
  private let path: String
  private let look: SiteLook
  private let filter: PostFilter
  private let confirmation: DestroyingOptions

  /// - Parameters:
  ///   - path: the directory of the site.
  ///   - filter: which tweets the site has not.
  init(_ path: String, _ look: SiteLook, _ filter: PostFilter, _ confirmation: DestroyingOptions) {
    (self.path, self.look, self.filter, self.confirmation) = (path, look, filter, confirmation)
  }

  func execute(_ input: InputOptions) throws(ToolError) -> ExitStatus {
    // What cannot be written is refused before hours of input are read.
    _ = try SiteFolder(path)
    if !confirmation.dryRun { try SiteFolder.create(path) }
    if !confirmation.dryRun { NamelessFile.removeAbandoned(in: path, prefix: RecordSpool.prefix) }
    let spool = try RecordSpool(in: confirmation.dryRun ? Paths.temporary : path)
    let found = Found(spool, filter)
    var writer = RecordWriter()
    let status = try input.forEachRecord(writer: &writer, printsRecords: false) { (record, _) throws(ToolError) in
      try found.add(record)
    }
    // A site of a part of the input would lose the rest.
    if Interruption.signal != nil || ![.done, .someBad].contains(status) { return status }
    let content = try found.finish()
    if confirmation.dryRun { return try write(content, spool) ? status : .done }
    return try FileLock.hold("\(path)/\(SiteFolder.lockName)") { (_) throws(ToolError) in
      _ = try write(content, spool)
      return status
    }
  }

  /// - Returns: whether the site was written.
  private func write(_ content: SiteContent, _ spool: RecordSpool) throws(ToolError) -> Bool {
    let tweets = content.tweets
    // Another program may have written it since.
    let folder = try SiteFolder(path)
    guard try allows(tweets.count, in: folder) else { return false }
    let plan = try SitePlan(content) { (thread, threads) throws(ToolError) in
      try Self.name(of: threads.members[thread], tweets, spool)
    }
    var writer = SiteWriter(look, plan, spool, SiteFiles(folder), filter)
    try writer.write()
    return true
  }

  /// Whether the site may be replaced by one of `count` tweets. More than a tenth of its tweets do not go unasked: most
  /// often the input is not what it should be.
  private func allows(_ count: Int, in folder: borrowing SiteFolder) throws(ToolError) -> Bool {
    let loses = count * 10 < folder.tweets * 9
    let action =
      folder.tweets > 0
      ? "replace the site '\(path)' of \(folder.tweets) tweets by one of \(count)"
      : "write a site of \(count) tweets into '\(path)'"
    return loses || confirmation.dryRun ? try confirmation.allows(action) : true
  }

  /// The name of a thread: of its conversation if its tweets say one, else of its first tweet.
  private static func name(
    of members: ArraySlice<SiteThreads.Member>, _ tweets: [SiteTweet], _ spool: RecordSpool
  ) throws(ToolError) -> String {
    let named = members.first { tweets[Int($0.tweet)].conversation != 0 } ?? members.first
    guard let named else { return "" }
    return try SiteWriter.record(tweets[Int(named.tweet)], spool).read { record in
      var name = ByteBuffer(capacity: 128)
      let conversation = record["conversation_id"].flatMap { $0.isString ? $0.nonEmpty : nil }
      name.append(fileNameOf: conversation ?? record["id"], service: record["service"])
      return name.string
    }
  }

  /// The records of the input.
  private final class Found {
    private var tweets: SiteTweets?

    private let filter: PostFilter

    init(_ spool: RecordSpool, _ filter: PostFilter) {
      tweets = SiteTweets(spool)
      self.filter = filter
    }

    /// - Returns: what is wrong with a record; `nil` for nothing.
    func add(_ record: Record) throws(ToolError) -> String? {
      guard record.fault == nil, let type = record.type else { return record.fault }
      let root = record.root
      if type.equals("notification") { _ = filter.leavesOut(notification: root, isShown: false) }
      if type.equals("user") { try tweets?.append(user: root) }
      guard type.equals("tweet") || type.equals("delete") else { return nil }
      guard let id = root["id"], id.isString else {
        return "a \(type.equals("tweet") ? "tweet" : "deletion") without an id"
      }
      if type.equals("delete") {
        filter.delete(root)
        tweets?.delete(id, service: root["service"])
      } else if filter.leavesOut(root) {
        // Nor is an older version shown, of a time when everybody could see it.
        tweets?.delete(id, service: root["service"])
        // What is here for another reason too stays.
      } else if !filter.isMarked(root), !filter.isCopy(root) {
        if let copy = try filter.withoutPrivate(root) {
          try copy.read { (copy) throws(ToolError) in try tweets?.append(copy) }
        } else {
          try tweets?.append(root)
        }
      }
      return nil
    }

    func finish() throws(ToolError) -> SiteContent { try tweets.take()?.finish() ?? SiteContent() }
  }
}

extension ByteBuffer {
  /// Appends a name for the file of a hashtag.
  mutating func append(fileNameOfTag tag: String) { tag.withBytes { append(fileName: $0, most: 100) } }

  /// Appends a name for a file that stands for an id: letters in lower case, digits, `-` and `_` alone, so that no
  /// system takes it for a path or for another file's name. Ids that are too long end in a hash.
  fileprivate mutating func append(fileNameOf id: JSONValue?, service: JSONValue?) {
    append("t")
    if let service, !service.equals("x") {
      append(fileName: service, most: 100)
      append(".")
    }
    if let id { append(fileName: id, most: 120) }
  }

  private mutating func append(fileName value: JSONValue, most: Int) { append(fileName: value.rawString, most: most) }

  private mutating func append(fileName name: ByteView, most: Int) {
    let start = count
    for byte in name {
      if byte &- 0x30 < 10 || byte &- 0x61 < 26 || byte == UInt8(ascii: "-") {
        append(byte)
      } else {
        append("_")
        append(lowerHex: byte)
      }
      if count - start <= most { continue }
      truncate(to: start + most)
      append("-\(String(fingerprint(name), radix: 36))")
      return
    }
  }
}
