import TweetCore
import TweetStore

/// The verdicts of earlier runs, kept in the store of pictures and links.
///
/// A class only because an optional store that cannot be copied cannot be borrowed in place.
final class LinkCache {
  /// How long what may pass is believed, in milliseconds.
  private static let failureAge = 3_600_000

  private let media: MediaStore
  private let maxAge: Int

  /// - Parameters:
  ///   - path: of the store, made where it is missing.
  ///   - maxAge: how long a verdict is believed, in milliseconds.
  init(path: String, maxAge: Int) throws(ToolError) {
    media = try MediaStore(path)
    self.maxAge = maxAge
  }

  /// The last result for `url`, unless it is too old, or a title is asked for that was not looked for then.
  func find(_ url: String, withTitle: Bool) throws(ToolError) -> LinkResult? {
    guard let stored = try media.link(url), let verdict = LinkVerdict(rawValue: stored.verdict) else { return nil }
    let age = Timestamp.shown.milliseconds - stored.checkedAt.milliseconds
    guard age < (verdict.isLasting ? maxAge : min(maxAge, Self.failureAge)) else { return nil }
    if withTitle, verdict == .ok, stored.title == nil, ContentType(stored.contentType)?.isPage == true { return nil }
    return LinkResult(
      url: url, unwoundURL: stored.unwoundURL ?? url, status: stored.status, contentType: stored.contentType,
      title: withTitle ? stored.title : nil, verdict: verdict, error: stored.error,
      chain: stored.chain.flatMap(LinkChain.decode) ?? [], redirects: stored.redirects, checkedAt: stored.checkedAt)
  }

  /// Keeps results. Those that say more about this run than about the link are left out.
  func store(_ results: [LinkResult]) throws(ToolError) {
    let kept = results.filter { $0.verdict != .unknown && $0.error != LinkFailure.privateAddress }
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
