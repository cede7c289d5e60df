/// A tool of the kit, as `tw` lists it.
struct KitTool {
  /// Without `tw-`.
  let name: String
  /// As in the tool's own `--help`.
  let abstract: String
  /// The program file that it is a link to; `nil` for a file of its own (docs/decisions/binaries.md).
  let file: String?

  /// In the order in which records pass through them.
  static let all = [
    KitTool(name: "stream", abstract: "Print the raw messages of tweet sources, one per line.", file: nil),
    KitTool(name: "parse", abstract: "Turn tweets of any known shape into records, one per line.", file: "tw"),
    KitTool(name: "cache", abstract: "Store tweets in an SQLite database and search them.", file: "tw"),
    KitTool(name: "avatar", abstract: "Fetch and keep the profile pictures of tweets' authors.", file: "tw-stream"),
    KitTool(name: "linkcheck", abstract: "Find out where links lead and whether they work.", file: "tw-stream"),
    KitTool(name: "render", abstract: "Show tweets as text for people, or write them as documents.", file: "tw"),
    KitTool(
      name: "browse",
      abstract: "Read stored tweets on the whole terminal, and reply, like and more from there.", file: "tw"),
    KitTool(
      name: "post", abstract: "Post, reply, quote, edit, retweet, like, bookmark, follow and delete.", file: "tw-stream"
    ),
    KitTool(
      name: "auth", abstract: "Sign in to services, and keep the accounts that the tools use.", file: "tw-stream"),
    KitTool(
      name: "local",
      abstract: "Run a small service that answers as X, Mastodon and Bluesky do, and a command that uses it.",
      file: nil),
  ]
}
