import Libc
import Synchronization
import TweetCore

/// A service on a loopback port that misbehaves as its script says: `FaultServer SCRIPT LOG`.
///
/// It prints its port and the id of post 0, and writes each request to the log as a line of JSON before it answers:
/// `kind`, `at` (milliseconds of a clock that only goes forward), `head`, `body`. What it has delivered is in `LOG.delivered`
/// (``Delivery``). It runs until it is killed.
@main
struct FaultServer {
  static func main() {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else { fail("usage: FaultServer SCRIPT LOG", status: 64) }
    do throws(Script.Fault) {
      let server = Server(try Script(contents(of: arguments[1])), log: arguments[2])
      say("\(server.port) \(server.service.firstID)", to: 1)
      server.run()
    } catch {
      fail("no such step: \(error.line)", status: 65)
    }
  }

  private static func contents(of path: String) -> String {
    guard let file = fopen(path, "r") else { fail("cannot open '\(path)'", status: 66) }
    defer { fclose(file) }
    var text: [UInt8] = []
    while case let byte = getc(file), byte != EOF { text.append(UInt8(byte)) }
    return String(decoding: text, as: UTF8.self)
  }
}

func fail(_ message: String, status: Int32) -> Never {
  say("FaultServer: \(message)", to: 2)
  exit(status)
}

private func say(_ line: String, to descriptor: Int32) {
  let bytes = Array("\(line)\n".utf8)
  if write(descriptor, bytes, bytes.count) != bytes.count { exit(74) }
}

/// The listener, and what all connections share.
final class Server: Sendable {
  let service: Service
  let port: Int
  private let script: [String: [[Script.Step]]]
  /// How many answers were sent, by kind of request.
  private let sent = Mutex<[String: Int]>([:])
  private let logFile: Int32
  private let deliveredFile: Int32
  private let listener: Mutex<Listener>

  private struct Listener {
    var descriptor: Int32
    /// When to listen again, by `MonotonicClock`, while connections are refused.
    var opensAt: Int?
  }

  init(_ script: Script, log path: String) {
    service = Service(rules: script.rules)
    self.script = script.answers
    logFile = open(path, O_WRONLY | O_CREAT | O_APPEND, 0o600)
    deliveredFile = open(path + ".delivered", O_WRONLY | O_CREAT | O_APPEND, 0o600)
    // Never listens: it reserves the port while connections are refused.
    let (_, port) = Self.bound(to: 0)
    self.port = port
    let (descriptor, _) = Self.bound(to: port)
    guard logFile >= 0, deliveredFile >= 0, listen(descriptor, 64) == 0 else {
      fail("cannot listen or log", status: 71)
    }
    listener = Mutex(Listener(descriptor: descriptor))
  }

  private static func bound(to port: Int) -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, streamSocketType, 0)
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { fail("cannot bind", status: 71) }
    return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
  }

  /// Accepts connections, each on a thread of its own.
  func run() -> Never {
    while true {
      let descriptor = accept(listener.withLock(\.descriptor), nil, nil)
      if descriptor >= 0 {
        detach { Conversation(wire: Wire(descriptor), server: self).run() }
      } else {
        reopen()
      }
    }
  }

  private func reopen() {
    guard let time = listener.withLock(\.opensAt) else { return }
    usleep(UInt32(max(0, time - MonotonicClock.milliseconds)) * 1000)
    let (descriptor, _) = Self.bound(to: port)
    guard listen(descriptor, 64) == 0 else { fail("cannot listen again", status: 71) }
    listener.withLock { $0 = Listener(descriptor: descriptor) }
  }

  /// Refuses connections for some time.
  func refuse(_ milliseconds: Int) {
    listener.withLock { listener in
      guard listener.opensAt == nil else { return }
      listener.opensAt = MonotonicClock.milliseconds + milliseconds
      // Ends the accept that waits on it.
      shutdown(listener.descriptor, Int32(SHUT_RDWR))
      close(listener.descriptor)
    }
  }

  /// The next answer to a kind of request.
  func steps(for kind: String) -> [Script.Step] {
    guard let answers = script[kind], !answers.isEmpty else { return [.usual] }
    let number = sent.withLock { sent in
      defer { sent[kind, default: 0] += 1 }
      return sent[kind, default: 0]
    }
    return answers[min(number, answers.count - 1)]
  }

  /// Notes what was delivered.
  func record(_ delivered: String) {
    let bytes = Array("\(delivered)\n".utf8)
    guard write(deliveredFile, bytes, bytes.count) == bytes.count else { fail("cannot log", status: 74) }
  }

  func log(_ request: Request) {
    let body = quoted(String(decoding: request.body, as: UTF8.self))
    let line =
      "{\"kind\":\(quoted(request.kind)),\"at\":\(MonotonicClock.milliseconds),\"head\":\(quoted(request.head)),"
      + "\"body\":\(body)}\n"
    let bytes = Array(line.utf8)
    guard write(logFile, bytes, bytes.count) == bytes.count else { fail("cannot log", status: 74) }
  }
}

/// Runs a function on a thread of its own.
func detach(_ body: @escaping @Sendable () -> Void) {
  guard startThread(body) == 0 else { fail("cannot start a thread", status: 71) }
}
