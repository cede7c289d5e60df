import TweetCLI
import TweetCore
import TweetNet
import TweetStore

/// The profiles in the tweet store: a service gives a new picture a new address, and the store may have seen it
/// already.
final class NewestProfiles {
  private enum State {
    case unopened
    case none
    case open(Store)
  }

  /// Swift cannot borrow a noncopyable store within an enumeration in place.
  private final class Store {
    let tweets: TweetStore

    init(_ path: String) throws(ToolError) { tweets = try TweetStore(path, .readOnly) }
  }

  private let path: String
  private var state = State.unopened

  /// - Parameter path: of the tweet store, which need not be there. It is opened when a profile is first wanted.
  init(path: String) { self.path = path }

  /// The address of a user's picture in the newest stored profile; `nil` if none is known.
  func pictureURL(of user: AvatarRecord.Owner) -> String? {
    guard let store = opened() else { return nil }
    do throws(ToolError) {
      guard let record = try store.tweets.user(service: user.service, id: user.id) else { return nil }
      return Self.pictureURL(record)
    } catch {
      giveUp(error)
      return nil
    }
  }

  private static func pictureURL(_ record: [UInt8]) -> String? {
    guard let document = try? JSONDocument(record) else { return nil }
    return document["profile_image_url"]?.nonEmptyString.map(WebAddress.withoutCredentials)
  }

  private func opened() -> Store? {
    switch state {
    case .none: return nil
    case .open(let store): return store
    case .unopened:
      state = .none
      guard TweetStore.exists(path) else { return nil }
      do throws(ToolError) {
        let store = try Store(path)
        state = .open(store)
        return store
      } catch {
        giveUp(error)
        return nil
      }
    }
  }

  /// A picture that is gone is shown by initials: no reason to end.
  private func giveUp(_ error: ToolError) {
    state = .none
    Diagnostics.warn("no newer profiles: \(error.message ?? "")")
  }
}
