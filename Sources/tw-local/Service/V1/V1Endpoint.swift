/// What this service answers below `/1.1`.
enum V1Endpoint: Hashable, Sendable, CaseIterable {
  case filter, sample, search
  case home, user, mentions, list
  case show, lookup, userShow, userLookup, credentials

  /// Requests in a window: X's limits per user.
  var limit: Int {
    switch self {
    case .home: 15
    case .filter, .sample: 50
    case .mentions, .credentials: 75
    case .search: 180
    case .user, .list, .show, .lookup, .userShow, .userLookup: 900
    }
  }

  var methods: [String] { [.filter, .lookup, .userLookup].contains(self) ? ["GET", "POST"] : ["GET"] }

  var path: String {
    switch self {
    case .filter: "/1.1/statuses/filter.json"
    case .sample: "/1.1/statuses/sample.json"
    case .search: "/1.1/search/tweets.json"
    case .home: "/1.1/statuses/home_timeline.json"
    case .user: "/1.1/statuses/user_timeline.json"
    case .mentions: "/1.1/statuses/mentions_timeline.json"
    case .list: "/1.1/lists/statuses.json"
    case .show: "/1.1/statuses/show.json"
    case .lookup: "/1.1/statuses/lookup.json"
    case .userShow: "/1.1/users/show.json"
    case .userLookup: "/1.1/users/lookup.json"
    case .credentials: "/1.1/account/verify_credentials.json"
    }
  }
}
