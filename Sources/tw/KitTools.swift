/// One tool of the kit, as `tw` lists it.
struct KitTool {
  /// Its name without `tw-`.
  let name: String
  /// Its abstract, as its own `--help` has it.
  let abstract: String

  /// Every tool of the kit, in the order in which records pass through them.
  static let all = [
    KitTool(name: "stream", abstract: "Print a service's messages as they come, one a line."),
    KitTool(name: "parse", abstract: "Turn tweets of any known shape into records, one a line."),
    KitTool(name: "cache", abstract: "Keep tweets in a store: add, list, search."),
    KitTool(name: "avatar", abstract: "Fetch and keep profile pictures."),
    KitTool(name: "linkcheck", abstract: "Find out where links lead and what is there."),
    KitTool(name: "render", abstract: "Show records to people."),
    KitTool(name: "local", abstract: "Run a small X-compatible service on this machine."),
  ]
}
