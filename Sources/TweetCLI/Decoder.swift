import Dispatch
import Libc
import TweetCore

/// What turns an input into plain UTF-8 while it is read.
protocol InputDecoder: AnyObject {
  /// Where the plain bytes are read.
  var output: Int32 { get }

  /// Waits for its end. To be called when its output was read to its end.
  /// - Returns: what went wrong; `nil` for nothing.
  func finish() -> String?
}

/// A program of the system that decodes an input: a decompressor, iconv for UTF-16, or one that takes a file out of an
/// archive.
///
/// It runs as a child process, so nothing is linked for it and a second core does the work.
final class ProgramDecoder: InputDecoder {
  private var child: ChildProcess
  /// The decoder whose output this one decodes.
  private let inner: (any InputDecoder)?
  private let (program, name): (String, String)
  private let faults: [Int32: String]
  let output: Int32

  /// Starts the program.
  /// - Parameters:
  ///   - command: the program, which decodes standard input to standard output, and its arguments.
  ///   - descriptor: the input. It must stay open until the decoder is finished.
  ///   - head: bytes that were already read from the input; the program gets them first. Empty for a file, whose first
  ///     bytes can be looked at without reading them.
  ///   - name: of the input, for messages.
  ///   - faults: what exit statuses of the program mean; any other but 0 means damage.
  ///   - isSilent: whether the program's own messages are not shown.
  ///   - inner: the decoder whose output the input is.
  init(
    _ command: [String], descriptor: Int32, head: [UInt8] = [], name: String, faults: [Int32: String] = [:],
    isSilent: Bool = false, after inner: (any InputDecoder)? = nil
  ) throws(ToolError) {
    (program, self.name, self.faults, self.inner) = (command[0], name, faults, inner)
    let plain = try makePipe()
    let feed = head.isEmpty ? nil : try makePipe()
    let started = ChildProcess(
      command, input: feed?.reading ?? descriptor, output: plain.writing, errors: isSilent ? ChildProcess.nothing : nil)
    close(plain.writing)
    if let feed { close(feed.reading) }
    guard let started else {
      close(plain.reading)
      if let feed { close(feed.writing) }
      throw .inputOutput("cannot read \(name): it needs '\(command[0])', which is not installed")
    }
    child = started
    output = plain.reading
    if let feed { Self.copy(head, from: descriptor, to: feed.writing) }
  }

  deinit { close(output) }

  func finish() -> String? {
    let ending = child.wait()
    // What ends early has not read all that is before it.
    if let fault = inner?.finish() { return fault }
    if ending == .exited(0) { return nil }
    // gzip(1): a warning, which it has for nothing else that it reads from standard input.
    if program == "gzip", ending == .exited(2) {
      Diagnostics.note("\(name) was read whole; after the end of its gzip data there is something else")
      return nil
    }
    if case .exited(let status) = ending, let fault = faults[status] { return fault }
    return "'\(program)' says that the file is damaged or cut off"
  }

  /// Copies the bytes that were already read, and then the rest of the input, to the program, on a thread of its own.
  private static func copy(_ head: [UInt8], from source: Int32, to sink: Int32) {
    DispatchQueue.global().async {
      defer { close(sink) }
      var failure = writeAll(head, to: sink)
      var buffer = [UInt8](repeating: 0, count: 64 << 10)
      while failure == 0 {
        let got = buffer.withUnsafeMutableBytes { read(source, $0.baseAddress, $0.count) }
        if got < 0 && errno == EINTR { continue }
        // If the source cannot be read, its input ends early, and the program reports that as damage.
        if got <= 0 { return }
        failure = buffer.withBytes { writeAll($0.extracting(..<got), to: sink) }
      }
    }
  }
}

/// A function of ours that decodes an input, on a thread of its own.
final class FunctionDecoder: InputDecoder {
  let output: Int32
  private let fault: Deferred

  /// What the function returns, once it has.
  ///
  /// It is unchecked Sendable because the compiler does not know that the semaphore orders the write before the read.
  private final class Deferred: @unchecked Sendable {
    var value: String?
    let isKnown = DispatchSemaphore(value: 0)
  }

  /// Starts the function.
  /// - Parameters:
  ///   - descriptor: the input, which stays the caller's: the function reads a duplicate.
  ///   - name: of the input, for messages.
  ///   - function: gets the input and where it writes. It returns what is wrong; `nil` for nothing.
  convenience init(
    descriptor: Int32, name: String, _ function: @escaping @Sendable (Int32, Int32) -> String?
  ) throws(ToolError) {
    let source = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
    guard source >= 0 else { throw .inputOutput("cannot read \(name)", errno) }
    do throws(ToolError) {
      try self.init { output in
        defer { close(source) }
        return function(source, output)
      }
    } catch {
      close(source)
      throw error
    }
  }

  /// - Parameter function: gets where it writes.
  init(_ function: @escaping @Sendable (Int32) -> String?) throws(ToolError) {
    let plain = try makePipe()
    let fault = Deferred()
    (output, self.fault) = (plain.reading, fault)
    DispatchQueue.global().async {
      fault.value = function(plain.writing)
      close(plain.writing)
      fault.isKnown.signal()
    }
  }

  deinit { close(output) }

  func finish() -> String? {
    fault.isKnown.wait()
    return fault.value
  }
}
