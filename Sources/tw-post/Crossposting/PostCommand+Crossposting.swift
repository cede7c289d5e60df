import ArgumentParser
import SQLite
import ServiceClients
import Services
import TweetAccounts
import TweetCLI
import TweetCore
import TweetServices

/// Services, and the accounts that are signed in, after each comma of `--to`.
enum CrossTargetCompletion {
  static let names = CompletionOffers.completion { prefix, _ in
    let done = prefix.lastIndex(of: ",").map { String(prefix[...$0]) } ?? ""
    let word = prefix.dropFirst(done.count)
    // Without a file, or with one that cannot be read, there are the services.
    let accounts = (try? CredentialsFile.load())?.accounts.map(\.name) ?? []
    let names =
      Services.all.map(\.name).filter { !$0.hasSuffix(":HOST") } + accounts.map(\.service)
      + (done.isEmpty ? ["all"] : [])
    // An account is named where its service is not enough.
    let all = word.contains(":") ? names + accounts.map(\.description) : names
    return Set(all).filter { $0.hasPrefix(word) && Printable.line($0) == $0 }.sorted().map { done + $0 }
  }
}

/// What a command does at several accounts.
extension PostCommand {
  /// The accounts that `--to` names; `nil` without it.
  func wanted(_ settings: Settings) throws(ToolError) -> [CrossTarget]? {
    try destinations.map { (text) throws(ToolError) in
      try CrossTargets(settings, caFile: service.caFile).named(text)
    }
  }

  /// Carries out a command that concerns several accounts: because `--to` names them, or because the post that is to be
  /// taken back may be one of any account, or one of several copies.
  ///
  /// - Returns: `nil` for a command that concerns one account.
  func crosspost(
    _ verb: Verb?, _ words: [String], _ named: NumberedOperands, _ way: WritingWay, _ settings: Settings
  ) throws(ToolError) -> ExitStatus? {
    let wanted = try wanted(settings)
    switch verb {
    case nil, .reply?, .quote?:
      guard let wanted else { return nil }
      var run = CrosspostRun(
        targets: wanted, way: way, settings: settings, isLong: long, isThread: thread, isNumbered: isNumbered)
      if let verb {
        guard let tweet = named.operands.first, words.count > 0 else {
          throw .usage("'\(verb.rawValue)' needs a tweet and a text")
        }
        named.announce(verb.rawValue, as: nil)
        run.link = try link(verb, tweet, named.service, wanted)
      }
      return try run.run(draft(), source(verb == nil ? words : Array(words.dropFirst())))
    case .change(.delete)?:
      guard let copies = try copies(named, wanted, settings) else { return nil }
      named.announce("delete", as: nil)
      return try GroupRemoval(
        copies, at: nil, CrossTargets(settings, caFile: service.caFile), way, verb: "delete",
        isRisky: !named.labels.isEmpty
      ).run(settings)
    case .undo?: return try undo(wanted, words, way, settings)
    case .edit, .change, .flush, .outbox, .length: return nil
    }
  }

  // MARK: The last post

  /// The post that `last` means in place of a tweet, the one that `undo` would take back, and its account.
  ///
  /// - Returns: `nil` if another one is named.
  func last(
    _ verb: Verb?, _ words: [String], _ settings: Settings
  ) throws(ToolError) -> (operand: String, target: CrossTarget)? {
    guard let verb, [.reply, .quote, .edit].contains(verb), words.first == "last" else { return nil }
    let outbox = try Outbox(service: "", base: "", account: "")
    guard let post = try lastPost(1, of: wanted(settings), outbox, settings), let entry = try outbox.entry(post.id),
      case .post(let draft) = entry.action
    else { throw .noInput("there is no last post: the outbox has none of the last 90 days") }
    guard let id = entry.result else {
      throw .tryLater("the last post, write \(post.id), is not made yet, or its service has not said which it is")
    }
    let found =
      if let named = post.named { named } else {
        try CrossTargets(settings, caFile: service.caFile).target(of: post.owner)
      }
    let text = Printable.line(try outbox.textNow(ofPost: id, post.owner, draft.text), limit: 60)
    Diagnostics.note("\(verb.rawValue) at \(found.name): '\(text)'")
    return ("\(post.owner.service):\(id)", found)
  }

  /// The last post of all accounts, or of those that `--to` or `--account` names.
  ///
  /// - Parameter number: 1 for the last one, 2 for the one before it.
  /// - Returns: also the account of those that are named.
  private func lastPost(
    _ number: Int, of wanted: [CrossTarget]?, _ outbox: borrowing Outbox, _ settings: Settings
  ) throws(ToolError) -> (id: Int, owner: Outbox.Owner, named: CrossTarget?)? {
    let meant = if let wanted { wanted } else { try own(settings).map { [$0] } }
    guard let post = try outbox.lastPost(number, of: meant?.map(\.owner)) else { return nil }
    var named: CrossTarget?
    for target in meant ?? [] where try outbox.isSameUser(target.owner, post.owner) { named = target }
    return (post.id, post.owner, named)
  }

  // MARK: Answers

