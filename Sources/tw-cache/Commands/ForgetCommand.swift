import ArgumentParser
import MediaStore
import Services
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

struct ForgetCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Remove tweets from the store for good, or bring them back.",
    usage: """
      tw-cache forget [<options>] <tweet> ...
             tw-cache forget [<options>] --author <name> | --label <label>
             tw-cache forget [<options>] --person <name>
             tw-cache forget --undo [--deleted] [<options>] [<tweet> ...]
             tw-cache forget --list [--deleted] [<options>]
      """,
    discussion: """
      EXAMPLES:
        tw-cache forget --yes https://x.com/jack/status/20
        tw-cache forget --undo --deleted --since 1d --service bluesky

      Asks first, and says how much would go. No refresh and no file brings a forgotten tweet back; until the store is pruned, \
      --undo does. A person goes for good: posts, profile, names, what others quote, notifications, pictures and links.
      """)

  @Argument(help: "Tweets: an id, a URL, service:id or the number on this terminal of each.")
  var tweets: [String] = []

  @Option(
    help: ArgumentHelp("Forget all stored tweets by this user.", valueName: "name"), completion: NameCompletion.users)
  var author: String?

  @Option(
    help: ArgumentHelp("Forget all that is stored of this person: a user name, or service:id.", valueName: "name"),
    completion: NameCompletion.users)
  var person: String?

  @Option(
    help: ArgumentHelp("Forget all tweets with this label.", valueName: "label"), completion: NameCompletion.labels,
    transform: LabelOption.parse)
  var label: TweetLabel?

  @Option(help: ArgumentHelp("Tweets of this service.", valueName: "service"))
  var service: String?

  @Flag(help: "Bring back the tweets, or all that can come back if none is named.")
  var undo = false

  @Flag(help: "Print the tweets that can come back as records, the one that was forgotten last first.")
  var list = false

  @Flag(help: "With --undo or --list: the tweets that their service said are deleted.")
  var deleted = false

  @Option(
    help: ArgumentHelp("With --deleted: only those that were deleted at this time or later.", valueName: "time"),
    transform: TimeOption.parse)
  var since: Timestamp?

  @Option(help: ArgumentHelp("With --deleted: only those that this source had brought.", valueName: "source"))
  var feed: String?

  @OptionGroup var destroying: DestroyingOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    let hasFilter = author != nil || label != nil
    if person != nil {
      guard tweets.isEmpty, !hasFilter, !list, !deleted else {
        throw ValidationError("--person takes nothing else but --undo and --service")
      }
      return
    }
    if deleted, !undo, !list { throw ValidationError("--deleted goes with --undo or --list") }
    if !deleted, since != nil || feed != nil { throw ValidationError("--since and --feed go with --deleted") }
    if undo || list {
      if undo && list { throw ValidationError("say --undo or --list") }
      if hasFilter || list && !tweets.isEmpty {
        throw ValidationError("\(undo ? "--undo takes tweets" : "--list takes nothing"), not what chooses them")
      }
    } else if tweets.isEmpty && !hasFilter {
      throw ValidationError("say which tweets to forget, or --author or --label")
    } else if !tweets.isEmpty && hasFilter {
      throw ValidationError("name tweets, or choose them by --author and --label")
    }
  }

  /// The tweets that `--undo` and `--list` are about.
  private var lost: LostTweets { deleted ? .deleted(since: since, feed: feed) : .forgotten }

  /// What is named, of numbers with who wrote what: it is to go.
  private func named() throws(ToolError) -> [String] {
    var numbers = ShortNumbers()
    return try numbers.names(tweets, announces: true)
  }

  func execute() throws(ToolError) -> ExitStatus {
    if let person { return try undo ? bringBack(person: person) : forget(person: person) }
    if list { return try printForgotten() }
    if undo { return try bringBack() }
    // It says what is wrong with a file that cannot be used.
    let reader = try store.openForChanges()
    let plan = try reader.plan(forgetting: named(), service: service, query)
    if let label { try LabelOption.noteUnknown([label], in: reader) }
    if plan.tweets.isEmpty {
      Diagnostics.note("no tweet was found, and none was forgotten")
      return .done
    }
    if let author { try StoreOptions.noteSeveral(Self.bare(author), service: service, in: reader) }
    guard try destroying.allows("forget \(Self.text(plan)) in '\(try store.path)'") else { return .done }
    var run = try Forgetting(reader)
    let progress = WorkProgress(isQuiet: isQuiet)
    let count = try run.run(plan) { done, all, noun in progress?.update(done, of: all, noun) }
    progress?.clear()
    Diagnostics.note(
      "forgot \(counted(count, "tweet")); until the next prune 'tw-cache forget --undo' brings \(count == 1 ? "it" : "them") back"
    )
    return .done
  }

  /// The tweets that options choose; `nil` if tweets are named.
  private var query: TweetQuery? {
    guard tweets.isEmpty else { return nil }
    var query = TweetQuery()
    query.authors = author.map { [Self.bare($0)] } ?? []
    query.labels = label.map { [$0] } ?? []
    query.service = service
    query.includesHidden = true
    return query
  }

  private static func text(_ plan: Forgetting.Plan) -> String {
    var text = counted(plan.tweets.count, "tweet")
    let it = plan.tweets.count == 1 ? "it" : "them"
    if plan.retweets > 0 { text += ", \(counted(plan.retweets, "retweet")) of \(it)" }
    if plan.copies > 0 { text += ", and the copies of \(it) in \(counted(plan.copies, "tweet"))" }
    return text
  }

  private func printForgotten() throws(ToolError) -> ExitStatus {
    let tweets = try store.open(showsIncoming: false)
    var output = RecordWriter()
    if try tweets.find(lost, [], service: nil).isEmpty { Diagnostics.note("no \(lost.word) tweet can come back") }
    let people = try deleted ? [] : tweets.forgottenPeople().map(\.text)
    if !people.isEmpty { Diagnostics.note("forgotten people: \(people.joined(separator: ", "))") }
    let damaged = try tweets.forEach(lost) { (record) throws(ToolError) in
      output.buffer.append(record)
      output.buffer.append("\n")
      try output.flushIfLarge()
    }
    try output.flush()
    try damaged.check(of: tweets.path)
    return .done
  }

  private func bringBack() throws(ToolError) -> ExitStatus {
    let reader = try store.openForChanges()
    let wanted = try reader.find(lost, named(), service: service)
    if destroying.dryRun {
      _ = try destroying.allows("bring back \(counted(wanted.count, "tweet"))")
      return .done
    }
    var lines = try StoreImport(reader)
    let count = try lines.restore(wanted, isDeleted: deleted)
    Diagnostics.note("brought back \(counted(count, "tweet"))")
    if count < wanted.count, !deleted {
      Diagnostics.note("\(counted(wanted.count - count, "tweet")) cannot come back: deleted by the service meanwhile")
    }
    return .done
  }
}

