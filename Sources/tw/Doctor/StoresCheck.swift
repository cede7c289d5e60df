import Libc
import TweetCLI
import TweetCore
import TweetStore

/// The stores of tweets and of pictures, as far as a moment's look tells, and the room on their disk.
struct StoresCheck {
  let programs: Programs
  let path: String

  func findings() throws(ToolError) -> [Finding] {
    guard access(path, F_OK) == 0 else {
      let mend = "tw-cache source add '#swift'"
      return [.note(.store, "there is no store yet: '\(path)' is made when something is stored", mend: mend)] + disk()
    }
    guard let cache = programs.path(of: "cache") else { return disk() }
    let answer = try ProgramAnswer.of([cache, "check", "--quick", "--quiet"])
    guard let answer else { return [.fault(.store, "'\(cache)' cannot be run", mend: nil)] + disk() }
    return quick(answer) + disk()
  }

  private func quick(_ answer: ProgramAnswer) -> [Finding] {
    let media = Paths.mediaStore(besides: path)
    let (ofMedia, ofStore) = (
      answer.lines.filter { $0.hasPrefix("'\(media)'") }, answer.lines.filter { !$0.hasPrefix("'\(media)'") }
    )
    // All in it can be fetched again.
    var found: [Finding] = ofMedia.map {
      .fault(.store, $0, mend: "mv \(shellWord(media)) \(shellWord(media + ".old"))")
    }
    switch answer.ending {
    case .exited(0): break
    case .exited(1):
      if let first = ofStore.first {
        let more = ofStore.count > 1 ? ", and \(ofStore.count - 1) faults more" : ""
        found.append(.fault(.store, "'\(path)': \(first)\(more)", mend: "tw-cache check --repair"))
      }
    case .exited(75): found.append(locked(answer.reason))
    // Another program's file, or another version's: it is theirs.
    case .exited(65), .exited(78):
      let isDatabase = answer.reason.contains(" is a database, but ")
      let isDamaged = answer.ending == .exited(65) && !isDatabase
      let mend = isDamaged ? "tw-cache check --repair" : "mv \(shellWord(path)) \(shellWord(path + ".old"))"
      found.append(.fault(.store, answer.reason, mend: mend))
    case .exited(66): found.append(.fault(.store, answer.reason, mend: "tw-cache add < /dev/null"))
    default: found.append(.fault(.store, answer.reason, mend: "tw-cache check --repair"))
    }
    if found.isEmpty, let fault = unwritable() { found.append(fault) }
    if found.isEmpty {
      found.append(
        .ok(.store, "'\(path)', \(size(path)), looks sound; 'tw-cache check' reads all of it"))
    }
    return found
  }

  /// Why nothing can be stored: the disk, the folder or a file must not be written.
  private func unwritable() -> Finding? {
    let real = Paths.real(path) ?? path
    let folder = Paths.folder(of: real)
    for file in [folder, real, real + ".lock", real + "-wal"] where access(file, F_OK) == 0 && access(file, W_OK) != 0 {
      let fault = errno
      let mend =
        fault == EROFS
        ? "\(SystemPrograms.asRoot)mount -o remount,rw \"$(df -P \(shellWord(folder)) | awk 'END { print $6 }')\""
        : "chmod u+w \(shellWord(file))"
      return .fault(.store, "'\(file)' cannot be written: \(describe(errno: fault))", mend: mend)
    }
    return nil
  }

  /// A program that keeps the lock was stopped, or hangs.
  private func locked(_ reason: String) -> Finding {
    let lock = (Paths.real(path) ?? path) + ".lock"
    guard let holder = LockHolder.first(of: lock) else {
      return .fault(.store, reason, mend: "fuser -v \(shellWord(lock))")
    }
    let mend = holder.isStopped ? "kill -CONT \(holder.process)" : "kill \(holder.process)"
    return .fault(
      .store, "\(reason): '\(holder.name)', process \(holder.process)" + (holder.isStopped ? ", which is stopped" : ""),
      mend: mend)
  }

  // MARK: The disk

  /// With less than this a day of sources may not fit.
  private static let least: UInt64 = 100 << 20

  private func disk() -> [Finding] {
    var folder = path
    // Where nothing is stored yet, the folder is still to be made.
    while access(folder, F_OK) != 0 || stat(of: folder)?.isFolder == false, folder.contains("/") {
      folder = Paths.folder(of: folder)
    }
    var status = statvfs()
    guard statvfs(folder, &status) == 0 else { return [] }
    let free = UInt64(status.f_bavail) * UInt64(status.f_frsize)
    if free < Pruning.leastRoom {
      return [
        .fault(
          .disk,
          "\(Self.amount(free)) are free at '\(folder)', and 'tw-cache prune' needs \(Pruning.leastRoom >> 20) MB itself: make room otherwise",
          mend: "du -xk \(shellWord(folder)) | sort -n | tail")
      ]
    }
    if free < Self.least {
      return [
        .fault(
          .disk, "\(Self.amount(free)) are free at '\(folder)'", mend: "tw-cache prune --older-than 1y")
      ]
    }
    let stored = Self.bytes(path)
    if stored > free {
      return [
        .note(
          .disk,
          "\(Self.amount(free)) are free at '\(folder)': too little for a second store of \(Self.amount(stored)), "
            + "which a backup or a repair makes", mend: "tw-cache prune --older-than 1y")
      ]
    }
    return [.ok(.disk, "\(Self.amount(free)) are free at '\(folder)'")]
  }

  private func size(_ path: String) -> String { Self.amount(Self.bytes(path)) }

  /// Of a database and its log.
  private static func bytes(_ path: String) -> UInt64 {
    ["", "-wal"].reduce(0) { $0 + UInt64(stat(of: path + $1)?.size ?? 0) }
  }

  private static func amount(_ bytes: UInt64) -> String {
    bytes >= 10 << 30 ? "\(bytes >> 30) GiB" : bytes >= 10 << 20 ? "\(bytes >> 20) MiB" : "\(bytes >> 10) KiB"
  }
}

/// A program that has a file open; Linux says which.
struct LockHolder {
  let process: Int
  let name: String
  let isStopped: Bool

  /// The one that has had it open longest, and is not this one.
  static func first(of path: String) -> LockHolder? {
    let processes = (Directory.names(in: "/proc") ?? []).compactMap { Int($0) }.sorted()
    for process in processes where process != Int(getpid()) {
      let folder = "/proc/\(process)/fd"
      let files = Directory.names(in: folder) ?? []
      guard files.contains(where: { Paths.linkTarget(of: "\(folder)/\($0)") == path }) else { continue }
      // `PID (NAME) STATE …`; a name may have any character (proc(5)).
      let text = String(decoding: (try? StateFile.read("/proc/\(process)/stat")) ?? [], as: UTF8.self)
      guard let open = text.firstIndex(of: "("), let close = text.lastIndex(of: ")") else { continue }
      let state = text[text.index(after: close)...].split(separator: " ").first
      return LockHolder(
        process: process, name: String(text[text.index(after: open)..<close]), isStopped: state == "T" || state == "t")
    }
    return nil
  }
}
