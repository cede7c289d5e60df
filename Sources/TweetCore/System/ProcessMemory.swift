import CProcess

/// The memory of this process.
package enum ProcessMemory {
  /// Hides it from core files and from other processes of the user, once. ``Secret`` calls this; only a program that has
  /// secrets in other forms must call it itself.
  package static func hide() { _ = isHidden }

  /// Whether it is hidden. prctl(2) and setrlimit(2) refuse nothing of this; where a sandbox does, the program goes on as
  /// programs without this do.
  private static let isHidden = tw_hide_memory() == 0
}
