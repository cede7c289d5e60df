import Foundation

/// What the tools were built with (`TW_SANITIZER`, which `.ci/sanitize` sets).
package enum Sanitizer {
  /// `address`, `thread`, or `nil` for none.
  package static let name = ProcessInfo.processInfo.environment["TW_SANITIZER"]

  /// Whether a tool may run under `ulimit -f`. ThreadSanitizer cannot start with it: it writes a file of its own.
  package static let allowsFileLimits = name != "thread"

  /// How much longer a tool may take because of it. ThreadSanitizer's manual speaks of 5 to 15 times.
  package static let slowness: Double = name == nil ? 1 : 10
}