/// `tw-cache forget --person`.
extension ForgetCommand {
  static func bare(_ name: String) -> String { name.hasPrefix("@") ? String(name.dropFirst()) : name }

  /// The one person whom a name means.
  /// - Throws: `ToolError.noInput` if nobody has it, `ToolError.usage` if several have or had it.
  private func found(_ name: String, in reader: borrowing TweetStore, isForgotten: Bool) throws(ToolError) -> Person {
    let name = Self.bare(name)
    var people = isForgotten ? [] : try reader.people(named: name, service: service)
    if people.isEmpty {
      people = try reader.forgottenPeople().filter {
        (service ?? $0.service) == $0.service && ($0.id == name || "\($0.service):\($0.id)" == name)
      }
    }
    if people.count > 1 {
      let list = people.map(\.text).joined(separator: ", ")
      throw .usage("'\(name)' names \(people.count) people: \(list); name one as service:id")
    }
    guard let person = people.first else {
      let what = isForgotten ? "no forgotten person" : "no user"
      throw .noInput("\(what) '\(name)' in '\(reader.path)'")
    }
    return person
  }

  func forget(person name: String) throws(ToolError) -> ExitStatus {
    let reader = try store.openForChanges()
    let person = try found(name, in: reader, isForgotten: false)
    let count = try reader.traces(of: person)
    let parts = [
      counted(count.tweets, "tweet"), count.others > 0 ? "copies in \(counted(count.others, "tweet")) of others" : nil,
      count.notifications > 0 ? counted(count.notifications, "notification") : nil, "the profile",
    ].compactMap { $0 }
    let path = try store.path
    let what = "forget \(person.text) for good: \(parts.joined(separator: ", ")), in '\(path)'"
    guard try destroying.allows(what) else { return .done }
    let sources = try sources(of: person, in: reader)
    var run = try Forgetting(reader)
    let progress = WorkProgress(isQuiet: isQuiet)
    let traces = try run.run(person) { done, all, noun in progress?.update(done, of: all, noun) }
    try forgetMedia(traces, path)
    progress?.clear()
    Diagnostics.note("forgot \(person.service):\(person.id) and \(counted(traces.tweets, "tweet"))")
    for source in sources {
      Diagnostics.note("the source '\(source)' still asks for this person: 'tw-cache source remove' ends that")
    }
    return .done
  }

  /// Removes pictures, in all their sizes, and links. Saved pages stay, as other pages are in the same files.
  private func forgetMedia(_ traces: Forgetting.Traces, _ path: String) throws(ToolError) {
    let path = Paths.mediaStore(besides: path)
    guard MediaStore.exists(path) else { return }
    let media = try MediaStore(path, note: Diagnostics.warn)
    let names = Set(traces.addresses.map(ProfilePicture.name))
    let pictures = try media.pictureURLs(nil).filter { names.contains(ProfilePicture.name($0)) }
    for folder in try media.forget(avatars: pictures, links: traces.links).sorted() {
      Diagnostics.note("pages that only this person linked to stay saved in '\(folder)'")
    }
  }

  /// The registered sources that bring a person's posts.
  private func sources(of person: Person, in reader: borrowing TweetStore) throws(ToolError) -> [String] {
    var found: [String] = []
    for source in try reader.sources()
    where source.name.service == person.service && source.name.source.hasPrefix("user:") {
      let name = String(source.name.source.dropFirst(5))
      var ids = source.checkpointList.person.map { [$0.id] } ?? []
      if ids.isEmpty { ids = try reader.people(named: name, service: person.service).map(\.id) }
      if ids.contains(person.id) { found.append(source.name.source) }
    }
    return found
  }

  func bringBack(person name: String) throws(ToolError) -> ExitStatus {
    let reader = try store.openForChanges()
    let person = try found(name, in: reader, isForgotten: true)
    if destroying.dryRun {
      _ = try destroying.allows("let posts by \(person.text) be stored again")
      return .done
    }
    let run = try Forgetting(reader)
    try run.undo(person)
    Diagnostics.note("posts by \(person.text) are stored again when they come; what was there is gone")
    return .done
  }
}
