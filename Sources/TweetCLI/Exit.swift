package import TweetCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Ends the process with a status of the kit's table.
package func exitProcess(_ status: ExitStatus) -> Never {
  exit(status.rawValue)
}
