import TweetCore
import TweetDisplay

/// Who wrote a tweet, and when: names, profiles, times, the tweet's own address.
extension TweetMarkup {
  /// Appends the author's name, linked to the profile, and the user name: an h-card.
  mutating func appendAuthor(_ tweet: TweetFields, to output: inout ByteBuffer) {
    append(author: tweet.author, as: "p-author h-card", to: &output)
  }

  /// - Parameter role: classes for the h-card.
  mutating func append(author: AuthorFields, as role: StaticString, to output: inout ByteBuffer) {
    output.append("<span class=\"")
    output.append(role)
    output.append("\">")
    let isLinked = setProfile(author)
    if isLinked { openLink("p-name u-url", to: &output) } else { output.append("<span class=\"p-name\">") }
    output.append("<bdi>")
    appendName(author, to: &output)
    output.append("</bdi>")
    output.append(isLinked ? "</a>" : "</span>")
    if author.isVerified {
      output.append("<span class=\"verified\" title=\"")
      locale.append(.verified, to: &output)
      output.append("\">\u{A0}✓</span>")
    }
    if let username = author.username, !username.rawString.isEmpty {
      output.append(" <bdi class=\"handle\">@<span class=\"p-nickname\">")
      appendName(username, to: &output)
      output.append("</span></bdi>")
    }
    output.append("</span>")
  }

  /// Makes `address` that of the profile.
  private mutating func setProfile(_ author: AuthorFields) -> Bool {
    address.removeAll()
    return addresses.appendProfile(decoder.decode(author.username), to: &address)
  }

  /// Appends a profile's address, as markup.
  /// - Returns: whether there is one that may be linked; if not, nothing was appended.
  mutating func appendProfile(_ author: AuthorFields, to output: inout ByteBuffer) -> Bool {
    guard setProfile(author) else { return false }
    address.withBytes { output.append(markup: $0) }
    return true
  }

  /// The same as plain text.
  mutating func appendPlainProfile(_ author: AuthorFields, to output: inout ByteBuffer) -> Bool {
    guard setProfile(author) else { return false }
    address.withBytes { output.append($0) }
    return true
  }

  /// Appends the display name; without one, the user name or the id.
  mutating func appendName(_ author: AuthorFields, to output: inout ByteBuffer) {
    for name in [author.name, author.username, author.id] {
      guard let name, name.rawString.contains(where: { $0 > 0x20 }) else { continue }
      return appendName(name, to: &output)
    }
    output.append("unknown")
  }

  /// Appends `Jane Smith (@jane)`, as markup.
  mutating func appendFullName(_ author: AuthorFields, to output: inout ByteBuffer) {
    var name = ByteBuffer(capacity: 128)
    appendPlainFullName(author, to: &name)
    name.withBytes { output.append(markup: $0) }
  }

  /// The same as plain text on one line.
  mutating func appendPlainFullName(_ author: AuthorFields, to output: inout ByteBuffer) {
    let start = output.count
    output.append(visible: decoder.decode(author.name, limit: 1024))
    if output.withBytes({ bytes in bytes[start...].allSatisfy { $0 <= 0x20 } }) { output.truncate(to: start) }
    guard let username = author.username, !username.rawString.isEmpty else {
      if output.count == start { output.append("unknown") }
      return
    }
    let hasName = output.count > start
    output.append(hasName ? " (@" : "@")
    output.append(visible: decoder.decode(username, limit: 1024))
    if hasName { output.append(")") }
  }

  private mutating func appendName(_ name: JSONValue, to output: inout ByteBuffer) {
    output.append(markup: decoder.decode(name, limit: 1024), newline: " ")
  }

  /// Appends the tweet's time, linked to the tweet.
  /// - Parameter isElsewhere: whether it is linked to its service, also if the site has it.
  mutating func appendTime(_ tweet: TweetFields, isElsewhere: Bool = true, to output: inout ByteBuffer) {
    guard let time = tweet.createdAt, time.date.year > 0 else { return }
    output.append(" ")
    var isLinked = setTweet(tweet)
    if !isElsewhere, isLinked {
      let elsewhere = address.array
      isLinked = elsewhere.withBytes { setLink($0) }
    }
    if isLinked { openLink("u-url", to: &output) }
    output.append("<time class=\"dt-published\" datetime=\"")
    output.append(time)
    output.append("\">")
    locale.appendLasting(time, to: &output)
    output.append("</time>")
    if isLinked { output.append("</a>") }
  }

  /// Makes `address` that of a tweet: its own, else the one that its service gives such ids.
  private mutating func setTweet(_ tweet: TweetFields) -> Bool {
    if let url = tweet.url, setAddress(decoder.decode(url, limit: .max)) { return true }
    return setTweet(tweet.id, by: tweet.author.username)
  }

  private mutating func setTweet(_ id: JSONValue?, by username: JSONValue?) -> Bool {
    address.removeAll()
    // One decoder holds one text.
    shown.removeAll()
    shown.append(decoder.decode(username))
    let name = shown.withBytes { $0 }
    return addresses.appendTweet(decoder.decode(id), by: name, to: &address)
  }

  /// Appends a tweet's address, as markup.
  /// - Returns: whether it has one that may be linked; if not, nothing was appended.
  mutating func appendAddress(of tweet: TweetFields, to output: inout ByteBuffer) -> Bool {
    guard setTweet(tweet) else { return false }
    address.withBytes { output.append(markup: $0) }
    return true
  }

  /// The same as plain text.
  mutating func appendPlainAddress(of tweet: TweetFields, to output: inout ByteBuffer) -> Bool {
    guard setTweet(tweet) else { return false }
    address.withBytes { output.append($0) }
    return true
  }

  /// Appends what a feed shows of a tweet: its content; of a retweet whom it repeats, and that tweet's content.
  mutating func appendEntry(_ tweet: TweetFields, to output: inout ByteBuffer) {
    guard let original = tweet.retweeted else {
      parts.read(tweet)
      return appendContent(to: &output)
    }
    output.append("<p>↻ ")
    appendAuthor(original, to: &output)
    appendTime(original, to: &output)
    output.append("</p>\n")
    parts.read(original, in: tweet)
    appendContent(to: &output)
  }
}
