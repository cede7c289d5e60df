import TweetCLI
import TweetCore

/// The other tools, as this one starts them: for the same store and account.
struct Tools {
  /// A program with its words, and the variables that it sees in a way of its own.
  struct Command {
    let words: [String]
    var variables: [String: String?] = [:]
    /// Whether it is a tool of the kit, which may have credentials.
    var isOfKit = true
  }

  private let post, cache, stream, parse, avatar, linkcheck: String
  /// The path of the store.
  let database: String
  /// The path of the store that the pictures stand beside.
  let media: String
  /// The folder of what is kept from one run to the next.
  let state: String
  /// As whom they work.
  var accounts: ChosenAccounts

  /// - Parameters:
  ///   - database: the path of the store.
  ///   - media: the path of the store that the pictures stand beside.
  ///   - state: the folder of what is kept.
  init(database: String, media: String, accounts: ChosenAccounts, state: String, programs: Programs) throws(ToolError) {
    (post, cache) = (try programs.required("post"), try programs.required("cache"))
    (stream, parse) = (try programs.required("stream"), try programs.required("parse"))
    (avatar, linkcheck) = (try programs.required("avatar"), try programs.required("linkcheck"))
    (self.database, self.media, self.accounts, self.state) = (database, media, accounts, state)
  }

  /// tw-post with its words.
  /// - Parameter service: of the tweet that it is about; `nil` for that of the account.
  func post(_ words: [String], at service: String? = nil) -> Command {
    let service = service ?? accounts.service
    return Command(words: [post] + accounts.words(at: service) + words, variables: accounts.variables(at: service))
  }

  /// tw-post with words that name the accounts.
  func crosspost(_ words: [String]) -> Command { Command(words: [post] + words) }

  /// Fetches the pictures of records, and prints these with the pictures' keys; a record again when more of it is
  /// known.
  /// - Parameter withMedia: whether photos are fetched as well as authors' pictures.
  func pictures(withMedia: Bool) -> Command {
    Command(words: [avatar, "--quiet", "--patience", "300ms", "--db", media] + (withMedia ? ["--media"] : []))
  }

  /// Prints a record with what is stored about its links; no host is asked.
  var knownLinks: Command { Command(words: [linkcheck, "--offline", "--quiet", "--db", media]) }

  /// Stores records of standard input, and prints them.
  var add: Command { Command(words: [cache, "add", "--quiet", "--db", database]) }

  /// What tw-cache label is given for a line of labels: one without a sign is given.
  static func labelWords(_ text: String) -> [String] {
    text.split(separator: " ").map { $0.hasPrefix("+") || $0.hasPrefix("-") ? String($0) : "+\($0)" }
  }

  /// Takes and gives labels of the tweets that standard input names.
  func label(_ words: [String]) -> Command { Command(words: [cache, "label", "--quiet", "--db", database] + words) }

  /// Fetches the pictures of the tweets of standard input as they were uploaded, unless they are stored, and prints the
  /// tweets with their keys.
  var wholePictures: Command {
    Command(words: [
      avatar, "--media", "--quiet", "--size", "original", "--max-bytes", Self.largestPicture, "--db", media,
    ])
  }

  /// Pictures that are to be seen whole may be larger than those that are only shown small.
  private static let largestPicture = "50M"

  /// Sources without the name of a service are of the usual one, whoever writes now.
  private var asking: (words: [String], variables: [String: String?]) {
    (accounts.words(at: accounts.usual), accounts.variables(at: accounts.usual))
  }

  /// Polls sources again and again, or reads their streams; prints what comes when it is stored.
  func following(_ sources: RefreshedSources) -> [Command] {
    let (words, variables) = asking
    guard sources.isLive else {
      let refresh = [cache, "refresh", "--db", database, "--every", "\(sources.every)ms", "--backlog", "0"]
      return [Command(words: refresh + words + sources.sources, variables: variables)]
    }
    let state = "\(state)/browse.checkpoints"
    return [
      Command(words: [stream, "--resume", state] + words + sources.sources, variables: variables),
      Command(words: [parse]), Command(words: add.words + ["--state", state]),
    ]
  }

  /// Fetches a person's newest posts, and the profile with these.
  func person(_ source: String) -> Command {
    let (words, variables) = asking
    return Command(words: [cache, "refresh", "--quiet", "--db", database] + words + [source], variables: variables)
  }

  /// Fetches the page of posts before the oldest stored one of a source, and prints them.
  func older(_ source: String) -> Command {
    let (words, variables) = asking
    return Command(
      words: [cache, "refresh", "--older", "--print", "--db", database] + words + [source], variables: variables)
  }
}

/// Sources that are refreshed while the screen is shown; without one, the registered sources as they are due.
struct RefreshedSources {
  let sources: [String]
  /// Milliseconds from one poll round to the next.
  let every: Int
  /// Whether they are streams that are held open.
  let isLive: Bool
}
