import Libc
package import TweetCore

/// Ends the process with a status of tw(7).
package func exitProcess(_ status: ExitStatus) -> Never {
  exit(status.rawValue)
}
