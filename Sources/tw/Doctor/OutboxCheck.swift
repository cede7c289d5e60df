import TweetCLI
import TweetCore

/// Writes that wait to be sent, or were refused.
struct OutboxCheck {
  let programs: Programs

  func findings() throws(ToolError) -> [Finding] {
    guard let post = programs.path(of: "post") else { return [] }
    guard let answer = try ProgramAnswer.of([post, "outbox", "--quiet"]), answer.ending == .exited(0) else {
      let path = shellWord(Paths.dataDirectory + "/outbox.db")
      let reason = try ProgramAnswer.of([post, "outbox"])?.reason ?? "'\(post)' cannot be run"
      return [.fault(.outbox, reason, mend: "mv \(path) \(path).old")]
    }
    let refused = answer.rows.filter { $0.count == 7 && $0[1] == "refused" }
    let waiting = answer.rows.count - refused.count
    var found: [Finding] = refused.map { cells in
      .fault(
        .outbox,
        "write \(cells[0]) of \(cells[3]) was refused: \(cells[6]) ('tw-post outbox retry \(cells[0])' sends it again)",
        mend: "tw-post --yes outbox drop \(cells[0])")
    }
    if waiting > 0 {
      found.append(
        .note(.outbox, waiting == 1 ? "one write waits" : "\(waiting) writes wait", mend: "tw-post flush"))
    }
    return found.isEmpty ? [.ok(.outbox, "nothing waits")] : found
  }
}
