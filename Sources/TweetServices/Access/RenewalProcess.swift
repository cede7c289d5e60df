import Libc
import TweetAccounts
import TweetCore
import TweetNet

/// Runs a renewal in a process of its own: `tw-auth` with ``argument``, in a session of its own. Whatever ends the tool
/// that needs the token, its process group or its terminal, the renewal goes on until the new tokens are on disk.
///
/// What is to be done goes through the standard input of that process, since its arguments can be read by everybody;
/// what came of it comes back through its standard output.
package enum RenewalProcess {
  /// What has `tw-auth` be that process.
  package static let argument = "--renew-token"

  /// - Parameter old: the access token that is to be replaced.
  /// - Returns: whether there is such a program; where not, nothing was done.
  static func run(_ renewal: TokenRenewal, replacing old: Secret) throws(TransferError) -> Bool {
    // Beside this program only: another one's tw-auth may be another version.
    guard let directory = Programs().directories.first, access("\(directory)/tw-auth", X_OK) == 0 else { return false }
    let answer: (bytes: [UInt8], process: pid_t)?
    do throws(ToolError) {
      answer = try Self.answer(of: ["\(directory)/tw-auth", argument], to: job(renewal, old))
    } catch {
      throw TransferError(credential: error)
    }
    guard let answer else { return false }
    let outcome = try? JSONDocument(answer.bytes)
    if outcome?["goes_on"]?.bool != true {
      var status: Int32 = 0
      while waitpid(answer.process, &status, 0) < 0, errno == EINTR {}
    }
    guard let outcome, outcome.isObject else {
      throw TransferError(.other, "the renewal of the token of account '\(renewal.account)' came to nothing")
    }
    if let error = TransferError(outcome: outcome) { throw error }
    return true
  }

  /// - Returns: what the program printed, and its number; `nil` if it cannot be run.
  private static func answer(
    of command: [String], to input: [UInt8]
  ) throws(ToolError) -> (bytes: [UInt8], process: pid_t)? {
    let (job, jobEnd) = try makePipe()
    let (answer, answerEnd) = try makePipe()
    defer { close(answer) }
    let process = ChildProcess.spawn(
      command, input: job, output: answerEnd, errors: ChildProcess.nothing, leadsSession: true)
    close(job)
    close(answerEnd)
    // Far less than a pipe takes at once.
    if process != nil { _ = writeAll(input, to: jobEnd) }
    close(jobEnd)
    guard let process else { return nil }
    var bytes: [UInt8] = []
    while true {
      var entries = [answer, Interruption.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      _ = poll(&entries, 2, -1)
      // The renewal does not need this process.
      if Interruption.signal != nil { throw .tryLater("interrupted while the token is renewed") }
      guard entries[0].revents != 0, let some = try readSome(answer, name: "what tw-auth prints") else { continue }
      if some.isEmpty { break }
      bytes += some
    }
    return (bytes, process)
  }

  // MARK: What goes through the pipes

  private static func job(_ renewal: TokenRenewal, _ old: Secret) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.object {
      $0.member("service", renewal.account.service)
      $0.member("name", renewal.account.name)
      $0.member("url", renewal.endpoint.url)
      $0.member("client_id", renewal.endpoint.clientID)
      if renewal.endpoint.session != nil { $0.member("is_session", true) }
      if renewal.endpoint.addresses.isAny { $0.member("any_address", true) }
      $0.member("token", old.exposed)
      $0.member("client_secret", renewal.endpoint.clientSecret?.exposed)
      $0.member("ca_file", renewal.endpoint.caFile)
    }
    return buffer.array
  }

  // MARK: In the process

  /// Does what standard input asks for, prints what came of it, and ends.
  ///
  /// - Parameter apis: of the services there are.
  package static func serve(_ apis: [any ServiceAPI]) -> Never {
    // A refresh token that is spent and whose successor is not stored is an account that is lost. A full disk and a
    // tool that is gone are errors of write(2).
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    var job: [UInt8] = []
    do throws(ToolError) {
      while true {
        guard let bytes = try readSome(0, name: "standard input") else { continue }
        if bytes.isEmpty { break }
        job += bytes
      }
    } catch {
      exit(error.status.rawValue)
    }
    guard let outcome = carryOut(job, apis) else { exit(ExitStatus.usage.rawValue) }
    _ = writeAll(outcome, to: 1)
    exit(ExitStatus.done.rawValue)
  }

  /// Milliseconds in which room may be made for new tokens: ten minutes.
  private static let patience = 600_000

  /// Tells the tool, which ends with it, that the new tokens are not stored yet; this process goes on.
  private static func report(_ fault: ToolError, of account: ServiceAccount.Name) {
    let text =
      "the renewed token of account '\(account)' is not stored: \(fault.message ?? "the disk failed"); tw-auth tries "
      + "it again for \(patience / 60_000) minutes, then a person must sign in again: make room"
    let error = TransferError(credential: ToolError(fault.status, text) ?? fault)
    _ = writeAll(error.outcome(goesOn: true), to: 1)
    // The end of what the tool reads.
    let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
    if null >= 0 { dup2(null, 1) } else { close(1) }
  }

  /// - Returns: what is to be printed; `nil` for bytes that ask for nothing, such as those of a tool that was killed
  ///   while it wrote them.
  private static func carryOut(_ bytes: [UInt8], _ apis: [any ServiceAPI]) -> [UInt8]? {
    guard let document = try? JSONDocument(bytes), let service = document["service"]?.nonEmptyString,
      let name = document["name"]?.nonEmptyString, let url = document["url"]?.nonEmptyString,
      let clientID = document["client_id"]?.string, let old = document["token"]?.nonEmptyString
    else { return nil }
    let api = apis.lazy.compactMap { $0.named(service) }.first
    let caFile = document["ca_file"]?.string
    let isAny = document["any_address"]?.bool == true
    guard let addresses = isAny ? AddressPolicy.any : (try? AddressPolicy.ofStrangers) else { return nil }
    let endpoint: TokenEndpoint
    if document["is_session"]?.bool == true {
      guard let session = api?.signIn(at: url).session else { return nil }
      endpoint = TokenEndpoint(session, at: url, caFile: caFile, reaching: addresses)
    } else {
      endpoint = TokenEndpoint(
        url: url, clientID: clientID, clientSecret: document["client_secret"]?.string.map { Secret($0) },
        caFile: caFile, api: api, reaching: addresses)
    }
    let renewal = TokenRenewal(ServiceAccount.Name(service: service, name: name), endpoint: endpoint)
    do throws(TransferError) {
      try renewal.run(replacing: Secret(old), patience: patience) { report($0, of: renewal.account) }
      return Array("{}\n".utf8)
    } catch {
      return error.outcome(goesOn: false)
    }
  }
}

extension TransferError {
  /// The error as a JSON object.
  ///
  /// - Parameter goesOn: whether the renewal has not ended.
  fileprivate func outcome(goesOn: Bool) -> [UInt8] {
    var buffer = ByteBuffer()
    buffer.object {
      if goesOn { $0.member("goes_on", true) }
      $0.member("kind", kind.rawValue)
      $0.member("text", text)
      $0.member("status", cause.map { Int($0.status.rawValue) })
    }
    buffer.append("\n")
    return buffer.array
  }

  /// Reads what ``outcome(goesOn:)`` writes; `nil` for an object that is not an error.
  fileprivate init?(outcome: JSONDocument) {
    guard let text = outcome["text"]?.string else { return nil }
    let status = outcome["status"]?.integer.flatMap { ExitStatus(rawValue: Int32($0)) }
    if let cause = status.flatMap({ ToolError($0, text) }) {
      self.init(credential: cause)
    } else {
      self.init(outcome["kind"]?.string.flatMap { Kind(rawValue: $0) } ?? .other, text)
    }
  }
}
