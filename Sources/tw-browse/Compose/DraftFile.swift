import Libc
import Synchronization
import TweetCore

/// The file of a draft, which belongs to one tw-browse as long as that holds its lock. A thread writes it: a disk may
/// take its time.
///
/// Drafts for the same tweet by two programs at a time get files of their own, `NAME-0`, `NAME-1` and so on. A program
/// that is killed gives up its lock, and its draft is found by the next one.
final class DraftFile: Sendable {
  /// More drafts for one tweet at a time are nothing that a person writes.
  private static let most = 64

  private struct State {
    var wanted: ComposedDraft?
    var isWriting = false
    var failure: String?
  }

  private let path: String
  private let lock: Int32
  private let state = Mutex(State())

  private init(path: String, lock: Int32) { (self.path, self.lock) = (path, lock) }

  deinit { close(lock) }

  /// Finds a draft that nobody writes now, or makes room for a new one.
  /// - Parameters:
  ///   - draft: says what it is for.
  ///   - folder: where drafts are.
  /// - Returns: the file, and what it has.
  static func open(for draft: ComposedDraft, in folder: String) throws(ToolError) -> (
    file: DraftFile, draft: ComposedDraft
  ) {
    try Paths.createDirectory(folder)
    let name = String(fingerprint("\(draft.kind.rawValue) \(draft.tweet)".utf8), radix: 16)
    var free: DraftFile?
    for number in 0..<most {
      let path = "\(folder)/\(name)-\(number)"
      if free != nil, access(path, F_OK) != 0 { continue }
      guard let lock = try hold(path + ".lock") else { continue }
      let file = DraftFile(path: path, lock: lock)
      guard let bytes = try StateFile.read(path) else {
        if free == nil { free = file } else { file.leave() }
        continue
      }
      // What is not a draft for this is somebody else's, and stays.
      guard let found = ComposedDraft(bytes, kind: draft.kind, tweet: draft.tweet) else { continue }
      free?.leave()
      return (file, found)
    }
    guard let free else { throw .tryLater("\(most) drafts for this are open") }
    return (free, draft)
  }

  /// Takes a lock; `nil` if another program has it.
  private static func hold(_ path: String) throws(ToolError) -> Int32? {
    while true {
      let descriptor = Libc.open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
      guard descriptor >= 0 else { throw .cannotCreate("cannot create '\(path)'", errno) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
        let failure = errno
        close(descriptor)
        if failure == EWOULDBLOCK || failure == EINTR { return nil }
        throw .inputOutput("cannot lock '\(path)': \(describe(errno: failure))")
      }
      // Whoever had it may have removed the file meanwhile.
      var (own, there) = (stat(), stat())
      if fstat(descriptor, &own) == 0, stat(path, &there) == 0, own.st_ino == there.st_ino, own.st_dev == there.st_dev {
        return descriptor
      }
      close(descriptor)
    }
  }

  /// Has a draft written soon. What was to be written before, and is not yet, is left out.
  func save(_ draft: ComposedDraft) {
    let starts = state.withLock { state in
      state.wanted = draft
      defer { state.isWriting = true }
      return !state.isWriting
    }
    guard starts else { return }
    let failure = startThread { [self] in write() }
    if failure != 0 {
      state.withLock { ($0.isWriting, $0.failure) = (false, "cannot start a thread: \(describe(errno: failure))") }
    }
  }

  /// Whether all of it is on disk.
  var isSaved: Bool { state.withLock { !$0.isWriting && $0.failure == nil } }

  /// Why it is not; `nil` if it is, or will be.
  var failure: String? { state.withLock { $0.failure } }

  private func write() {
    while true {
      let next = state.withLock { state in
        defer { state.wanted = nil }
        if state.wanted == nil { state.isWriting = false }
        return state.wanted
      }
      guard let next else { return }
      var failure: String?
      do throws(ToolError) {
        if next.isEmpty {
          unlink(path)
        } else {
          try StateFile.replace(path, with: next.bytes, isAlone: true)
          try Paths.syncDirectory(of: path)
        }
      } catch {
        failure = error.message ?? "it cannot be written"
      }
      state.withLock { $0.failure = failure }
    }
  }

  /// Waits until all is on disk: the screen is gone, or what comes next needs the file.
  func wait() { while state.withLock({ $0.isWriting }) { usleep(1_000) } }

  /// Removes the draft: it was posted, or thrown away.
  func remove() {
    wait()
    unlink(path)
    unlink(StateFile.temporaryName(of: path))
    leave()
  }

  /// Removes the lock of a file without a draft.
  private func leave() { if access(path, F_OK) != 0 { unlink(path + ".lock") } }

  /// The draft stays, for the next time.
  func keep() {
    wait()
    leave()
  }
}
