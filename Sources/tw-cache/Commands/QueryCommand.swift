import ArgumentParser
import StoreCLI
import TweetCLI
import TweetCore
import TweetStore

/// `tw-cache query …`: queries that are saved under a name, for `list --query`.
struct QueryCommand: GroupCommand {
  static let configuration = CommandConfiguration(
    commandName: "query", abstract: "Save queries for 'list --query'.",
    discussion: """
      EXAMPLES:
        tw-cache query save music 'links:music since:30d'
        tw-cache query list
      """,
    subcommands: [QuerySave.self, QueryList.self, QueryShow.self, QueryRemove.self])
}

struct QuerySave: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "save", abstract: "Save a query under a name, in place of one that has it.",
    usage: "tw-cache query save [<options>] <name> <query>",
    discussion: """
      EXAMPLES:
        tw-cache query save music 'links:music since:30d'
        tw-cache query save quiet 'author:jack -is:retweet -is:reply'

      Asks before it replaces another query.
      """)

  @Argument(help: "A word that names the query.", completion: NameCompletion.queries)
  var name: String

  @Argument(help: ArgumentHelp("The query, as 'list' takes it.", valueName: "query"))
  var words: [String]

  @OptionGroup var destroying: DestroyingOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if TweetLabel(name) == nil { throw ValidationError("'\(name)': a name is one word, without quotes and commas") }
    try QueryText.check(text)
  }

  private var text: String { words.joined(separator: " ") }

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try TweetStore(try store.path, .readWrite)
    let replaced = try tweets.savedQuery(name)
    if replaced == text { return .done }
    let action = replaced.map { "replace query '\(name)' (\($0))" } ?? "save query '\(name)'"
    let isNew = replaced == nil && !destroying.dryRun
    guard try isNew ? true : destroying.allows(action) else { return .done }
    try tweets.save(query: text, as: name)
    return .done
  }
}

struct QueryList: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List the saved queries: name, tab, query.",
    discussion: """
      EXAMPLES:
        tw-cache query list
        tw-cache query list | cut -f 1
      """)

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let queries = try store.open(showsIncoming: false).savedQueries()
    if queries.isEmpty { Diagnostics.note("no query is saved: 'tw-cache query save NAME QUERY' does that") }
    try RecordWriter.print(rows: queries.map { [$0.name, $0.query] })
    return .done
  }
}

struct QueryShow: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Print a saved query.", usage: "tw-cache query show [<options>] <name>",
    discussion: """
      EXAMPLES:
        tw-cache query show music
        tw-cache query show quiet
      """)

  @Argument(help: "The name of the query.", completion: NameCompletion.queries)
  var name: String

  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.open(showsIncoming: false)
    guard let query = try tweets.savedQuery(name) else { throw try tweets.noSavedQuery(name) }
    try RecordWriter.print(rows: [[query]])
    return .done
  }
}

struct QueryRemove: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a saved query; no tweet is removed.",
    usage: "tw-cache query remove [<options>] <name>",
    discussion: """
      EXAMPLES:
        tw-cache query remove --yes music
        tw-cache query remove --yes quiet
      """)

  @Argument(help: "The name of the query.", completion: NameCompletion.queries)
  var name: String

  @OptionGroup var destroying: DestroyingOptions
  @OptionGroup var store: StoreOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let tweets = try store.openForChanges()
    guard let query = try tweets.savedQuery(name) else { throw try tweets.noSavedQuery(name) }
    if try destroying.allows("remove query '\(name)' (\(query))") { _ = try tweets.removeSavedQuery(name) }
    return .done
  }
}
