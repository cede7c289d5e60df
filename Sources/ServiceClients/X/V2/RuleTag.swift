import Libc
import TweetServices

/// The tag of a stream rule that the kit adds: `tw:FEED PROCESS@MACHINE`. Rules belong to an app, not to a program, so
/// only the tag shows who made a rule, and whether that was a program that was killed.
package struct RuleTag: Sendable, Equatable {
  private static let prefix = "tw:"

  package let text: String
  /// The number of the process that made it.
  package let process: Int32
  private let machine: String

  /// The tag for a rule of this process.
  package init(feed: String) {
    process = getpid()
    machine = Self.machine
    // Services bound the length of tags; the end is what is read again.
    text = "\(Self.prefix)\(feed.prefix(64)) \(process)@\(machine)"
  }

  /// `nil` for a tag that the kit did not make.
  package init?(_ text: String) {
    guard text.hasPrefix(Self.prefix), let space = text.lastIndex(of: " ") else { return nil }
    let parts = text[text.index(after: space)...].split(separator: "@", maxSplits: 1)
    guard parts.count == 2, let process = Int32(parts[0]), process > 0 else { return nil }
    self.text = text
    self.process = process
    machine = String(parts[1])
  }

  package var isOfThisMachine: Bool { machine == Self.machine }

  /// Whether the process that made it was on this machine and has ended.
  package var isLeftBehind: Bool {
    isOfThisMachine && kill(process, 0) != 0 && errno == ESRCH
  }

  /// This machine's name as a number (FNV-1a), because raw messages contain the tag and the name is private.
  private static let machine: String = {
    var name = [CChar](repeating: 0, count: 256)
    gethostname(&name, name.count - 1)
    var hash: UInt32 = 0x811c_9dc5
    for byte in name.prefix(while: { $0 != 0 }) { hash = (hash ^ UInt32(UInt8(bitPattern: byte))) &* 0x0100_0193 }
    return String(hash, radix: 16)
  }()
}
