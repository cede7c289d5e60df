/// The exit statuses of all tools, as tw(7) and each tool's page list them.
///
/// The numbers from 64 on are those of sysexits(3).
package enum ExitStatus: Int32, Sendable, CaseIterable {
  /// All done. Also when the reader of standard output has gone.
  case done = 0
  /// Done, but some records were bad, or some links or pictures got no verdict.
  case someBad = 1
  /// The command line is wrong.
  case usage = 64
  /// The input is not such data at all, or `--strict` met a bad record.
  case badData = 65
  /// An input file cannot be opened.
  case noInput = 66
  /// The service refused for good, or is not there.
  case refused = 69
  /// An invariant broke: a bug of ours.
  case bug = 70
  /// An output file or a store cannot be created.
  case cannotCreate = 73
  /// Reading or writing failed, for example because the disk is full.
  case inputOutput = 74
  /// It may work later: rate limit, time-out, busy store, lost connection.
  case tryLater = 75
  /// Not signed in, or not allowed.
  case notAllowed = 77
  /// The configuration or the credentials file is wrong.
  case configuration = 78
}

extension ExitStatus {
  /// The worse of two results of parts of a run. A failure that a person must repair is worse than one that may pass.
  package func worse(_ other: ExitStatus) -> ExitStatus {
    let ranks: [ExitStatus] = [.done, .someBad, .tryLater]
    let rank = { (status: ExitStatus) in ranks.firstIndex(of: status) ?? ranks.count }
    return rank(other) > rank(self) ? other : self
  }
}
