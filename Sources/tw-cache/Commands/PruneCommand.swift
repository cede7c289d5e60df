import ArgumentParser
import Libc
import MediaStore
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct PruneCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "prune",
    abstract: "Remove old data, and give its space back to the file system.",
    usage: "tw-cache prune [<options>]",
    discussion: """
      EXAMPLES:
        tw-cache prune --older-than 1y
        tw-cache prune --yes --quiet --max-size 10G

      Asks first, and says how much would go. By an age nothing is removed where the clock cannot be believed. Pictures and \
      links are removed too, since they can be fetched again. With several options, everything that one of them selects is \
      removed.
      """)

  /// Pictures and links may use one part in four of the allowed size. They can be fetched again; tweets cannot.
  private static let mediaPart = 4
  /// The smallest `--max-size`: an empty store is not much smaller, so less is a size without its unit.
  private static let smallest = 1 << 20

  /// What is older than this is removed.
  struct Limit {
    let time: Timestamp
    /// Whether a date was given, not an age: then it does not matter what the clock says.
    let isDate: Bool
  }

  @Option(
    help: ArgumentHelp(
      "Remove tweets posted before this time, and notifications, checked links and pictures from before it: 365d, 6mo, 1y, a date.",
      valueName: "time"),
    transform: PruneCommand.time)
  var olderThan: Limit?

  @Option(
    help: ArgumentHelp(
      "Remove the oldest data until both databases together are not larger than this.", valueName: "size"),
    transform: PruneCommand.size)
  var maxSize: Int?

  @Flag(help: "Remove profile pictures that no profile of the store names any more.")
  var unusedPictures = false

  @OptionGroup var destroying: DestroyingOptions

  @OptionGroup var store: StoreOptions

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if olderThan == nil && maxSize == nil && !unusedPictures {
      throw ValidationError("say --older-than, --max-size or --unused-pictures")
    }
  }

  func execute() throws(ToolError) -> ExitStatus {
    let path = try store.path
    // Fails if the store is missing: it must not be created.
    _ = try store.open(showsIncoming: false)
    let mediaPath = Paths.mediaStore(besides: path)
    let foreseen = try foresee(path, mediaPath)
    let doubt = try clockDoubt(path)
    if destroying.dryRun {
      try RecordWriter.print(rows: foreseen.map { [$0.what, String($0.count)] })
      if let doubt { Diagnostics.warn("\(doubt): without a terminal to ask on, nothing would be removed") }
      return .done
    }
    let parts = foreseen.map { "\($0.what): \($0.count)" }.joined(separator: ", ")
    let hasAny = foreseen.contains { $0.count > 0 }
    // A job says --yes each night, also when the clock is wrong.
    if hasAny, let doubt, destroying.yes || isatty(2) == 0 { throw Self.unbelieved(doubt) }
    let warning = doubt.map { "\($0); is the clock right, and shall this go: " } ?? ""
    if hasAny, try !destroying.allows("\(warning)remove from '\(path)': \(parts)") {
      Diagnostics.note("nothing was removed")
      return .done
    }
    var (media, mediaSize) = (0, 0)
    if MediaStore.exists(mediaPath) {
      let store = try MediaStore(mediaPath, note: Diagnostics.warn)
      if unusedPictures {
        media += try store.prune(avatars: store.unusedPictures(of: try TweetStore(path, .readOnly)))
      }
      if let olderThan { media += try store.prune(before: olderThan.time) }
      if let maxSize { media += try store.prune(downTo: maxSize / Self.mediaPart) }
      mediaSize = try store.bytesInUse()
    }
    let progress = WorkProgress(isQuiet: isQuiet)
    var tweets = try Pruning(try TweetStore(path, .readWrite), ignoring: try ignoredLabels()) { done, all, noun in
      progress?.update(done, of: all, noun)
    }
    try tweets.dropForgotten()
    if let olderThan { try tweets.remove(before: olderThan.time) }
    if let maxSize { try tweets.remove(downTo: max(0, maxSize - mediaSize)) }
    try tweets.shrink()
    progress?.clear()
    Diagnostics.note(
      "removed \(tweets.tweets) tweets, \(tweets.users) users, \(media) pictures and links"
        + (tweets.notifications > 0 ? ", \(tweets.notifications) notifications" : "")
        + (tweets.forgotten > 0 ? ", and what would bring back \(tweets.forgotten) forgotten or deleted tweets" : ""))
    return .done
  }

  /// The labels that tweets get without a person: they keep no tweet.
  private func ignoredLabels() throws(ToolError) -> [TweetLabel] { try [.unread] + Settings.load().newLabels }

  /// What would be removed, and how much of it.
  private func foresee(_ path: String, _ mediaPath: String) throws(ToolError) -> [(what: String, count: Int)] {
    let tweets = try TweetStore(path, .readOnly)
    var parts: [(what: String, count: Int)] = []
    let forgotten = try tweets.forgottenCount()
    if forgotten > 0 { parts.append(("forgotten or deleted tweets that could come back", forgotten)) }
    let media = MediaStore.exists(mediaPath) ? try MediaStore(mediaPath, note: Diagnostics.warn) : nil
    if unusedPictures { parts.append(("unused pictures", try media?.unusedPictures(of: tweets).count ?? 0)) }
    if let olderThan {
      let time = olderThan.time
      parts.append(("tweets", try Pruning.count(in: tweets, before: time, ignoring: ignoredLabels())))
      parts.append(("users", try Pruning.countUsers(in: tweets, before: time, ignoring: ignoredLabels())))
      parts.append(("notifications", try Pruning.countNotifications(in: tweets, before: time)))
      parts.append(("pictures and links", try media?.countPruned(before: time) ?? 0))
    }
    if let maxSize {
      let size = try media?.bytesInUse() ?? 0
      let kept = min(size, maxSize / Self.mediaPart)
      parts.append(("tweets, about", try Pruning.count(in: tweets, downTo: max(0, maxSize - kept))))
      parts.append(("bytes of pictures and links", size - kept))
    }
    return parts
  }

  /// Why an age says nothing, since the clock is not believed; `nil` if it is, or no age was given.
  private func clockDoubt(_ path: String) throws(ToolError) -> String? {
    guard let olderThan, !olderThan.isDate else { return nil }
    return try TweetStore(path, .readOnly).clockDoubt()
  }

  private static func unbelieved(_ doubt: String) -> ToolError {
    .configuration(
      "\(doubt): nothing was removed; if the clock is right, refresh first, say a date (--older-than 2026-01-31), or "
        + "answer on a terminal, without --yes")
  }

  /// A time of ``TimeOption``, a day ago or earlier: what is younger is not old, and `1m` is not a month.
  private static func time(_ text: String) throws -> Limit {
    let time = try TimeOption.parse(text)
    if time <= Timestamp.shown.before(days: 1) { return Limit(time: time, isDate: TimeOption.isDate(text)) }
    let isMinutes = text.hasSuffix("m")
    throw ValidationError(
      "'\(text)' is less than a day ago" + (isMinutes ? ": m is minutes, months are '\(text)o'" : ""))
  }

  private static func size(_ text: String) throws -> Int {
    let size = try ByteSize.parse(text)
    if size >= smallest { return size }
    throw ValidationError("'\(text)' is less than 1M: \(size) bytes")
  }
}

