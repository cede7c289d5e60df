import ArgumentParser
import Libc
import Services
import TweetCLI
import TweetCore
import TweetStore

/// `tw open`: the page of a tweet, or where one of its links leads, in the person's browser or player.
struct OpenCommand: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Open the page of a tweet, or one of its links, in the browser.",
    usage: "tw open [--print] [--links] <tweet> [<link>]",
    discussion: """
      EXAMPLES:
        tw open --print x:20
        tw open https://x.com/jack/status/20

      A tweet is named by its number on this terminal, its id, its address or service:id. Where there is no browser, the \
      address is printed.
      """)

  @Argument(help: "The tweet: its number on this terminal, an id, a URL or service:id.")
  var tweet: String

  @Argument(help: "Which link of the tweet, from 1 on (default: the tweet's own page).")
  var link: Int?

  @Flag(help: "Print the address, and open nothing.")
  var print = false

  @Flag(help: "Print the tweet's links, a number and an address on each line, and open nothing.")
  var links = false

  @Option(
    help: ArgumentHelp("The store of tweets without a number (default: as tw-cache).", valueName: "file"),
    completion: .file())
  var db: String?

  @OptionGroup var messages: MessageOptions

  func validate() throws {
    if links, link != nil { throw ValidationError("--links needs no number of a link") }
  }

  func execute() throws(ToolError) -> ExitStatus {
    // The page of an address needs no store.
    if link == nil, !links, tweet.contains("://") {
      guard TweetTarget.isWebAddress(tweet) else { throw .usage("'\(tweet)' is not an address of the web") }
      return try open(TweetTarget.Link(url: tweet, isMusic: false))
    }
    let target = try target()
    if links {
      try RecordWriter.print(rows: target.links.enumerated().map { [String($0 + 1), $1.url] })
      return .done
    }
    guard let number = link else {
      guard let url = target.url ?? Services.named(target.service)?.page(ofPost: target.id) else {
        throw .noInput("tweet '\(tweet)' has no address")
      }
      return try open(TweetTarget.Link(url: url, isMusic: false))
    }
    guard target.links.indices.contains(number - 1) else {
      let count = target.links.count
      throw .noInput("tweet '\(tweet)' has \(count == 0 ? "no" : String(count)) \(count == 1 ? "link" : "links")")
    }
    return try open(target.links[number - 1])
  }

  /// The tweet that has the number, else the stored one.
  private func target() throws(ToolError) -> TweetTarget {
    var numbers = ShortNumbers()
    if let target = try numbers.target(tweet) { return target }
    let path = if let db { db } else { try Settings.load().tweetStore }
    var found: TweetTarget?
    do throws(ToolError) {
      let store = try TweetStore(path, .readOnly)
      // The version that is read last is the present one.
      let damaged = try store.forEach(versionOf: tweet, service: nil) { (record) throws(ToolError) in
        found = (try? JSONDocument(Array(record)))?.read { TweetTarget($0) } ?? found
      }
      try damaged.check(of: path)
    } catch .noInput(let text) {
      throw .noInput(text + numbers.hint(tweet))
    }
    guard let found else { throw .noInput("no tweet '\(tweet)' in '\(path)'\(numbers.hint(tweet))") }
    return found
  }

  private func open(_ link: TweetTarget.Link) throws(ToolError) -> ExitStatus {
    // A browser is the person's own program, and no tool of the kit.
    for variable in ChildProcess.credentialVariables { unsetenv(variable) }
    let played = try print || !link.isMusic ? nil : play(link.url)
    if !print, let ending = played ?? WebBrowser.show(link.url) {
      guard ending == .exited(0) else { throw .refused("'\(link.url)' was not opened: the program ended \(ending)") }
      return .done
    }
    try RecordWriter.print(Printable.line(link.url, limit: .max) + "\n")
    return .done
  }

  /// Has the player of the setting play a page.
  /// - Returns: how it ended; `nil` where there is no such setting.
  private func play(_ url: String) throws(ToolError) -> ChildProcess.Ending? {
    guard let player = try Settings.load().value(.player) else { return nil }
    let command = player.split(separator: " ").map(String.init) + [url]
    guard var child = ChildProcess(command) else {
      throw .configuration("cannot run the player '\(player)': \(describe(errno: errno))")
    }
    return child.wait()
  }
}
