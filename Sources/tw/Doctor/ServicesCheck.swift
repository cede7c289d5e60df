import Libc
import TweetCLI
import TweetCore

/// Whether the services answer that have accounts, and whether the clock of this machine is theirs. Nothing of it is
/// billed.
struct ServicesCheck {
  let programs: Programs

  /// What a signature may be old, at the most strict service, is five minutes.
  private static let largestDifference = 60.0

  func findings() throws(ToolError) -> [Finding] {
    guard let auth = programs.path(of: "auth") else { return [] }
    let answer = try ProgramAnswer.of([auth, "reach", "--quiet", "--timeout", "4s"], keepsCredentials: true)
    guard let answer, [.exited(0), .exited(75)].contains(answer.ending) else {
      return [.fault(.services, answer?.reason ?? "'\(auth)' cannot be run", mend: nil)]
    }
    var found: [Finding] = []
    var differences: [(address: String, seconds: Double)] = []
    for cells in answer.rows where cells.count == 4 {
      if cells[1] == "ok" {
        found.append(.ok(.services, "\(cells[0]) answers"))
      } else {
        found.append(.fault(.services, "\(cells[0]) does not answer: \(cells[3])", mend: mend(cells[0])))
      }
      if let seconds = Double(cells[2]) { differences.append((cells[0], seconds)) }
    }
    if let worst = differences.max(by: { abs($0.seconds) < abs($1.seconds) }) { found.append(clock(worst)) }
    return found
  }

  /// A service on this machine is started; another one can only be asked again.
  private func mend(_ address: String) -> String {
    for host in ["http://127.0.0.1:", "http://localhost:"] where address.hasPrefix(host) {
      if let port = Int(address.dropFirst(host.utf8.count)) { return "tw-local --port \(port) &" }
    }
    return "tw-auth reach \(shellWord(address))"
  }

  private func clock(_ difference: (address: String, seconds: Double)) -> Finding {
    let (address, seconds) = difference
    if abs(seconds) < Self.largestDifference {
      return .ok(.clock, "it differs from that of \(address) by less than a minute")
    }
    let amount = "\(Int(abs(seconds))) s"
    return .fault(
      .clock, "the clock of this machine is \(amount) \(seconds > 0 ? "ahead of" : "behind") that of \(address)",
      mend: "\(SystemPrograms.asRoot)timedatectl set-ntp true")
  }
}

/// What the clock says without a service.
struct ClockCheck {
  static func findings() -> [Finding] {
    let now = Timestamp.now
    if now >= ClockTrust.release { return [] }
    return [
      .fault(
        .clock, "the clock of this machine says \(now.rfc3339.prefix(10)), which is past",
        mend: "\(SystemPrograms.asRoot)timedatectl set-ntp true")
    ]
  }
}
