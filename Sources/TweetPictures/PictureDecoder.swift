import Libc
import TweetCLI
import TweetCore

/// Has pictures decoded by a ``DecoderProcess``, one after the other, without ever waiting for it. A picture that
/// crashes the process, or takes it too long, costs that picture; the next one gets a new process.
package struct PictureDecoder: ~Copyable {
  package typealias Result = Swift.Result<Pixels, DecoderFailure>

  private struct Job {
    let id: Int
    let picture: [UInt8]
    let side: Int
  }

  /// So many pictures may wait. While more do, no further answers should be received from the network.
  private static let room = 32
  /// Milliseconds for one picture. Its processor time is limited too, but a process can also stop.
  private static let patience = 10_000

  private var child: DecoderChild?
  private var waiting = Queue<Job>()
  private var current: Job?
  /// When `current` must be done, on the monotonic clock.
  private var deadline = 0
  /// What has come of the answer for `current`.
  private var answer: [UInt8] = []
  private var finished: [(id: Int, result: Result)] = []
  private var lastID = 0
  private var isPrepared = false
  private var hasWarned = false

  package init() {}

  /// Whether no more pictures should come for now, since too many wait.
  package var isFull: Bool { waiting.count >= Self.room }

  /// The descriptor that can be read when the next picture is decoded; `nil` if none is being decoded.
  package var descriptor: Int32? { current == nil ? nil : child?.socket }

  /// How long the picture that is being decoded may still take.
  package var millisecondsLeft: Int? { current == nil ? nil : max(0, deadline - MonotonicClock.milliseconds) }

  /// Starts the process, which takes as long as some transfers, so that it is there when the first picture comes. If
  /// that fails, the first picture tries again, and says so.
  package mutating func prepare() {
    if !isPrepared { child = Self.start() }
    isPrepared = true
  }

  /// Puts a picture into the queue.
  /// - Parameter side: no side of the pixels is to be longer.
  /// - Returns: the number under which ``drainFinished()`` has the result.
  package mutating func enqueue(_ picture: [UInt8], side: Int) -> Int {
    lastID += 1
    waiting.append(Job(id: lastID, picture: picture, side: side))
    startNext()
    return lastID
  }

  /// Removes the results that have come, and returns them.
  package mutating func drainFinished() -> [(id: Int, result: Result)] {
    receive()
    defer { finished.removeAll() }
    return finished
  }

  /// Hands pictures to the process until one is with it, or none waits.
  private mutating func startNext() {
    while current == nil, let job = waiting.popFirst() {
      // A process that ended while it had nothing to do is no fault of the next picture.
      guard send(job) || restart() && send(job) else {
        finished.append((job.id, .failure(.noDecoder)))
        continue
      }
      current = job
      answer.removeAll()
      deadline = MonotonicClock.milliseconds + Self.patience
    }
  }

  /// - Returns: whether the process, if there is one, has the picture now.
  private func send(_ job: Job) -> Bool {
    guard let socket = child?.socket, let file = child?.file.descriptor, MemoryFile.write(job.picture, to: file) else {
      return false
    }
    let request: DecoderProcess.Request = (UInt32(job.picture.count), UInt32(job.side))
    // The socket is empty, so the few bytes never wait.
    return withUnsafeBytes(of: request) { write(socket, $0.baseAddress, $0.count) } == DecoderProcess.requestSize
  }

  private mutating func restart() -> Bool {
    isPrepared = true
    child = nil
    child = Self.start()
    if child == nil, !hasWarned {
      hasWarned = true
      Diagnostics.warn("pictures cannot be decoded: \(describe(errno: errno))")
    }
    return child != nil
  }

  private static func start() -> DecoderChild? {
    var ends: [Int32] = [-1, -1]
    guard let file = MemoryFile(), socketpair(AF_UNIX, streamSocketType, 0, &ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[1]) }
    _ = fcntl(ends[0], F_SETFL, O_NONBLOCK)
    let process = ChildProcess(
      [program, DecoderProcess.argument], named: "tw-avatar", input: ends[1], output: file.descriptor,
      errors: ChildProcess.nothing)
    guard let process else {
      let failure = errno
      close(ends[0])
      errno = failure
      return nil
    }
    return DecoderChild(process: process, socket: ends[0], file: file)
  }

  /// A path that runs this program again.
  private static var program: String {
    #if os(Linux)
      "/proc/self/exe"
    #else
      ProgramWords.texts.first ?? "tw-avatar"
    #endif
  }

  /// Reads what the process has answered. Ends it if its time is up.
  private mutating func receive() {
    while let job = current, let socket = child?.socket {
      var piece = [UInt8](repeating: 0, count: DecoderProcess.answerSize - answer.count)
      let count = read(socket, &piece, piece.count)
      if count > 0 {
        answer += piece[..<count]
        if answer.count == DecoderProcess.answerSize { finish(job, result(of: job)) }
        continue
      }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN, MonotonicClock.milliseconds < deadline { return }
      // It has ended, or does not answer.
      child = nil
      finish(job, .failure(.decoderFailed))
    }
  }

  private mutating func finish(_ job: Job, _ result: Result) {
    current = nil
    finished.append((job.id, result))
    startNext()
  }

  /// What the answer says. The process may be in the hands of whoever made a picture.
  private mutating func result(of job: Job) -> Result {
    let words = stride(from: 0, to: answer.count, by: 4).map { start in
      answer[start..<start + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }
    guard words[0] == 0 else {
      switch DecodingFault(rawValue: words[0]) {
      case .notAPicture: return .failure(.notAPicture)
      case .tooLarge: return .failure(.tooLarge)
      case .noLibrary: return .failure(.noDecoder)
      case .notConfined:
        if !hasWarned {
          Diagnostics.warn("pictures are not decoded: the system does not confine their decoder (seccomp)")
        }
        hasWarned = true
        return .failure(.noDecoder)
      case nil: return .failure(.decoderFailed)
      }
    }
    let (width, height) = (Int(words[1]), Int(words[2]))
    guard (1...job.side).contains(width), (1...job.side).contains(height), let file = child?.file.descriptor else {
      return .failure(.decoderFailed)
    }
    let bytes = MemoryFile.read(4 * width * height, from: file)
    guard bytes.count == 4 * width * height else { return .failure(.decoderFailed) }
    return .success(Pixels(width: width, height: height, bytes: bytes))
  }
}

/// Why there are no pixels of a picture.
package enum DecoderFailure: Error, Equatable, Sendable {
  /// It is damaged, cut off, or of no format that is decoded here.
  case notAPicture
  case tooLarge
  /// It crashed the decoder, or took it too long.
  case decoderFailed
  /// There is no decoder for it on this machine.
  case noDecoder
}

/// A running ``DecoderProcess``, and what is shared with it.
private final class DecoderChild {
  private let process: ChildProcess
  /// The parent's end of the socket. It does not block.
  let socket: Int32
  let file: MemoryFile

  init(process: consuming ChildProcess, socket: Int32, file: consuming MemoryFile) {
    self.process = process
    self.socket = socket
    self.file = file
  }

  deinit {
    process.send(SIGKILL)
    close(socket)
  }
}
