/// One tool of the kit, as `tw` lists it.
struct KitTool {
  /// Its name without `tw-`.
  let name: String
  /// Its abstract, as its own `--help` has it.
  let abstract: String

  /// Every tool of the kit, in the order in which records pass through them.
  static let all = [
    KitTool(name: "stream", abstract: "Print the raw messages of tweet sources, one a line."),
    KitTool(name: "parse", abstract: "Turn tweets of any known shape into records, one a line."),
    KitTool(name: "cache", abstract: "Keep tweets in a store of your own."),
    KitTool(name: "avatar", abstract: "Fetch and keep the profile pictures of tweets' authors."),
    KitTool(name: "linkcheck", abstract: "Follow links to their end and say what is there."),
    KitTool(name: "render", abstract: "Show tweets to people."),
    KitTool(name: "local", abstract: "Run a small X-compatible service on loopback, and a command against it."),
  ]
}
