import Libc

/// The descriptors of this process.
enum Descriptors {
  /// Descriptors from here on are not looked at; those that a shell passes on are far below.
  private static let limit: Int32 = 1024

  /// Those that are open, without 0 to 2.
  static func open() -> Set<Int32> {
    Set((3..<limit).filter { fcntl($0, F_GETFD) >= 0 })
  }

  /// Marks those that this process has opened, also in libraries, so that commands do not inherit them.
  /// - Parameter inherited: those that were open when this process started.
  static func closeOnExec(except inherited: Set<Int32>) {
    for descriptor in open().subtracting(inherited) { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
  }
}
