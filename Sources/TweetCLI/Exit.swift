import Libc
package import TweetCore

/// Ends the process with a status of the kit's table.
package func exitProcess(_ status: ExitStatus) -> Never {
  exit(status.rawValue)
}
