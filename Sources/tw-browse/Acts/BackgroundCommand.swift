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

  /// Whether it is ended with the screen, since nobody misses what it would bring.
  var isExpendable = false
  private var members: [Member] = []
  private let errors: Int32
  private let records: Int32?
  private var said: [UInt8] = []
  /// What has been read of the last one's standard output.
  private var output: [UInt8] = []
  private var areErrorsOpen = true
  private var isAskedToEnd = false

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

  /// Reads what is there.
  /// - Returns: how they ended; `nil` while they run.
  func read() -> ChildProcess.Ending? {
    if let records { output += Self.readAll(records).bytes }
    let (bytes, isAtEnd) = Self.readAll(errors)
    said = Array((said + bytes).suffix(Self.mostKept))
    if isAtEnd { areErrorsOpen = false }
    guard isAtEnd else { return nil }
    // What was printed since it was read above.
    if let records {
      var rest = Self.readAll(records).bytes
      while !rest.isEmpty {
        output += rest
        rest = Self.readAll(records).bytes
      }
    }
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
    if isAskedToEnd { return }
    isAskedToEnd = true
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
