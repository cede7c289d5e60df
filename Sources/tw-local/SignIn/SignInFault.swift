import TweetCore

/// Why a person cannot sign in or sign up.
enum SignInFault: Error {
  case wrongPassword
  case tooManyTries(seconds: Int)
  case badName
  case badPassword
  case nameTaken
  case tooManyAccounts
  /// Too many people sign in at once.
  case busy
  /// The store, or libcrypto, has failed.
  case failed(String)

  init(_ error: ToolError) { self = .failed(error.message ?? "unknown error") }

  var status: Int {
    switch self {
    case .wrongPassword: 403
    case .tooManyTries: 429
    case .badName, .badPassword: 400
    case .nameTaken: 409
    case .tooManyAccounts, .busy, .failed: 503
    }
  }

  var message: String {
    switch self {
    case .wrongPassword: "The user name or the password is wrong."
    case .tooManyTries(let seconds): "Too many tries. Try again in \((seconds + 59) / 60) min."
    case .badName: "A user name has 1 to 15 letters, digits or underscores."
    case .badPassword: "A password has 8 to 128 bytes."
    case .nameTaken: "There is an account of this name already."
    case .tooManyAccounts: "This service has no room for more accounts."
    case .busy: "Too many people sign in at once. Try again."
    case .failed(let message): "The service failed: \(message)"
    }
  }

  /// Seconds until a try can succeed.
  var retryAfter: Int? {
    switch self {
    case .tooManyTries(let seconds): seconds
    case .busy: 2
    default: nil
    }
  }
}
