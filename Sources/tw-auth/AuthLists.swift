import ArgumentParser
import ServiceClients
import Services
import TweetCLI
import TweetCore
import TweetNet
import TweetServices

/// `tw-auth lists`.
struct AuthLists: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "lists",
    abstract: "Show the lists of an account, which 'list:NAME' reads.",
    discussion: """
      EXAMPLES:
        tw-auth lists
        tw-auth lists | cut -f 2

      Each line has a list's id, its name, how many accounts are on it, and whether the account has made it (own) or follows it \
      (followed), with tabs between them.
      """)

  @OptionGroup var identity: AccountOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let access = try ServiceAccess.fromEnvironment(identity, try Settings.load())
    guard var finder = try access.api.reading(access, ReadOptions()).lists() else {
      throw .usage("service '\(access.service)' has no lists of an account")
    }
    while let request = finder.request {
      _ = try CountedLookUp.run("lists", finder.billed, access) { () throws(ToolError) in
        let answer = try SignInRequest.send(request)
        guard answer.isSuccess else { throw access.api.refusal(answer).error }
        return try finder.read(answer)
      } ids: {
        $0
      }
    }
    if finder.lists.isEmpty { Diagnostics.note("the account has no lists, and follows none") }
    let rows = finder.lists.map { list in
      [list.id, list.name, list.members.map { String($0) } ?? "-", list.isFollowed ? "followed" : "own"]
    }
    try RecordWriter.print(rows: rows)
    return .done
  }
}
