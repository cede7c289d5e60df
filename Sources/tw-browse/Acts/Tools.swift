import TweetCLI
import TweetCore

/// The other tools, as this one starts them: for the same store and account.
struct Tools {
  private let post, cache, stream, parse: String
  /// The path of the store.
  let database: String
  /// Fetches pictures; `nil` if it is not installed: all else can be read without them.
  private let avatar: String?
  /// The path of the store that the pictures stand beside.
  private let media: String
  private let account: String?

  /// - Parameters:
  ///   - database: the path of the store.
  ///   - media: the path of the store that the pictures stand beside.
  ///   - account: as `--account` gave it.
  init(database: String, media: String, account: String?) throws(ToolError) {
    let programs = Programs()
    (avatar, self.media) = (programs.path(of: "avatar"), media)
    (post, cache) = (try programs.required("post"), try programs.required("cache"))
    (stream, parse) = (try programs.required("stream"), try programs.required("parse"))
    (self.database, self.account) = (database, account)
  }

  private var accountWords: [String] { account.map { ["--account", $0] } ?? [] }

  /// tw-post with a verb and what it is about.
  func post(_ words: [String]) -> [String] { [post] + accountWords + words }

  /// Fetches the pictures of records, and prints these with the pictures' keys; a record again when more of it is known.
  var pictures: [String]? {
    avatar.map { [$0, "--quiet", "--media", "--patience", "300ms", "--db", media] }
  }

  /// Stores records of standard input.
  var add: [String] { [cache, "add", "--quiet", "--db", database] }

  /// Takes and gives labels of the tweets that standard input names.
  func label(_ words: [String]) -> [String] { [cache, "label", "--quiet", "--db", database] + words }

  /// Polls sources again and again, or reads their streams; prints what comes when it is stored.
  func following(_ sources: RefreshedSources) -> [[String]] {
    guard sources.isLive else {
      let refresh = [cache, "refresh", "--db", database, "--every", "\(sources.every)ms", "--backlog", "0"]
      return [refresh + accountWords + sources.sources]
    }
    let state = "\(Paths.stateDirectory)/browse.checkpoints"
    return [
      [stream, "--resume", state] + accountWords + sources.sources, [parse], add + ["--state", state],
    ]
  }

  /// Fetches the page of posts before the oldest stored one of a source, and prints them.
  func older(_ source: String) -> [String] {
    [cache, "refresh", "--older", "--print", "--db", database] + accountWords + [source]
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
