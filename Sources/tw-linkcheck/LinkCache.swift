import TweetCore
import TweetStore

/// The results of earlier runs, in the store of pictures and links.
///
/// It is a class because Swift cannot borrow an optional noncopyable store in place.
final class LinkCache {
  private let media: MediaStore
  private let maxAge: Int
  private let accepted: Set<Int>

  /// - Parameters:
  ///   - path: of the store, which is created when it is missing.
  ///   - maxAge: how long a verdict is used again, in milliseconds; `Int.max` for always.
  ///   - accepted: statuses that make a link `ok` in this run, and only in runs that say so.
  init(path: String, maxAge: Int, accepted: Set<Int> = []) throws(ToolError) {
    media = try MediaStore(path)
    self.accepted = accepted
    self.maxAge = maxAge
  }

  /// The last result for `url`; `nil` when it is too old, or has no title although a page's title is wanted.
  func find(_ url: String, withTitle: Bool) throws(ToolError) -> LinkResult? {
    guard let stored = try media.link(url), let verdict = LinkVerdict(rawValue: stored.verdict) else { return nil }
    let age = Timestamp.shown.milliseconds - stored.checkedAt.milliseconds
    guard maxAge == .max || age < min(maxAge, verdict.lifetime ?? maxAge) else { return nil }
    if let status = stored.status, accepted.contains(status), verdict != .ok { return nil }
    if withTitle, verdict == .ok, stored.title == nil, ContentType(stored.contentType)?.isPage == true { return nil }
    return LinkResult(
      url: url, unwoundURL: stored.unwoundURL ?? url, status: stored.status, contentType: stored.contentType,
      title: withTitle ? stored.title : nil, verdict: verdict, error: stored.error,
      chain: stored.chain.flatMap(LinkChain.decode) ?? [], redirects: stored.redirects, checkedAt: stored.checkedAt)
  }

  /// Stores results, except those that say more about this run than about the link.
  func store(_ results: [LinkResult]) throws(ToolError) {
    let kept = results.filter {
      $0.verdict != .unknown && $0.error != LinkFailure.privateAddress && !accepted.contains($0.status ?? 0)
    }
    try media.store(
      kept.map { result in
        let finding = LinkKind.find(result)
        return StoredLink(
          url: result.url, unwoundURL: result.unwoundURL, status: result.status, contentType: result.contentType,
          title: result.title, verdict: result.verdict.rawValue, linkKind: finding?.kind.rawValue,
          linkKindBy: finding?.evidence.rawValue, musicID: LinkRecord.musicID(of: result, finding),
          canonicalURL: CanonicalURL.make(result.unwoundURL), redirects: result.redirects,
          chain: String(decoding: LinkChain.encode(result.chain), as: UTF8.self), checkedAt: result.checkedAt,
          error: result.error)
      })
  }
}
