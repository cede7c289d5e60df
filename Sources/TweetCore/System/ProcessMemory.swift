import CProcess

/// The memory of this process.
package enum ProcessMemory {
  /// Hides it from core files and from other processes of the user, once. ``Secret`` calls this; only a program that
  /// has secrets in other forms must call it itself.
  package static func hide() { _ = isHidden }

  /// Lets malloc(3) give blocks of 4 MiB and more back to the system when they are freed, for a program that copies
  /// long records. The GNU C library keeps them once one of their size was freed (M_MMAP_THRESHOLD in mallopt(3));
  /// others have no such rule.
  package static func giveLargeBlocksBack() { tw_give_back(4 << 20) }

  /// Whether it is hidden. prctl(2) and setrlimit(2) refuse nothing of this; where a sandbox does, the program goes on
  /// as programs without this do.
  private static let isHidden = tw_hide_memory() == 0
}
