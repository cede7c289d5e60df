import TweetCore

/// People: their profiles, and whom the account follows.
final class People {
  private unowned let model: BrowseModel

  init(_ model: BrowseModel) { self.model = model }

  /// Shows the profile of who wrote the tweet under the cursor, or did what a notification tells, above their posts.
  func showProfile() {
    guard let person = selected else { return model.say("nobody is under the cursor") }
    model.show(author: person.username, at: person.service)
    model.state.heads[model.state.list.id] = person
    model.ask(.profile(service: person.service, id: person.id))
  }

  /// Follows who is under the cursor, or whose profile is shown, or stops it if this was done here.
  func follow() {
    guard let person = model.state.heads[model.state.list.id] ?? selected else {
      return model.say("nobody is under the cursor")
    }
    model.acts.follow(person.target, at: person.service)
  }

  /// The person of the profile that is shown, else of what is under the cursor.
  private var selected: ProfileHead? {
    guard let entry = model.selectedEntry else { return model.state.heads[model.state.list.id] }
    if let notification = entry.notification {
      return ProfileHead(notification["user"], of: notification["service"]?.string)
    }
    guard let tweet = entry.document else { return nil }
    let original = tweet["referenced_tweets"]?.elements.first { $0["type"]?.equals("retweeted") == true }
    let service = tweet["service"]?.string
    return ProfileHead(original?["author"], of: service) ?? ProfileHead(tweet["author"], of: service)
  }

  /// Takes a profile from the store. One that says no more than a post does is asked of the service, once.
  func take(_ record: [UInt8]?, service: String, id: String) {
    for (list, var head) in model.state.heads where head.service == service && head.id == id {
      // A stored record is sound JSON; what is not is shown as a profile that is not there.
      head.record = record.flatMap { try? JSONDocument($0) }
      if head.isBare, !head.isAsked, model.isRefreshing {
        head.isAsked = true
        model.start([model.tools.person(head.source)]) { [weak self] ending, command in
          if ending != .exited(0) { self?.model.tell(command.lastWords ?? "the profile could not be fetched") }
          self?.model.ask(.profile(service: service, id: id))
        }
      }
      model.state.heads[list] = head
    }
  }
}

/// The person whose posts a list has, as far as the store knows them.
struct ProfileHead {
  let service: String
  let id: String
  let username: String
  /// What tw-post is given to follow them.
  let target: String
  /// The stored `user` record.
  var record: JSONDocument?
  /// Whether their profile was asked of the service.
  var isAsked = false

  /// Whether the record has no more than a post tells of its author.
  var isBare: Bool {
    guard let record else { return true }
    return record["description"] == nil && record["public_metrics"] == nil
  }

  /// The source that brings their posts, and their profile with these: `SERVICE:@NAME`.
  var source: String {
    let parts = service.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return "\(service):@\(username)" }
    return "\(parts[0]):@\(username)\(username.contains("@") ? "" : "@\(parts[1])")"
  }
}

extension ProfileHead {
  /// - Parameter profile: an author or a `user` record; `nil` if it does not say who that is.
  init?(_ profile: JSONDocument?, of service: String?) {
    guard let service, let id = profile?["id"]?.string, let name = profile?["username"]?.string else { return nil }
    self.init(service: service, id: id, username: name, target: profile?["url"]?.string ?? name)
  }
}
