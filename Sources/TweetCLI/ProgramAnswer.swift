import Libc
package import TweetCore

/// What a program has printed, and how it ended.
package struct ProgramAnswer {
  /// How it ended; `nil` if it was stopped because it took too long.
  package let ending: ChildProcess.Ending?
  package let output: String
  package let errors: String

  /// What it says first about a failure, without its own name.
  package var reason: String {
    guard let ending else { return "no answer in time" }
    guard let line = errors.split(separator: "\n").first else { return "it ended \(ending)" }
    guard line.hasPrefix("tw"), let colon = line.firstIndex(of: ":") else { return String(line) }
    return String(line[colon...].dropFirst(2))
  }

  package var lines: [String] { output.split(separator: "\n").map(String.init) }

  /// The cells of its lines, which have tabs between them.
  package var rows: [[String]] {
    lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init) }
  }

  /// More is not read of either output.
  private static let most = 4 << 20

  /// Runs a program without input, and waits for its end.
  ///
  /// - Parameters:
  ///   - variables: of the environment, to set.
  ///   - keepsCredentials: whether it may have the token of the environment.
  ///   - patience: milliseconds after which it is stopped.
  /// - Returns: `nil` if it cannot be run.
  package static func of(
    _ command: [String], variables: [String: String?] = [:], keepsCredentials: Bool = false, patience: Int = 10_000
  ) throws(ToolError) -> ProgramAnswer? {
    let output = try makePipe()
    defer { close(output.reading) }
    let errors: (reading: Int32, writing: Int32)
    do throws(ToolError) {
      errors = try makePipe()
    } catch {
      close(output.writing)
      throw error
    }
    defer { close(errors.reading) }
    let started = ChildProcess(
      command, input: ChildProcess.nothing, output: output.writing, errors: errors.writing, variables: variables,
      keepsCredentials: keepsCredentials, leadsGroup: true)
    close(output.writing)
    close(errors.writing)
    guard var child = started else { return nil }
    let deadline = MonotonicClock.milliseconds + patience
    let texts = try read([output.reading, errors.reading], until: deadline)
    // What closes its outputs may still run.
    var ending = child.hasEnded()
    while ending == nil, MonotonicClock.milliseconds < deadline, Interruption.signal == nil {
      poll(nil, 0, 5)
      ending = child.hasEnded()
    }
    if ending == nil { _ = child.stop(grace: 500) }
    return ProgramAnswer(ending: ending, output: texts[0], errors: texts[1])
  }

  /// Reads several pipes to their ends.
  private static func read(_ pipes: [Int32], until deadline: Int) throws(ToolError) -> [String] {
    var bytes = pipes.map { _ in [UInt8]() }
    var open = Set(pipes.indices)
    while !open.isEmpty, Interruption.signal == nil {
      let left = deadline - MonotonicClock.milliseconds
      if left <= 0 { break }
      let order = open.sorted()
      var entries = order.map { pollfd(fd: pipes[$0], events: Int16(POLLIN), revents: 0) }
      entries.append(pollfd(fd: Interruption.descriptor, events: Int16(POLLIN), revents: 0))
      if poll(&entries, nfds_t(entries.count), Int32(left)) <= 0 { continue }
      for (entry, place) in zip(entries, order) where entry.revents != 0 {
        guard let some = try readSome(pipes[place], name: "the output of a program") else { continue }
        bytes[place] += some
        if some.isEmpty || bytes[place].count > most { open.remove(place) }
      }
    }
    return bytes.map { String(decoding: $0, as: UTF8.self) }
  }
}
