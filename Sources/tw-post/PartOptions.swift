import ArgumentParser
import TweetCLI
import TweetCore
import TweetServices

/// The options for what belongs to a post that not every service has.
struct PartOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Cover the pictures until a reader opens them, at a service that knows that.")
  var sensitive = false

  @Option(
    name: .customLong("quote-settings"),
    help: ArgumentHelp(
      "Who may quote the post, at a service that knows that: everybody, your followers or nobody.", valueName: "who"))
  var quoters: PostDraft.Quoters?

  @Option(
    help: ArgumentHelp(
      "Show the title, the text and the picture of a page below the post, at a service that does not do so itself: its "
        + "address, or 'first' for the first link of the text.", valueName: "url"))
  var card: String?

  @Flag(help: "Post without the card if its page cannot be read.")
  var cardOptional = false

  @Flag(help: "Do not begin an answer with the names of those whom it answers, at a service where it does.")
  var noMentions = false

  @Flag(help: "Let several answers of the poll be chosen, at a service that knows that.")
  var pollMultiple = false

  @Flag(help: "Show the numbers of the poll only at its end, at a service that knows that.")
  var pollHideTotals = false

  @Flag(help: "With --at: have the service publish the post itself at that time, where it can.")
  var server = false

  func validate() throws {
    if cardOptional, card == nil { throw ValidationError("--card-optional needs --card") }
  }

  /// Those that are for texts, by their names.
  var given: [(name: String, isGiven: Bool)] {
    [
      ("--sensitive", sensitive), ("--quote-settings", quoters != nil), ("--card", card != nil),
      ("--no-mentions", noMentions), ("--poll-multiple", pollMultiple), ("--poll-hide-totals", pollHideTotals),
      ("--server", server),
    ]
  }

  /// Puts them into a draft.
  func apply(to draft: inout PostDraft) {
    (draft.isSensitive, draft.quoters, draft.namesNobody) = (sensitive, quoters, noMentions)
    if let card { draft.card = PostDraft.Card(address: card) }
  }
}

extension PostDraft.Quoters: ExpressibleByArgument {}
