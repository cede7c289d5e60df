import Libc
import TweetCLI
import TweetCore

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
    var text: [UInt8] = []
    while Interruption.signal == nil {
      guard let bytes = try readSome(parsed.reading, name: "the output of tw-parse") else { continue }
      if bytes.isEmpty { break }
      text += bytes
    }
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
