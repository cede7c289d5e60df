import ArgumentParser
import Libc
import ServiceClients
import TweetCLI
import TweetCore
import TweetServices

/// `tw-auth follows …`: whom an account follows, as a file that the networks and other tools read.
struct AuthFollows: GroupCommand {
  static let configuration = CommandConfiguration(
    commandName: "follows", abstract: "Write whom an account follows as CSV, or follow the accounts of such a file.",
    discussion: """
      EXAMPLES:
        tw-auth follows export > follows.csv
        tw-auth follows import --dry-run people.csv
      """,
    subcommands: [FollowsExport.self, FollowsImport.self])
}

struct FollowsExport: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Print the accounts that an account follows, as CSV with a header.",
    discussion: """
      EXAMPLES:
        tw-auth follows export > follows.csv
        tw-auth follows export | wc -l

      At Mastodon it is the file that its own import takes, elsewhere the name and the id of each account.
      """)

  @OptionGroup var identity: AccountOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let access = try ServiceAccess.fromEnvironment(identity, try Settings.load())
    let followed = try FollowedAccounts(account: identity.account)
    let lines = followed.records.compactMap { $0.read { FollowsTable.line(of: $0, service: access.service) } }
    try RecordWriter.print(FollowsTable.header(of: access.service) + lines.joined())
    return .done
  }
}

struct FollowsImport: MessagingCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Follow the accounts of a CSV file that are not followed yet.",
    usage: "tw-auth follows import [<options>] [<file>]",
    discussion: """
      EXAMPLES:
        tw-auth follows import --dry-run people.csv
        tw-auth follows import --yes --wait < follows.csv

      tw-post follows them one after the other. The same command goes on where a run was cut off.
      """)

  @Argument(help: "The file (default: standard input).", completion: .file())
  var file = "-"

  @Flag(help: "Wait for rate limits and for a service that does not answer, however long it takes.")
  var wait = false

  @Flag(help: "Follow nobody: print who would be followed, one per line.")
  var dryRun = false

  @Flag(help: "Do not ask first. Where no terminal is there to ask on, this is needed.")
  var yes = false

  @OptionGroup var identity: AccountOptions
  @OptionGroup var messages: MessageOptions

  func execute() throws(ToolError) -> ExitStatus {
    let access = try ServiceAccess.fromEnvironment(identity, try Settings.load())
    let table = FollowsTable(try text(), of: access.api.service)
    for fault in table.faults {
      Diagnostics.warn("line \(fault.line): '\(fault.text)' is not the name of an account of \(access.service)")
    }
    let status: ExitStatus = table.faults.isEmpty ? .done : .someBad
    if table.accounts.isEmpty {
      if !table.faults.isEmpty { throw .badData("no line names an account of \(access.service)") }
      Diagnostics.note("the file names nobody")
      return .done
    }
    let known = try FollowedAccounts(account: identity.account).names
    let wanted = table.accounts.filter { !known.contains($0.lowercased()) }
    let before = table.accounts.count - wanted.count
    if before > 0 { Diagnostics.note("\(before) of \(table.accounts.count) are followed already") }
    if table.withSettings > 0 {
      Diagnostics.note("\(table.withSettings) with settings for retweets or notifications, which are not taken over")
    }
    if wanted.isEmpty { return status }
    if dryRun {
      try RecordWriter.print(wanted.map { $0 + "\n" }.joined())
      return status
    }
    if !yes, try !Question.ask("follow \(wanted.count) accounts?") {
      Diagnostics.note("nobody was followed")
      return .done
    }
    let followed = try follow(wanted)
    return followed == .done ? status : followed
  }

  private func text() throws(ToolError) -> String {
    let opened = file == "-" ? Descriptor(owning: fcntl(0, F_DUPFD_CLOEXEC, 0)) : Descriptor(file, O_RDONLY)
    guard let input = opened else { throw .noInput("cannot open '\(file)'", errno) }
    if file == "-" { Diagnostics.noteKeyboard() }
    let name = file == "-" ? "standard input" : "'\(file)'"
    let text = try readAll(input.number, name: name, most: Self.longest)
    if text.count > Self.longest { throw .badData("\(name) has more than 64 MiB: it is not a list of accounts") }
    return String(decoding: text, as: UTF8.self)
  }

  private static let longest = 64 << 20

  /// Has tw-post follow them. What it prints, and what it says, is seen.
  private func follow(_ names: [String]) throws(ToolError) -> ExitStatus {
    let post = try Programs().required("post")
    var arguments = [post, "--yes"]
    if wait { arguments.append("--wait") }
    if let account = identity.account { arguments += ["--account", account] }
    let pipe = try makePipe()
    let started = ChildProcess(
      arguments + ["follow", "-"], named: "tw-post", input: pipe.reading, keepsCredentials: true)
    let fault = errno
    close(pipe.reading)
    guard var child = started else {
      close(pipe.writing)
      throw .inputOutput("cannot run tw-post: \(describe(errno: fault))")
    }
    // If it does not read to the end, it says why.
    _ = writeAll(Array((names.joined(separator: "\n") + "\n").utf8), to: pipe.writing)
    close(pipe.writing)
    return child.wait().status ?? .tryLater
  }
}

/// The accounts that an account follows, as `tw-stream --once following | tw-parse` reads them.
struct FollowedAccounts {
  /// `user` records.
  private(set) var records: [JSONDocument] = []

  /// Their names and ids, in lower case.
  var names: Set<String> {
    Set(records.flatMap { [$0["username"]?.string, $0["id"]?.string].compactMap { $0?.lowercased() } })
  }

  /// Reads all of them.
  /// - Parameter account: whose; `nil` for the account in use.
  /// - Throws: what ended tw-stream or tw-parse. Then the list is not whole, and none of it is returned.
  init(account: String?) throws(ToolError) {
    let programs = Programs()
    let (stream, parse) = (try programs.required("stream"), try programs.required("parse"))
    let (raw, parsed) = (try makePipe(), try makePipe())
    let options = account.map { ["--account", $0] } ?? []
    let sender = ChildProcess(
      [stream, "--once", "--all"] + options + ["--", "following"], named: "tw-stream", output: raw.writing,
      keepsCredentials: true)
    let parser = ChildProcess(
      [parse, "--only", "user"], named: "tw-parse", input: raw.reading, output: parsed.writing)
    let fault = errno
    for end in [raw.reading, raw.writing, parsed.writing] { close(end) }
    defer { close(parsed.reading) }
    guard var sender, var parser else {
      throw .inputOutput("cannot run tw-stream and tw-parse: \(describe(errno: fault))")
    }
    let text = try readAll(parsed.reading, name: "the output of tw-parse")
    if Interruption.signal != nil { throw .tryLater("interrupted") }
    for (name, ending) in [("tw-stream", sender.wait()), ("tw-parse", parser.wait())] where ending.status != .done {
      let text = "the list of followed accounts is not whole: \(name) ended \(ending)"
      throw ToolError(ending.status ?? .tryLater, text) ?? .tryLater(text)
    }
    for line in text.split(separator: UInt8(ascii: "\n")) {
      do throws(JSONFault) { records.append(try JSONDocument(Array(line))) } catch {
        throw .bug("tw-parse has printed what is no JSON: \(error.reason)")
      }
    }
  }
}
