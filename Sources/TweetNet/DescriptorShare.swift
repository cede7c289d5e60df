import Libc
import TweetCore

/// How the descriptors that a process may open are shared out, so that no request fails for want of one.
struct DescriptorShare: Equatable {
  /// How many transfers may run at the same time.
  let transfers: Int
  /// How many connections libcurl keeps, those in use included (CURLMOPT_MAXCONNECTS(3)).
  let connections: Int
  /// How many names may be looked up at the same time.
  let resolverThreads: Int

  /// What one look-up of a name opens at once: /etc/hosts or a socket to a name server, and a socket of the C library
  /// that learns of this machine's addresses; one more for a list of modules.
  private static let perThread = 3
  private static let maxThreads = 256
  /// What else a tool opens in its life: input, stores, locks, pipes, files of certificate authorities.
  private static let reserve = 32

  /// - Parameters:
  ///   - wanted: how many transfers shall run at the same time, at least 1.
  ///   - descriptors: how many more may be opened in the process.
  init(transfers wanted: Int, descriptors: Int) {
    let free = max(4, descriptors - Self.reserve)
    resolverThreads = max(1, min(Self.maxThreads, free / 8))
    let sockets = free - resolverThreads * Self.perThread
    // While a transfer connects it tries an IPv6 and an IPv4 address at the same time (RFC 8305); a third socket is the
    // idle connection of one that ended.
    transfers = max(1, min(wanted, sockets / 3))
    // libcurl's own choice, four times as many connections as transfers, where they have room.
    connections = max(transfers, min(4 * transfers, sockets - transfers))
  }

  /// Many look-ups need many descriptors. The usual limit is 1024 for the sake of select(2), which nothing here uses;
  /// what the system lets the process have beyond that is more.
  static func raiseLimit() {
    var limit = rlimit()
    guard getrlimit(openFilesLimit, &limit) == 0, limit.rlim_cur < wantedLimit, limit.rlim_cur < limit.rlim_max else {
      return
    }
    limit.rlim_cur = min(limit.rlim_max, wantedLimit)
    _ = setrlimit(openFilesLimit, &limit)
  }

  private static let wantedLimit: rlim_t = 4096

  /// How many descriptors may be opened: the process's limit (getrlimit(2)) without those that are open. Of these, only
  /// small numbers are counted, which decide where the limit is low.
  static var available: Int {
    var limit = rlimit()
    guard getrlimit(openFilesLimit, &limit) == 0 else { return 128 }
    let most = Int(clamping: limit.rlim_cur)
    return most - (0..<Int32(min(most, 1024))).count { fcntl($0, F_GETFD) >= 0 }
  }
}
