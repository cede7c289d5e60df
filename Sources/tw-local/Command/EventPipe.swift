import Libc
import Synchronization
import TweetCore

/// What the main thread waits for: signals, the command's end, the service's failure, in the order they happen.
///
/// `Interruption` notes one signal and lets a second one kill. A tool that runs a command must outlive both: timeout(1)
/// sends its signal twice, once to the process and once to its group.
struct EventPipe: Sendable {
  enum Event {
    /// - isFromTerminal: sent by the kernel to the whole foreground group, not by a process to this one.
    case signal(Int32, isFromTerminal: Bool)
    /// By this signal; it may go on.
    case commandStopped(Int32)
    case commandEnded
    case serviceFailed
  }

  private let readEnd: Int32
  private let writeEnd: Int32
  /// The write end for the signal handler, which can reach nothing else.
  private static let handlerEnd = Atomic<Int32>(-1)

  private static let commandStoppedCode: UInt8 = 0xFD
  private static let commandEndedCode: UInt8 = 0xFE
  private static let serviceFailedCode: UInt8 = 0xFF

  init() throws(ToolError) {
    (readEnd, writeEnd) = try makePipe()
    // A signal handler must never wait.
    _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
  }

  /// From here on SIGINT, SIGTERM and SIGHUP come as events, as often as they are sent. Those ignored when the process
  /// started, as under nohup(1), stay so.
  func takeSignals() {
    Self.handlerEnd.store(writeEnd, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] where !Interruption.isIgnored(number) {
      Disposition.handle(number) { number, info, _ in
        let saved = errno
        // Above zero: sent by the kernel.
        let isFromTerminal = (info?.pointee.si_code ?? 0) > 0
        var message: [2 of UInt8] = [UInt8(truncatingIfNeeded: number), isFromTerminal ? 1 : 0]
        _ = write(EventPipe.handlerEnd.load(ordering: .relaxed), &message, 2)
        errno = saved
      }
    }
  }

  /// Puts an event in, from any thread.
  func tell(_ event: Event) {
    let message: [UInt8] =
      switch event {
      case .signal(let number, let isFromTerminal): [UInt8(truncatingIfNeeded: number), isFromTerminal ? 1 : 0]
      case .commandStopped(let number): [Self.commandStoppedCode, UInt8(truncatingIfNeeded: number)]
      case .commandEnded: [Self.commandEndedCode, 0]
      case .serviceFailed: [Self.serviceFailedCode, 0]
      }
    // Two bytes at once: writes to a pipe up to PIPE_BUF bytes never mix.
    _ = write(writeEnd, message, 2)
  }

  /// Waits for the next event.
  func next() throws(ToolError) -> Event {
    var message: [UInt8] = [0, 0]
    while true {
      let count = read(readEnd, &message, 2)
      if count == 2 { break }
      guard count < 0, errno == EINTR else { throw .inputOutput("cannot wait: \(describe(errno: errno))") }
    }
    switch message[0] {
    case Self.commandStoppedCode: return .commandStopped(Int32(message[1]))
    case Self.commandEndedCode: return .commandEnded
    case Self.serviceFailedCode: return .serviceFailed
    case let number: return .signal(Int32(number), isFromTerminal: message[1] == 1)
    }
  }

  /// Ends the process by a signal, as if nothing had been caught.
  static func die(by number: Int32) -> Never {
    // The command has left its own core where it crashed; ours would say nothing.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(coreSizeLimit, &none)
    Disposition.setDefault(number)
    kill(getpid(), number)
    // Reached only where the signal does not end a process.
    exit(128 + number)
  }
}
