import Libc
import TweetCore

/// Asks tw-post how long texts are by the rules of the services that they are for. It runs while a person writes, and
/// is asked one draft at a time: the newest that there is.
final class LengthCounter {
  enum Outcome {
    /// Of each part, the lengths at each target.
    case lengths([[PostLength]])
    /// It has ended; why.
    case fault(String)
  }

  private let jobs: BackgroundJobs
  private let take: (Outcome) -> Void
  private let input: Int32
  private var command: BackgroundCommand?
  /// Answers that are still to come, and those that have come.
  private var missing = 0
  private var answers: [[PostLength]] = []
  private var waiting: [String]?

  /// - Parameters:
  ///   - command: `tw-post length --lines`.
  ///   - take: gets what it says.
  init(_ command: Tools.Command, _ jobs: BackgroundJobs, take: @escaping (Outcome) -> Void) throws(ToolError) {
    let pipe = try makePipe()
    defer { close(pipe.reading) }
    // What does not fit is asked again with the next letter.
    _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
    (self.jobs, self.take, input) = (jobs, take, pipe.writing)
    self.command = try jobs.start(
      [command], reading: pipe.reading, line: { [weak self] in self?.take($0) },
      finish: { ending, command in take(.fault(command.lastWords ?? "tw-post ended \(ending)")) })
    self.command?.isExpendable = true
  }

  deinit { close(input) }

  /// Asks for the lengths of the parts of a post.
  func ask(_ parts: [String]) {
    guard missing == 0 else { return waiting = parts }
    (missing, answers) = (parts.count, [])
    var lines = ByteBuffer(capacity: 1024)
    for part in parts {
      lines.appendJSONString(part)
      lines.append("\n")
    }
    _ = lines.withBytes { writeAll($0, to: input) }
  }

  private func take(_ line: [UInt8]) {
    guard missing > 0 else { return }
    answers.append(PostLength.list(String(decoding: line, as: UTF8.self)))
    missing -= 1
    guard missing == 0 else { return }
    let found = answers
    if let waiting {
      self.waiting = nil
      ask(waiting)
    }
    take(.lengths(found))
  }

  /// Ends it.
  func stop() { jobs.stop(command) }
}
