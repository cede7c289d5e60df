import ArgumentParser
import TweetCLI
import TweetCore
import TweetNet

/// The options that say what is sent, what counts as an answer, and what is not asked for again.
struct RequestOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Count these HTTP statuses as ok, such as 403,999.", valueName: "status,..."),
    transform: RequestOptions.statuses)
  var accept: Set<Int> = []

  @Option(
    help: ArgumentHelp("Send this header with each request, such as 'Accept-Language: de'.", valueName: "header"),
    transform: RequestOptions.header)
  var header: [HTTPHeader] = []

  @Option(help: ArgumentHelp("Send this as the name of the program.", valueName: "text"))
  var userAgent: String?

  @Flag(help: "Ask by GET from the beginning, for sites whose answers to HEAD are wrong.")
  var get = false

  @Option(
    help: ArgumentHelp("Follow at most this many redirects (default: 20).", valueName: "n"),
    transform: RequestOptions.redirectCount)
  var maxRedirects = LinkCheck.usualRedirects

  @Flag(help: "Make no requests: use stored verdicts, however old.")
  var offline = false

  @Option(
    help: ArgumentHelp(
      "Check links with these stored verdicts anew, 'all' for every link, and take the others from the store.",
      valueName: "verdict,..."),
    completion: CompletionOffers.completion(ofListsOf: LinkVerdict.allCases.map(\.rawValue) + ["all"]),
    transform: RequestOptions.verdicts)
  var recheck: Set<LinkVerdict> = []

  @Flag(help: "Ask the Internet Archive for a copy of each dead link.")
  var wayback = false

  @Flag(help: "Have the Internet Archive make a copy of each page that works and that it has no copy of.")
  var waybackSave = false

  mutating func validate() throws {
    if offline, !recheck.isEmpty { throw ValidationError("--offline and --recheck exclude each other") }
    if let userAgent { _ = try Self.header("User-Agent: \(userAgent)") }
  }

  /// All headers that the options add.
  var headers: [HTTPHeader] { header + (userAgent.map { [HTTPHeader("User-Agent", $0)] } ?? []) }

  /// Where the Internet Archive is asked for copies; `nil` if it is not.
  /// - Throws: `ToolError.configuration` if `TW_WAYBACK` is not an address.
  func archive() throws(ToolError) -> WebAddress? {
    guard wayback || waybackSave else { return nil }
    let text = Paths.environment("TW_WAYBACK") ?? ArchiveSearch.usualBase
    guard let address = WebAddress(text), address.query == nil, !address.hasCredentials, !text.contains("#") else {
      throw .configuration("TW_WAYBACK: '\(LinkAddress.withoutCredentials(text))' is not an http or https URL")
    }
    return address
  }

  private static func verdicts(_ text: String) throws -> Set<LinkVerdict> {
    text == "all" ? Set(LinkVerdict.allCases) : try LinkcheckCommand.list(text, of: "verdict")
  }

  private static func redirectCount(_ text: String) throws -> Int { try number(text, in: 0...100) }

  private static func statuses(_ text: String) throws -> Set<Int> {
    var statuses: Set<Int> = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let status = Int(word), (100...999).contains(status) else {
        throw ValidationError("'\(word)' is not a status from 100 to 999")
      }
      statuses.insert(status)
    }
    return statuses
  }

  /// They prove who asks, and every host would get them.
  private static let secret: Set<String> = ["authorization", "proxy-authorization", "cookie"]
  /// They are made from the request.
  private static let fixed: Set<String> = [
    "host", "connection", "content-length", "transfer-encoding", "te", "upgrade", "expect", "range",
  ]

  private static func header(_ text: String) throws -> HTTPHeader {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    guard parts.count == 2, !name.isEmpty, name.utf8.allSatisfy(\.isOfHTTPToken) else {
      throw ValidationError("'\(text)' is not NAME: VALUE")
    }
    let value = String(parts[1].drop { $0 == " " || $0 == "\t" })
    // libcurl takes a name without a value for the wish to leave a header out.
    guard !value.isEmpty, value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
      throw ValidationError("the value of '\(name)' is empty or has a control character")
    }
    if secret.contains(name.lowercased()) { throw ValidationError("'\(name)' would go to every host") }
    if fixed.contains(name.lowercased()) { throw ValidationError("'\(name)' cannot be set") }
    return HTTPHeader(name, value)
  }
}
