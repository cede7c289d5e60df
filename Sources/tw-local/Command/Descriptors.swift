import Libc

/// The process's descriptors.
enum Descriptors {
  /// Looked at up to here: what a shell passes on is far below.
  private static let limit: Int32 = 1024

  /// Those open now, beside 0 to 2.
  static func open() -> Set<Int32> {
    Set((3..<limit).filter { fcntl($0, F_GETFD) >= 0 })
  }

  /// Keeps descriptors from commands: all that this process opened itself, libraries' included.
  static func closeOnExec(allBut inherited: Set<Int32>) {
    for descriptor in open().subtracting(inherited) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }
}
