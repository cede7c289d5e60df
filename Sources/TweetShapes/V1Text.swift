import TweetCore

/// The text of X API v1.1's tweets, and the name of the program that posted them.
extension TweetMapper {
  /// Appends the whole text; of a retweet that of the tweet that it repeats.
  /// - Returns: how offsets of entities move.
  mutating func appendV1Text(
    of tweet: JSONValue, _ fields: Fields<V1TweetKey>, extended: JSONValue?, retweeted: V1Retweeted?,
    to out: inout ByteBuffer
  ) -> OffsetShift {
    if let retweeted, let name = arena.value(retweeted.fields, .user, in: retweeted.tweet)?["screen_name"],
      name.isString
    {
      out.append("RT @")
      out.append(knownInside: name.rawString)
      out.append(": ")
      let extended = arena.value(retweeted.fields, .extendedTweet, in: retweeted.tweet)
      var shift = append(textOf: retweeted.tweet, retweeted.fields, extended: extended, to: &out)
      shift.prefix = 6 + name.rawString.scalarCount
      return shift
    }
    return append(textOf: tweet, fields, extended: extended, to: &out)
  }

  private func append(
    textOf tweet: JSONValue, _ fields: Fields<V1TweetKey>, extended: JSONValue?, to out: inout ByteBuffer
  ) -> OffsetShift {
    let source =
      extended?["full_text"] ?? arena.value(fields, .fullText, in: tweet) ?? arena.value(fields, .text, in: tweet)
    return out.append(tweetText: source?.rawString ?? .empty)
  }

  /// Appends `,"source":"…"`: of `<a href="…" rel="nofollow">Name</a>` the name, as in v2.
  func appendSource(_ source: JSONValue?, to out: inout ByteBuffer) {
    guard let source, source.isString, !source.isBlank else { return }
    let raw = source.rawString
    out.string("source") { out in
      if let name = raw.plainAnchorText {
        out.append(knownInside: name)
      } else if raw.starts(with: "&lt;a ".utf8) {
        // The search before v1.1 escaped the anchor once more.
        var anchor = ByteBuffer(capacity: raw.count)
        _ = anchor.append(tweetText: raw)
        anchor.withBytes { _ = out.append(tweetText: $0.insideAnchor) }
      } else if !raw.contains(UInt8(ascii: "\\")) {
        _ = out.append(tweetText: raw.insideAnchor)
      } else {
        // X escapes the angle brackets too.
        var decoded = ByteBuffer(capacity: raw.count)
        decoded.append(unescaping: raw)
        decoded.withBytes { out.appendJSONEscaped($0.insideAnchor) }
      }
    }
  }
}

extension ByteView {
  /// The text of an HTML anchor; all bytes when they are not an anchor.
  fileprivate var insideAnchor: ByteView {
    guard let close = lastIndex(of: UInt8(ascii: "<")), let open = self[..<close].lastIndex(of: UInt8(ascii: ">")),
      open + 1 < close
    else { return self }
    return extracting((open + 1)..<close)
  }

  /// The text of an anchor that ends the string and needs no decoding, as nearly all; `nil` for any other string.
  fileprivate var plainAnchorText: ByteView? {
    guard let start = baseAddress, count > 5 else { return nil }
    let end = start + (count - 4)
    // `</a>`
    guard UInt32(littleEndian: UnsafeRawPointer(end).loadUnaligned(as: UInt32.self)) == 0x3E61_2F3C else { return nil }
    var text = end
    while text > start {
      switch text[-1] {
      case UInt8(ascii: ">"): return text < end ? ByteView(start: text, count: end - text) : nil
      case UInt8(ascii: "\\"), UInt8(ascii: "&"), UInt8(ascii: "<"): return nil
      default: text -= 1
      }
    }
    return nil
  }
}
