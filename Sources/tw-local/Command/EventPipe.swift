import Libc
import Synchronization
import TweetCore

/// The events that the main thread waits for, in the order they happen.
///
/// `Interruption` records one signal, and a second one kills. A tool that runs a command must survive both: timeout(1)
/// sends its signal to the process and again to its group.
struct EventPipe: Sendable {
  enum Event {
    /// - isFromTerminal: whether the kernel sent it to the whole foreground group, not a process to this one.
    case signal(Int32, isFromTerminal: Bool)
    /// By this signal. The command may continue.
    case commandStopped(Int32)
    case commandEnded
    case serviceFailed
  }

  private let readEnd: Int32
  private let writeEnd: Int32
  /// The write end for the signal handler, which can use only static variables.
  private static let handlerEnd = Atomic<Int32>(-1)

  private static let commandStoppedCode: UInt8 = 0xFD
  private static let commandEndedCode: UInt8 = 0xFE
  private static let serviceFailedCode: UInt8 = 0xFF

  init() throws(ToolError) {
    (readEnd, writeEnd) = try makePipe()
    // A signal handler must never wait.
    _ = fcntl(writeEnd, F_SETFL, O_NONBLOCK)
  }

  /// From now on SIGINT, SIGTERM and SIGHUP are events, each time they are sent. Signals that were ignored when the
  /// process started, as under nohup(1), are still ignored.
  func catchSignals() {
    Self.handlerEnd.store(writeEnd, ordering: .relaxed)
    for number in [SIGINT, SIGTERM, SIGHUP] where !Interruption.isIgnored(number) {
      var action = sigaction()
      action.setInfoHandler { number, info, _ in
        let saved = errno
        // A code above zero means that the kernel sent it.
        let isFromTerminal = (info?.pointee.si_code ?? 0) > 0
        var message: [2 of UInt8] = [UInt8(truncatingIfNeeded: number), isFromTerminal ? 1 : 0]
        _ = write(EventPipe.handlerEnd.load(ordering: .relaxed), &message, 2)
        errno = saved
      }
      action.sa_flags = SA_SIGINFO | SA_RESTART
      sigaction(number, &action, nil)
    }
  }

  /// Adds an event, from any thread.
  func post(_ event: Event) {
    let message: [UInt8] =
      switch event {
      case .signal(let number, let isFromTerminal): [UInt8(truncatingIfNeeded: number), isFromTerminal ? 1 : 0]
      case .commandStopped(let number): [Self.commandStoppedCode, UInt8(truncatingIfNeeded: number)]
      case .commandEnded: [Self.commandEndedCode, 0]
      case .serviceFailed: [Self.serviceFailedCode, 0]
      }
    // Both bytes in one write: writes of up to PIPE_BUF bytes to a pipe are never mixed.
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

  /// Ends the process by a signal, as if it had not been caught.
  static func endProcess(bySignal number: Int32) -> Never {
    // A command that crashed has left its own core; a core of this process would be useless.
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(coreSizeLimit, &none)
    Interruption.die(by: number)
    // Reached only where the signal does not end a process.
    exit(128 + number)
  }
}
