import TweetCore
import TweetDisplay
import TweetStore

/// People: their profiles, and whom the account follows.
extension Browser {
  /// Shows the profile of who wrote the tweet under the cursor, or did what a notification tells, above their posts.
  func showProfile() {
    guard let person = selectedPerson else { return screen.message = "nobody is under the cursor" }
    var query = TweetQuery()
    (query.authors, query.service) = ([person.username], person.service)
    push("@" + person.username, .query(query))
    screen.heads[screen.list.id] = person
    reader.ask(.profile(service: person.service, id: person.id))
  }

  /// The person of the profile that is shown, else of what is under the cursor.
  private var selectedPerson: ProfileHead? {
    guard let key = screen.list.selected, let entry = records.entry(key) else { return screen.heads[screen.list.id] }
    if let notification = entry.notification {
      return Self.person(notification["user"], of: notification["service"]?.string)
    }
    guard let tweet = entry.document else { return nil }
    let original = tweet["referenced_tweets"]?.elements.first { $0["type"]?.equals("retweeted") == true }
    let service = tweet["service"]?.string
    return Self.person(original?["author"], of: service) ?? Self.person(tweet["author"], of: service)
  }

  private static func person(_ profile: JSONDocument?, of service: String?) -> ProfileHead? {
    guard let service, let id = profile?["id"]?.string, let name = profile?["username"]?.string else { return nil }
    return ProfileHead(service: service, id: id, username: name, target: profile?["url"]?.string ?? name)
  }

  /// Takes a profile from the store. One that says no more than a post does is asked of the service, once.
  func take(profile record: [UInt8]?, service: String, id: String) {
    for (list, var head) in screen.heads where head.service == service && head.id == id {
      // A stored record is sound JSON; what is not is shown as a profile that is not there.
      head.record = record.flatMap { try? JSONDocument($0) }
      if head.isBare, !head.isAsked, isRefreshing {
        head.isAsked = true
        start([tools.person(head.source)]) { [weak self] ending, command in
          if ending != .exited(0) { self?.screen.message = command.lastWords ?? "the profile could not be fetched" }
          self?.reader.ask(.profile(service: service, id: id))
        }
      }
      screen.heads[list] = head
    }
  }

  /// Follows who is under the cursor, or whose profile is shown, or stops it if this was done here.
  func follow() {
    guard let person = screen.heads[screen.list.id] ?? selectedPerson else {
      return screen.message = "nobody is under the cursor"
    }
    let isFollowed = screen.followed[person.target] == true
    perform(Act(verb: isFollowed ? "unfollow" : "follow", target: person.target, service: person.service))
  }
}
