import Libc
import Synchronization
import TweetCore
import TweetDisplay

/// The person's terminal: its mode, its size, what is on it. It is left as it was however the process ends, but by
/// SIGKILL.
///
/// Rows are compared with those that are on it, and only what differs is sent.
final class TerminalScreen {
  /// The alternate screen, no cursor, no wrapping at the last column, buttons of the mouse in SGR form, marked pastes.
  private static let entry = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004h\u{1B}[2J"
  private static let exit = "\u{1B}[0m\u{1B}[?2004l\u{1B}[?1006l\u{1B}[?1000l\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
  /// A terminal that knows it shows what is between these at once.
  private static let frame = (begin: "\u{1B}[?2026h", end: "\u{1B}[?2026l")

  let descriptor: Int32
  private let saved: termios
  private var shown: [[UInt8]] = []
  private var cursor: (row: Int, column: Int)?
  private(set) var isEntered = false
  private var layer = PictureLayer()

  /// Takes hold of a terminal.
  /// - Parameter device: its path.
  /// - Throws: ``ToolError/usage(_:)`` if there is none that can show a screen.
  init(_ device: String) throws(ToolError) {
    let descriptor = open(device, O_RDWR | O_CLOEXEC | O_NOCTTY)
    var mode = termios()
    let name = Paths.environment("TERM") ?? "dumb"
    guard descriptor >= 0, tcgetattr(descriptor, &mode) == 0, name != "dumb" else {
      throw .usage("it needs a terminal; 'tw-cache list | tw-render' prints tweets anywhere")
    }
    (self.descriptor, saved) = (descriptor, mode)
  }

  /// Has it left as it was after a crash, too.
  func prepareRescue() { TerminalRescue.prepare(descriptor, saved, Self.exit) }

  deinit {
    leave()
    close(descriptor)
  }

  /// Rows and columns, now.
  var size: (rows: Int, columns: Int) { window.map { (Int($0.ws_row), Int($0.ws_col)) } ?? (24, 80) }

  /// The size of a cell in pixels, if the terminal says it.
  var cell: CellSize? { window.flatMap { CellSize(Int($0.ws_xpixel / $0.ws_col), Int($0.ws_ypixel / $0.ws_row)) } }

  private var window: winsize? {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_row > 0 && size.ws_col > 0 ? size : nil
  }

  /// Begins to draw, and to get each key at once.
  func enter() {
    if isEntered { return }
    var mode = saved
    mode.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INLCR | IGNCR | ISTRIP | IXON)
    mode.c_oflag |= tcflag_t(OPOST)
    mode.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
    tcsetattr(descriptor, TCSADRAIN, &mode)
    write(Self.entry)
    TerminalRescue.isNeeded = true
    (shown, cursor, isEntered) = ([], nil, true)
  }

  /// Gives the terminal back as it was, for another program or for good.
  func leave() {
    guard isEntered else { return }
    write(layer.deletion + Self.exit)
    layer.forget()
    var mode = saved
    tcsetattr(descriptor, TCSADRAIN, &mode)
    TerminalRescue.isNeeded = false
    isEntered = false
  }

  /// Forgets what is on the screen, so that all of it is drawn again.
  func forget() {
    write(layer.deletion)
    layer.forget()
    shown = []
  }

  /// Asks what pictures it shows. The answer comes among the keys.
  func ask() { write(TerminalAnswers.questions.description) }

  /// Milliseconds after which to show the same again, since pictures are not all drawn; `nil` if they are.
  var wait: Int? { layer.wait(now: MonotonicClock.milliseconds) }

  /// Shows rows.
  /// - Parameters:
  ///   - rows: the bytes of each, of at most as many columns as the screen has; no newlines.
  ///   - pictures: what is drawn over cells that the rows leave empty.
  ///   - cursor: where a person types, both counted from 0; `nil` for no cursor.
  func show(_ rows: [[UInt8]], pictures: [PictureLayer.Wanted] = [], cursor: (row: Int, column: Int)? = nil) {
    var output = ByteBuffer(capacity: 4096)
    let now = MonotonicClock.milliseconds
    let spoilt = layer.begin(pictures, now: now)
    var written: Set<Int> = []
    for (index, row) in rows.enumerated()
    where index >= shown.count || shown[index] != row || spoilt.contains(index) {
      written.insert(index)
      output.append("\u{1B}[\(index + 1);1H\u{1B}[2K")
      output.append(row)
      output.append("\u{1B}[0m")
    }
    shown = rows
    layer.note(written: written, now: now)
    layer.draw(pictures, now: now, to: &output)
    let hasMoved = cursor?.row != self.cursor?.row || cursor?.column != self.cursor?.column
    if output.count == 0, !hasMoved { return }
    if let cursor {
      output.append("\u{1B}[\(cursor.row + 1);\(cursor.column + 1)H\u{1B}[?25h")
    } else if self.cursor != nil {
      output.append("\u{1B}[?25l")
    }
    self.cursor = cursor
    write(Self.frame.begin + output.string + Self.frame.end)
  }

  /// Puts a text into the clipboard of the person's machine, as far as the terminal allows that (xterm's OSC 52).
  func copy(_ text: String) {
    var sequence = ByteBuffer(capacity: 256)
    sequence.append("\u{1B}]52;c;")
    sequence.append(base64: Array(text.utf8))
    sequence.append("\u{1B}\\")
    write(sequence.string)
  }

  private func write(_ text: String) {
    // If the terminal is gone, SIGHUP or the end of its input says so.
    text.withBytes { _ = writeAll($0, to: descriptor) }
  }
}

/// Gives the terminal back when the process crashes: a handler of signals that does nothing but write(2) and
/// tcsetattr(3), which POSIX allows there.
enum TerminalRescue {
  private static let needed = Atomic<Bool>(false)
  private static let terminal = Atomic<Int32>(-1)
  // Written once, before the handlers are installed, and only read by them.
  nonisolated(unsafe) private static var mode = termios()
  nonisolated(unsafe) private static var exit: [UInt8] = []

  static var isNeeded: Bool {
    get { needed.load(ordering: .relaxed) }
    set { needed.store(newValue, ordering: .relaxed) }
  }

  static func prepare(_ descriptor: Int32, _ mode: termios, _ exit: String) {
    Self.mode = mode
    Self.exit = Array(exit.utf8)
    terminal.store(descriptor, ordering: .relaxed)
    for number in [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGQUIT] {
      var action = sigaction()
      action.setHandler { number in TerminalRescue.end(by: number) }
      action.sa_flags = Int32(truncatingIfNeeded: SA_RESETHAND)
      sigaction(number, &action, nil)
    }
  }

  private static func end(by number: Int32) {
    if isNeeded {
      let descriptor = terminal.load(ordering: .relaxed)
      _ = writeAll(exit, to: descriptor)
      tcsetattr(descriptor, TCSANOW, &mode)
    }
    raise(number)
  }
}