  /// The copies, at the accounts, of a post that is to be answered or quoted.
  private func link(
    _ verb: Verb, _ tweet: String, _ service: String?, _ wanted: [CrossTarget]
  ) throws(ToolError) -> CrosspostRun.Link {
    let outbox = try Outbox(service: "", base: "", account: "")
    guard let id = try NamedCopy(tweet, usual: service).find(in: outbox), let group = try outbox.group(of: id) else {
      throw .noInput("'\(tweet)' is no crosspost that the outbox knows: answer it at its own service, without --to")
    }
    let copies = try outbox.copies(of: group)
    let own = copies.first { $0.id == id }?.owner
    let threads = CopyThreads(copies.filter { copy in copy.owner == own || wanted.contains { $0.owner == copy.owner } })
    var found: [Outbox.Owner: Outbox.Copy] = [:]
    for copy in threads.counterparts(of: id, isEnd: verb == .reply) ?? [] { found[copy.owner] = copy }
    return CrosspostRun.Link(verb: verb, copies: found)
  }

  // MARK: Taking back

  /// The copies of the posts that are named, at the accounts that are wanted.
  ///
  /// - Returns: `nil` if no post that is named is one of several copies.
  private func copies(
    _ named: NumberedOperands, _ wanted: [CrossTarget]?, _ settings: Settings
  ) throws(ToolError) -> [Outbox.Copy]? {
    let isNamed = !named.operands.isEmpty && named.operands != ["-"]
    guard isNamed, Database.exists(Outbox.usualPath) else {
      if wanted == nil { return nil }
      throw .usage("with --to, 'delete' needs the address or the id of a copy of a crosspost")
    }
    let outbox = try Outbox(service: "", base: "", account: "")
    let usual =
      named.service ?? ServiceAccess.serviceName(account: service.identity.account, settings)
      ?? Services.usual.name
    var all: [Outbox.Copy] = []
    var others: [String] = []
    for operand in named.operands {
      let name = NamedCopy(operand, usual: wanted == nil || named.service != nil ? usual : nil)
      guard let id = try name.find(in: outbox), let group = try outbox.group(of: id) else {
        others.append(operand)
        continue
      }
      let copies = try outbox.copies(of: group)
      let own = copies.first { $0.id == id }?.owner
      let meant = copies.filter { copy in
        wanted.map { copy.owner == own || $0.contains { $0.owner == copy.owner } } ?? true
      }
      guard let found = CopyThreads(meant).counterparts(of: id) else {
        throw .usage(
          "the threads of '\(operand)' have different numbers of posts: 'undo' takes all of them back, and --to names one "
            + "account")
      }
      let those = found.filter { copy in wanted.map { $0.contains { $0.owner == copy.owner } } ?? true }
      if let missing = wanted?.first(where: { target in !those.contains { $0.owner == target.owner } }) {
        throw .usage("'\(operand)' has no copy at \(missing.name)")
      }
      all += those.filter { copy in !all.contains { $0.id == copy.id } }
    }
    if all.isEmpty, wanted == nil { return nil }
    // Posts whose copies are all gone, or that are none, are named as ever.
    guard others.isEmpty else {
      if wanted == nil, all.allSatisfy({ $0.isGone || $0.state == .refused }) { return nil }
      throw .usage("'\(others[0])' is no crosspost that the outbox knows: delete it by itself")
    }
    return wanted == nil && all.allSatisfy { $0.isGone || $0.state == .refused } ? nil : all
  }

  /// Takes the last post back: of all accounts, or of those that `--to` or `--account` names.
  private func undo(
    _ wanted: [CrossTarget]?, _ words: [String], _ way: WritingWay, _ settings: Settings
  ) throws(ToolError) -> ExitStatus {
    guard words.count < 2, let number = words.first.map({ Int($0) }) ?? 1, number > 0 else {
      throw .usage("'undo' takes nothing, or a number: 2 for the second last post")
    }
    let targets = CrossTargets(settings, caFile: service.caFile)
    let outbox = try Outbox(service: "", base: "", account: "")
    guard let last = try lastPost(number, of: wanted, outbox, settings) else {
      let which = (number > 1 ? "such post" : "post") + (wanted == nil ? "" : " at these accounts")
      throw .noInput("there is nothing to take back: the outbox has no \(which) of the last 90 days")
    }
    // The copies of a crosspost that can be taken back say themselves who cannot.
    if let group = try outbox.group(of: last.id) {
      return try GroupRemoval(outbox.copies(of: group), at: wanted, targets, way, verb: "undo").run(settings)
    }
    let target = if let named = last.named { named } else { try targets.target(of: last.owner) }
    guard wanted?.count ?? 1 == 1 else {
      throw .usage("the last post at \(target.name) is by itself: name that alone")
    }
    return try UndoRun(last.id, target.access, way, settings).run()
  }

  /// The account that `--account` names; `nil` without it.
  private func own(_ settings: Settings) throws(ToolError) -> CrossTarget? {
    guard service.identity.account != nil else { return nil }
    return try CrossTarget(
      ServiceAccess.fromEnvironment(
        ServiceAPIs.all, caFile: service.caFile, account: service.identity.account, example: "tw-post 'Hello, world'",
        settings))
  }
}
