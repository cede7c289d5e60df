import Libc
import TweetCore

/// A question to the terminal on standard output. While it is open, what the terminal sends is not shown, and the kit
/// reads it; when the value ends, the terminal is as it was before, and has the keys again that a person has pressed
/// meanwhile.
struct TerminalQuestion: ~Copyable {
  /// A picture is not worth a longer wait. Terminals answer within some milliseconds, over a slow line within 200.
  private static let patience = 300
  /// An answer that is later than this, or never comes, is not waited for. Until then it must not become a person's
  /// input.
  private static let lateness = 1000

  private(set) var answers = TerminalAnswers()
  private let terminal: Int32
  private let mode: termios
  private let askedAt = MonotonicClock.milliseconds

  /// Asks.
  /// - Returns: `nil` if there is no terminal, if this program is not in its foreground, or if a person has typed
  ///   something ahead, which would be lost.
  init?() {
    guard let name = ttyname(1) else { return nil }
    let terminal = open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard terminal >= 0 else { return nil }
    var mode = termios()
    guard tcgetpgrp(terminal) == getpgrp(), tcgetattr(terminal, &mode) == 0 else {
      close(terminal)
      return nil
    }
    var silent = mode
    // Signals from keys still come: Ctrl-C ends the tool.
    silent.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(terminal, TCSANOW, &silent)
    var typed: Int32 = 0
    let questions = TerminalAnswers.questions
    guard ioctl(terminal, UInt(FIONREAD), &typed) == 0, typed == 0,
      writeAll(questions.bytes, to: terminal) == 0
    else {
      tcsetattr(terminal, TCSANOW, &mode)
      close(terminal)
      return nil
    }
    self.terminal = terminal
    self.mode = mode
    wait(until: askedAt + Self.patience)
  }

  deinit {
    var (mode, answers) = (mode, answers)
    while let some = Self.read(terminal) { answers.append(some) }
    tcsetattr(terminal, TCSANOW, &mode)
    // What came of an answer that is not whole stays here. Systems that do not let programs put input into a terminal
    // (Linux with `dev.tty.legacy_tiocsti` 0, OpenBSD) refuse the first key.
    for var key in answers.keys where ioctl(terminal, UInt(TIOCSTI), &key) != 0 { break }
    close(terminal)
  }

  /// Reads what has come of a late answer, without waiting.
  /// - Returns: the milliseconds after which nobody waits for it any more; `nil` if it is whole, or that time is over.
  mutating func readLateAnswer() -> Int32? {
    wait(until: MonotonicClock.milliseconds)
    let left = askedAt + Self.lateness - MonotonicClock.milliseconds
    return answers.isComplete || left <= 0 ? nil : Int32(left)
  }

  /// Waits for a late answer until nobody waits for it any more; also after a signal, since a shell reads next.
  mutating func waitForLateAnswer() { wait(until: askedAt + Self.lateness, endsBySignal: false) }

  private mutating func wait(until deadline: Int, endsBySignal: Bool = true) {
    while !answers.isComplete {
      var entries = [
        pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
        // A negative number is no descriptor for poll(2).
        pollfd(fd: endsBySignal ? Interruption.descriptor : -1, events: Int16(POLLIN), revents: 0),
      ]
      let left = max(0, deadline - MonotonicClock.milliseconds)
      let ready = poll(&entries, 2, Int32(left))
      if ready < 0, errno == EINTR, !endsBySignal || Interruption.signal == nil { continue }
      guard ready > 0, entries[0].revents & Int16(POLLIN) != 0, let some = Self.read(terminal) else { return }
      answers.append(some)
    }
  }

  /// What the terminal has sent and nobody has read; `nil` if there is nothing.
  private static func read(_ terminal: Int32) -> [UInt8]? {
    let some = [UInt8](unsafeUninitializedCapacity: 1024) { room, count in
      count = max(0, Libc.read(terminal, room.baseAddress, room.count))
    }
    return some.isEmpty ? nil : some
  }
}
