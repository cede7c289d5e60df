/// The address by which a post is known on all servers and networks that have it. Two records with one address are
/// copies of one post: seen through two instances of the fediverse, carried to another network by Bridgy Fed, posted at
/// several services at once by tw-post, or a retweet of it.
///
/// Other posts on X have none: each is there once, and programs count its retweets.
package enum CanonicalAddress {
  /// - Parameters: the members of a tweet; `url`, `extra` and `references` (`referenced_tweets`) may be missing.
  /// - Returns: `nil` if the service has no copies, or the record does not say where the post is.
  package static func of(
    service: JSONValue?, id: JSONValue?, url: JSONValue?, extra: JSONValue?, references: JSONValue?
  ) -> String? {
    guard let service else { return nil }
    guard hasCopies(service) else { return extra?[crosspost]?.nonEmptyString }
    if let inner = references?.firstRetweeted {
      return address(id: inner["id"], url: inner["url"], extra: inner["extra"])
    }
    return address(id: id, url: url, extra: extra)
  }

  /// The address of a whole tweet.
  package static func of(_ tweet: JSONValue) -> String? {
    guard let service = tweet["service"] else { return nil }
    return of(
      service: service, id: tweet["id"], url: tweet["url"], extra: tweet["extra"],
      references: tweet["referenced_tweets"])
  }

  /// What tw-post says in `extra` of the copies of a crosspost: the address that all of them have. No service says it:
  /// records that are made of a service's answers leave out a member of this name.
  package static let crosspost: StaticString = "same_as"

  private static func hasCopies(_ service: JSONValue) -> Bool {
    service.equals("bluesky") || service.rawString.starts(with: "mastodon:".utf8)
  }

  private static func address(id: JSONValue?, url: JSONValue?, extra: JSONValue?) -> String? {
    if let shared = extra?[crosspost]?.nonEmptyString { return shared }
    if let id, id.rawString.starts(with: "at://".utf8) {
      // The page of what was carried to Bluesky, or its id if it has no page (bridgy-fed, atproto.py, `orig_url`).
      return extra?["record"]?["bridgyOriginalUrl"]?.nonEmptyString.map(original) ?? id.string
    }
    let page = url?.nonEmptyString
    guard let uri = extra?["uri"]?.nonEmptyString else { return page.map(original) }
    let carried = original(uri)
    if carried != uri { return carried }
    // Mastodon and GoToSocial give a status the page `/@ann/7` beside the id `/users/ann/statuses/7`. The page is what
    // a bridge names. Other servers have a page that is known to themselves alone, and an id that all know. An author
    // writes the page, and the server the id: on another host it may be anybody's.
    guard let page, uri.contains("/statuses/"), host(of: uri) == host(of: page) else { return uri }
    return page
  }

  private static func host(of address: String) -> Substring? {
    let parts = address.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
    return parts.count == 4 && parts[1].isEmpty ? parts[2] : nil
  }

  /// What an address of Bridgy Fed stands for; any other address is itself. It wraps ids of other networks as
  /// `/convert/ap/ID` and pages as `/r/URL`, on a host for each network (bridgy-fed, ids.py, `translate_object_id`;
  /// domains.py, `redirect_wrap`).
  private static func original(_ address: String) -> String {
    guard address.hasPrefix("https://"), let host = host(of: address), host.hasSuffix(".brid.gy") else {
      return address
    }
    let path = address.dropFirst("https://".count + host.count)
    for wrapping in ["/convert/ap/", "/convert/web/", "/r/"] where path.hasPrefix(wrapping) {
      let inner = path.dropFirst(wrapping.count)
      if inner.hasPrefix("at://") || inner.hasPrefix("https://") || inner.hasPrefix("http://") { return String(inner) }
    }
    return address
  }
}
