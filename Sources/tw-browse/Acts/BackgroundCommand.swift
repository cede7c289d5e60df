import Libc
import TweetCore

/// Commands joined by pipes that run while the screen goes on. What they say on standard error is kept.
final class BackgroundCommand {
  /// More of what they say is not kept: the last words count.
  private static let mostKept = 4096

  /// Bytes that are read at once: keys are answered in between.
  private static let mostAtOnce = 1 << 20

  /// Milliseconds that they have to end.
  private static let grace = 2_000

  /// A class, since arrays take no `ChildProcess`.
  private final class Member {
    var process: ChildProcess
    init(_ process: consuming ChildProcess) { self.process = process }
  }

  typealias Finish = (ChildProcess.Ending, BackgroundCommand) -> Void

  /// Whether it is ended with the screen, since nobody misses what it would bring.
  var isExpendable = false
  /// Takes each line that the last one prints.
  var takeLine: (([UInt8]) -> Void)?
  /// Is called when they have ended.
  var finish: Finish?
  private var members: [Member] = []
  private let errors: Int32
  private let records: Int32?
  private var said: [UInt8] = []
  /// What has been read of the last one's standard output.
  private var output: [UInt8] = []
  private var areErrorsOpen = true
  /// When those are killed that were asked to end; `nil` if they were not.
  private var deadline: Int?

  /// Starts them.
  /// - Parameters:
  ///   - commands: in the order of the pipes.
  ///   - input: what the first one reads; `nil` for nothing. It must fit into a pipe.
  ///   - descriptor: what the first one reads in its place.
  ///   - readsOutput: whether ``takeLines()`` has what the last one prints; else that is thrown away.
  init(
    _ commands: [Tools.Command], input: [UInt8]? = nil, reading descriptor: Int32? = nil, readsOutput: Bool = false
  ) throws(ToolError) {
    let null = open("/dev/null", O_RDWR | O_CLOEXEC)
    let (said, errors) = try makePipe()
    let records = readsOutput ? try makePipe() : nil
    self.errors = said
    self.records = records?.reading
    for end in [said, records?.reading ?? said] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    var open: Set<Int32> = [null, errors, records?.writing ?? null]
    defer { for end in open { close(end) } }
    var source = descriptor ?? null
    if let input {
      let pipe = try makePipe()
      _ = fcntl(pipe.writing, F_SETFL, O_NONBLOCK)
      _ = writeAll(input, to: pipe.writing)
      close(pipe.writing)
      open.insert(pipe.reading)
      source = pipe.reading
    }
    for (number, command) in commands.enumerated() {
      let isLast = number == commands.count - 1
      let joint = isLast ? nil : try makePipe()
      if let joint { open.formUnion([joint.reading, joint.writing]) }
      let target = joint?.writing ?? records?.writing ?? null
      guard
        let child = ChildProcess(
          command.words, input: source, output: target, errors: errors, variables: command.variables,
          keepsCredentials: command.isOfKit, leadsGroup: true)
      else { throw .inputOutput("cannot run '\(command.words[0])': \(describe(errno: errno))") }
      members.append(Member(child))
      if let joint { source = joint.reading }
    }
  }

  deinit {
    close(errors)
    if let records { close(records) }
  }

  /// For poll(2): readable when they have said or printed something, or have ended.
  var descriptors: [Int32] { (areErrorsOpen ? [errors] : []) + (records.map { [$0] } ?? []) }

  /// Reads what is there. Those that were asked to end, and do not, are killed when it is time.
  /// - Returns: how they ended; `nil` while they run.
  func read() -> ChildProcess.Ending? {
    if let deadline, MonotonicClock.milliseconds >= deadline { kill() }
    let (bytes, isAtEnd) = Self.readAll(errors)
    said = Array((said + bytes).suffix(Self.mostKept))
    if let records {
      var printed = Self.readAll(records).bytes
      output += printed
      while isAtEnd, !printed.isEmpty {
        printed = Self.readAll(records).bytes
        output += printed
      }
    }
    guard isAtEnd else { return nil }
    areErrorsOpen = false
    // Whoever holds standard error has ended or is about to. The first that failed says how it went.
    let endings = members.map { $0.process.wait() }
    return endings.first { $0 != .exited(0) } ?? .exited(0)
  }

  /// Takes what the last one has printed so far, up to the last line end.
  func takeLines() -> [[UInt8]] {
    guard let end = output.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
    let lines = output[...end].split(separator: UInt8(ascii: "\n")).map { Array($0) }
    output.removeFirst(end + 1)
    return lines
  }

  /// Whether the last one has printed anything that was not taken.
  var hasPrinted: Bool { !output.isEmpty }

  /// The last line that they said, without the name of the tool.
  var lastWords: String? {
    let lines = String(decoding: said, as: UTF8.self).split(separator: "\n")
    guard let line = lines.last(where: { !$0.allSatisfy(\.isWhitespace) }) else { return nil }
    guard line.hasPrefix("tw-"), let colon = line.firstRange(of: ": ") else { return String(line) }
    return String(line[colon.upperBound...])
  }

  /// Asks them to end, once: a program may take a second signal for a sign that it is to drop what it does.
  func end() {
    if deadline != nil { return }
    deadline = MonotonicClock.milliseconds + Self.grace
    for member in members { member.process.send(SIGTERM) }
  }

  /// Ends those that do not listen.
  func kill() { for member in members { member.process.send(SIGKILL) } }

  /// Ends them: those that do not listen after a moment are killed.
  func stop() {
    end()
    let deadline = MonotonicClock.milliseconds + Self.grace
    for member in members {
      while member.process.hasEnded() == nil {
        if MonotonicClock.milliseconds >= deadline { member.process.send(SIGKILL) }
        usleep(5_000)
      }
    }
  }

  private static func readAll(_ descriptor: Int32) -> (bytes: [UInt8], isAtEnd: Bool) {
    var bytes: [UInt8] = []
    while bytes.count < mostAtOnce {
      do throws(ToolError) {
        guard let piece = try readSome(descriptor, name: "a pipe") else { return (bytes, false) }
        if piece.isEmpty { return (bytes, true) }
        bytes += piece
      } catch {
        return (bytes, true)
      }
    }
    return (bytes, false)
  }
}
