import Libc
import TweetCore

/// Asks tw-post how long texts are by the rules of the services that they are for. It runs while a person writes, and
/// is asked one draft at a time: the newest that there is.
final class LengthCounter {
  private let command: BackgroundCommand
  private let input: Int32
  /// Answers that are still to come, and those that have come.
  private var missing = 0
  private var answers: [[PostLength]] = []
  private var waiting: [String]?

  /// - Parameter command: `tw-post length --lines`.
  init(_ command: Tools.Command) throws(ToolError) {
    let pipe = try makePipe()
    defer { close(pipe.reading) }
    // What does not fit is asked again with the next letter.
    _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
    input = pipe.writing
    do throws(ToolError) {
      self.command = try BackgroundCommand([command], reading: pipe.reading, readsOutput: true)
    } catch {
      close(pipe.writing)
      throw error
    }
  }

  deinit { close(input) }

  /// For poll(2).
  var descriptors: [Int32] { command.descriptors }

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

  enum Outcome {
    /// Of each part, the lengths at each target.
    case lengths([[PostLength]])
    /// It has ended; why.
    case fault(String)
  }

  /// Reads what has come; `nil` if that is nothing new.
  func read() -> Outcome? {
    let ending = command.read()
    for line in command.takeLines() where missing > 0 {
      answers.append(PostLength.list(String(decoding: line, as: UTF8.self)))
      missing -= 1
    }
    if let ending { return .fault(command.lastWords ?? "tw-post ended \(ending)") }
    guard missing == 0, !answers.isEmpty else { return nil }
    defer { answers = [] }
    if let waiting {
      self.waiting = nil
      let found = answers
      ask(waiting)
      return .lengths(found)
    }
    return .lengths(answers)
  }

  /// Ends it.
  func stop() { command.stop() }
}
