import TweetCore
import TweetDisplay

/// `m3u`: a playlist of the music that tweets link to, in the form that players read (extended M3U, in UTF-8). What is
/// music is what tw-linkcheck found out; links that it found not to work are left out, and each address comes once.
struct PlaylistFormat: DocumentFormat, ~Copyable {
  private static let kinds: [StaticString] = ["music", "audio", "playlist"]
  /// This many addresses are remembered for certain.
  private var written = RecentKeys(capacity: 50_000)
  private var title = ByteBuffer(capacity: 512)

  mutating func begin(_ output: inout ByteBuffer) { output.append("#EXTM3U\n") }

  mutating func append(_ tweet: JSONValue, to output: inout ByteBuffer) {
    append(linksOf: tweet, to: &output)
    guard let references = tweet["referenced_tweets"] else { return }
    for reference in references.elements {
      if let type = reference["type"], type.equals("retweeted") || type.equals("quoted") {
        append(linksOf: reference, to: &output)
      }
    }
  }

  mutating func append(_ record: JSONValue, _ kind: OtherRecord, to output: inout ByteBuffer) {
    if kind == .link { append(link: record, to: &output) }
  }

  private mutating func append(linksOf tweet: JSONValue, to output: inout ByteBuffer) {
    guard let urls = tweet["entities"]?["urls"] else { return }
    for link in urls.elements { append(link: link, to: &output) }
  }

  private mutating func append(link: JSONValue, to output: inout ByteBuffer) {
    guard let kind = link["link_kind"], Self.kinds.contains(where: { kind.equals($0) }),
      link["verdict"]?.equals("ok") == true || link["verdict"]?.equals("moved") == true,
      let url = link["unwound_url"]?.nonEmptyString ?? link["expanded_url"]?.nonEmptyString
        ?? link["url"]?.nonEmptyString,
      // A line of a playlist is an address, or a comment.
      url.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }), !url.hasPrefix("#"), url.withBytes({ written.insert($0) })
    else { return }
    title.removeAll()
    let name = link["title"]?.nonEmptyString ?? link["card"]?["title"]?.nonEmptyString ?? url
    name.withBytes { title.append(visible: $0) }
    output.append("#EXTINF:-1,")
    title.withBytes { output.append($0) }
    output.append("\n")
    output.append(url)
    output.append("\n")
  }
}
