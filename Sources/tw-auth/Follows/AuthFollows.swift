import ArgumentParser
import Libc
import ServiceClients
import TweetCLI
import TweetCore
import TweetServices

/// `tw-auth follows …`: whom an account follows, as a file that the networks and other tools read.
struct AuthFollows: ToolCommand {
  static let configuration = CommandConfiguration(
    commandName: "follows", abstract: "Write whom an account follows as CSV, or follow the accounts of such a file.",
    discussion: """
      EXAMPLES:
        tw-auth follows export > follows.csv
        tw-auth follows import --dry-run people.csv
      """,
    subcommands: [FollowsExport.self, FollowsImport.self])

  var isQuiet: Bool { false }

  func execute() throws(ToolError) -> ExitStatus {
    throw .usage("say what to do: export or import (see 'tw-auth follows --help')")
  }
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
    var writer = RecordWriter()
    writer.buffer.append(FollowsTable.header(of: access.service))
    for user in followed.records {
      if let line = user.read({ FollowsTable.line(of: $0, service: access.service) }) { writer.buffer.append(line) }
    }
    try writer.flush()
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
      var writer = RecordWriter()
      for name in wanted { writer.buffer.append(name + "\n") }
      try writer.flush()
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
    var descriptor: Int32 = 0
    if file != "-" {
      descriptor = open(file, O_RDONLY | O_CLOEXEC)
      if descriptor < 0 { throw .noInput("cannot open '\(file)'", errno) }
    } else {
      Diagnostics.noteKeyboard()
    }
    defer { if descriptor > 0 { close(descriptor) } }
    let name = file == "-" ? "standard input" : "'\(file)'"
    var text: [UInt8] = []
    while Interruption.signal == nil {
      guard let bytes = try readSome(descriptor, name: name) else { continue }
      if bytes.isEmpty { break }
      text += bytes
      if text.count > Self.longest { throw .badData("\(name) has more than 64 MiB: it is not a list of accounts") }
    }
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