extension MediaStore {
  /// The addresses of the profile pictures that no stored profile names any more, since their users have others now.
  /// What was fetched in another size, or with another query, than the profile names is a picture of it all the same.
  /// - Returns: none after a signal: profiles that were not read may name any of them.
  func unusedPictures(of tweets: borrowing TweetStore) throws(ToolError) -> [String] {
    var named: Set<String> = []
    let damaged = try tweets.forEachUser(named: nil, service: nil) { (record) throws(ToolError) in
      if let url = Self.picture(of: record) {
        named.insert(ProfilePicture.name(url))
      }
      return Interruption.signal == nil
    }
    if Interruption.signal != nil { return [] }
    // A profile that cannot be read may name any of them.
    try damaged.check(of: tweets.path)
    return try pictureURLs("avatar").filter { !named.contains(ProfilePicture.name($0)) }
  }

  private static func picture(of user: [UInt8]) -> String? {
    guard let document = try? JSONDocument(user) else { return nil }
    return document["profile_image_url"]?.string
  }
}

/// A profile picture, which has an address for each of its sizes.
enum ProfilePicture {
  /// What the addresses of one picture have in common: all up to the size, the extension and the query.
  static func name(_ url: String) -> String {
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let start = path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex
    let dot = path[start...].lastIndex(of: ".") ?? path.endIndex
    let stem = path[..<dot]
    // X's sizes.
    for size in ["_normal", "_bigger", "_mini", "_400x400", "_200x200", "_reasonably_small", "_x96"]
    where stem[start...].hasSuffix(size) && stem[start...].count > size.count {
      return String(stem.dropLast(size.count))
    }
    return String(stem)
  }
}
