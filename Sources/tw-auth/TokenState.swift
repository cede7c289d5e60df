import TweetAccounts
import TweetCore

/// Whether an account's token works as far as this machine can say: no service is asked.
enum TokenState: Equatable {
  /// It does not expire.
  case lasting
  /// The tools renew it when it expires, at that time.
  case renewable(Timestamp?)
  /// At that time a person must sign in again: nothing renews it, or the service ends the sign-in.
  case expiring(Timestamp)
  /// It has expired, and a person must sign in again.
  case expired(Timestamp)
  /// A command prints it.
  case command
  case missing
  /// Its file cannot be used: the reason.
  case unreadable(String)

  init(of account: ServiceAccount, at now: Timestamp) {
    guard account.method.isRenewed else {
      switch account.token {
      case .text: self = .lasting
      case .command: self = .command
      case nil: self = .missing
      }
      return
    }
    do throws(ToolError) {
      guard let tokens = try TokenFile(account.name).read() else {
        self = .missing
        return
      }
      if let end = tokens.signInEndsAt {
        self = end <= now ? .expired(end) : .expiring(end)
      } else if tokens.refresh != nil {
        self = .renewable(tokens.expiresAt)
      } else if let end = tokens.expiresAt {
        self = end <= now ? .expired(end) : .expiring(end)
      } else {
        self = .lasting
      }
    } catch {
      self = .unreadable(error.message ?? "")
    }
  }

  /// As `tw-auth list` prints it.
  var word: String {
    switch self {
    case .lasting: "lasting"
    case .renewable: "renewable"
    case .expiring: "expiring"
    case .expired: "expired"
    case .command: "command"
    case .missing: "missing"
    case .unreadable: "unreadable"
    }
  }

  /// When the token expires; `nil` if it does not, or that is not known.
  var end: Timestamp? {
    switch self {
    case .renewable(let end): end
    case .expiring(let end), .expired(let end): end
    case .lasting, .command, .missing, .unreadable: nil
    }
  }
}
